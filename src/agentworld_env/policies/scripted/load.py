"""Scripts: YAML files that say, role by role, what to do with what that role is told."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from typing import Any

import yaml

Step = tuple[str, dict[str, Any]]
"""Name of a step and its arguments."""

Script = dict[str, tuple[Step, ...]]
"""Role -> its steps in order."""


@cache
def scripts() -> dict[str, Script]:
    """Returns the script of each task that has one, by the title that agents are told."""
    found: dict[str, Script] = {}
    for _, text in _files():
        data = yaml.safe_load(text)
        found[data["title"]] = {
            role: tuple((verb, dict(arguments)) for step in steps for verb, arguments in step.items())
            for role, steps in data["roles"].items()
        }
    return found


@cache
def scripted_tasks() -> tuple[str, ...]:
    """Returns the ids of the tasks that have scripts, which are the names of their files."""
    return tuple(name.removesuffix(".yaml") for name, _ in _files())


@cache
def digest() -> str:
    """Returns a hash of all scripts (16 hexadecimal digits)."""
    text = "\0".join(f"{name}\0{text}" for name, text in _files())
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _files() -> list[tuple[str, str]]:
    folder = resources.files("agentworld_env.policies.scripted").joinpath("scripts")
    return sorted(
        (file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(".yaml")
    )
