"""Where in a task file a problem of a certificate stands."""

from __future__ import annotations

import re
from pathlib import Path

from agentworld_env.tasks.reading import Document, field
from agentworld_env.tasks.schema import TaskSpec


def placed(problem: str, spec: TaskSpec, path: Path) -> str:
    """Returns a problem with file, line and field in front, as errors of the loader have them.

    Certificates speak of checkpoints by label, of agents by name and of keys; the first field that is about one of
    them is meant. What is about the whole task stands at the round budget or at the checkpoints.

    Args:
        problem: The problem, in words.
        spec: The task.
        path: The task's file.
    """
    document = Document(path.read_bytes(), str(path))
    where = _path(problem, spec)
    return f"{path}:{document.line(where)}: {field(where)}: {problem}"


def _path(problem: str, spec: TaskSpec) -> tuple[str | int, ...]:
    wave = re.search(r"\bwave (\d+)\b", problem)
    if wave is not None and int(wave.group(1)) <= len(spec.waves):
        return "waves", int(wave.group(1)) - 1
    if problem.startswith("nobody is in danger"):
        return ("waves",) if spec.waves else ("checkpoints",)
    if problem.startswith(("the objective says", "the objective names")):
        return ("objective",)
    if problem.startswith("no guide"):
        return ("team",)
    for i, point in enumerate(spec.checkpoints):
        if re.search(rf"(?<!\w){re.escape(point.label)}(?!\w)", problem):
            return "checkpoints", i
    words = re.findall(r"[\w-]+", problem)
    if "nobody can" in problem:
        # Who is named beside the goods is only why.
        return _about_goods(words, spec) or ("checkpoints",)
    if "budget" in problem:
        return ("max_rounds",)
    if "constraint" in words or "dies" in words:
        return ("constraints",) if spec.constraints else ("checkpoints",)
    named = next((word for word in words if word in spec.team), None)
    if named is not None:
        return "team", named
    return _about_goods(words, spec) or (("team",) if "groups" in words else ("checkpoints",))


def _about_goods(words: list[str], spec: TaskSpec) -> tuple[str | int, ...] | None:
    """Returns the first checkpoint that asks for an item, mob or receiver that is among some words."""
    for i, point in enumerate(spec.checkpoints):
        keys = {str(getattr(point, name, "")) for name in ("item", "mob", "site", "to", "target")}
        keys.update(getattr(point, "items", ()))
        if keys & set(words):
            return "checkpoints", i
    return None
