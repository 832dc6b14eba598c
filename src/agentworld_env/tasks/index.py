"""Writes the index of the package's task files: ``python -m agentworld_env.tasks.index``."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agentworld_env.tasks.load import load_task
from agentworld_env.tasks.registry import SUITES, TaskInfo

_ROOT = Path(__file__).parent


def task_files() -> tuple[Path, ...]:
    """Returns the task files of the package, suite by suite, by number."""
    return tuple(
        path
        for suite in SUITES
        for path in sorted(
            (_ROOT / suite).glob("*.yaml"), key=lambda path: (len(path.stem.split("_")[0]), path.stem)
        )
    )


def build_index() -> bytes:
    """Returns the index of the task files as JSON, one task a line."""
    infos: list[TaskInfo] = [load_task(path).info for path in task_files()]
    lines = b",\n".join(msgspec.json.encode(info) for info in infos)
    return b"[\n" + lines + b"\n]\n"


def main() -> None:
    """Writes the index beside this module."""
    (_ROOT / "index.json").write_bytes(build_index())


if __name__ == "__main__":
    main()
