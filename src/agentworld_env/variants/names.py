"""Names of variants: ``t86_forge_vanguard~seed=41``, wherever a task is named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from agentworld_env.errors import AgentWorldError, quoted
from agentworld_env.tasks.registry import resolve as resolve_task

if TYPE_CHECKING:
    from agentworld_env.tasks import Task

_SEED = re.compile(r"seed=([0-9]{1,9})")


def resolve(task: str | Path | Task) -> Task:
    """Returns a task from whatever names it, variants included.

    Args:
        task: As for ``tasks.resolve``; besides ``TASK~seed=NUMBER``, the variant of a task that belongs to a seed. It
            is searched for and certified when it is first asked for in a process, which may take seconds.

    Raises:
        TypeError: It is nothing that names a task.
        AgentWorldError: There is no such task or variant, or the task's file says something wrong.
    """
    if not isinstance(task, str) or not is_variant(task):
        return resolve_task(task)
    base, _, rest = task.rpartition("~")
    match = _SEED.fullmatch(rest)
    if match is None or not base:
        raise AgentWorldError(
            f"a variant is named TASK~seed=NUMBER, as in t86_forge_vanguard~seed=41, not {task[:80]!r}"
        )
    if is_variant(base):
        raise AgentWorldError(
            f"{quoted(task)}: variants of variants go by file; make the first one with agentworld-env variants --out "
            f"DIRECTORY, and name DIRECTORY/FILE.yaml~{rest}"
        )
    from agentworld_env.variants.generator import make_variant

    return make_variant(resolve_task(base), int(match.group(1)))


def is_variant(name: str) -> bool:
    """Returns whether a name is that of a variant, and not that of a file with a tilde in its path."""
    return re.search(r"~[^/\\]*$", name) is not None and not name.endswith((".yaml", ".yml"))
