"""The header of a record: made from a task, and turned back into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from pydantic import ValidationError

from agentworld_env._version import RULES_VERSION, SUITE_VERSION, __version__
from agentworld_env.env.settings import setting_by_name
from agentworld_env.episodes.record import FORMAT, Header
from agentworld_env.errors import EpisodeFileError, UnknownNameError
from agentworld_env.tasks.check import check_spec
from agentworld_env.tasks.registry import get_task
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task

GREATEST_SEED = 2**63 - 1
"""Greatest seed of a recorded episode."""


def make_header(task: Task, *, seed: int, setting: str, policy: Mapping[str, Any]) -> Header:
    """Returns the header of an episode.

    Args:
        task: The task.
        seed: Seed of the episode, 0 to 2**63 - 1.
        setting: Name of the setting.
        policy: Name and settings of the policy, as plain data.

    Raises:
        ValueError: The seed is out of range.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= GREATEST_SEED:
        raise ValueError(f"a seed is a whole number from 0 to {GREATEST_SEED}, not {seed!r}")
    return Header(
        format=FORMAT,
        package=__version__,
        rules=RULES_VERSION,
        suite=SUITE_VERSION,
        task=task.id,
        task_hash=task.content_hash,
        spec=task.spec.model_dump(mode="json"),
        seed=seed,
        setting=setting,
        # Through JSON and back, so that a header in memory equals the one that is read from its file.
        policy=msgspec.json.decode(msgspec.json.encode(policy)),
    )


def task_of(header: Header, where: str = "record", *, allow_python: bool = False) -> Task:
    """Returns the task that a record was played on, rebuilt from the record itself.

    Args:
        header: The header.
        where: What to call the record in messages.
        allow_python: Whether checkpoints of kind ``python`` are accepted in tasks that are not the package's own. They
            run code of installed modules, so allow them only for records whose task you trust.

    Raises:
        EpisodeFileError: The record follows other rules, or its task does not match its hash or cannot be played.
    """
    if header.rules != RULES_VERSION:
        raise EpisodeFileError(
            f"{where}: it was recorded under version {header.rules} of the rules, "
            f"this is version {RULES_VERSION}; score it with the package version {header.package}"
        )
    try:
        task = Task(TaskSpec.model_validate(header.spec))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise EpisodeFileError(
            f"{where}, line 1: expected a valid task in 'spec' ({place}: {first['msg']})"
        ) from error
    if task.id != header.task or task.content_hash != header.task_hash:
        raise EpisodeFileError(
            f"{where}, line 1: the task {task.id} has the hash {task.content_hash}, "
            f"but the header says {header.task} with {header.task_hash}"
        )
    if _is_shipped(task):
        return task
    problems = check_spec(task.spec, task.world, allow_python=allow_python)
    if problems:
        place = ".".join(str(part) for part in problems[0].path)
        raise EpisodeFileError(f"{where}, line 1: task field {place}: expected {problems[0].expected}")
    return task


def played_spec(header: Header) -> dict[str, Any]:
    """Returns the specification of the task as it was played: the recorded one, changed by the setting."""
    setting = setting_by_name(header.setting)
    if not setting.parts:
        return header.spec
    return setting.task(Task(TaskSpec.model_validate(header.spec))).spec.model_dump(mode="json")


def differences(ours: Header, theirs: Header) -> str:
    """Returns in what two headers differ, as ``name theirs instead of ours``, or an empty text if they are equal."""
    found: list[str] = []
    for name in Header.__struct_fields__:
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine == other:
            continue
        if name == "policy":
            mine, other = (msgspec.json.encode(each).decode() for each in (mine, other))
        found.append(name if name == "spec" else f"{name} {other} instead of {mine}")
    return ", ".join(found)


def _is_shipped(task: Task) -> bool:
    try:
        return get_task(task.id) == task
    except UnknownNameError:
        return False
