"""Variants as task files."""

from __future__ import annotations

from pathlib import Path

import yaml

from agentworld_env.files import write_whole
from agentworld_env.tasks.schema import TaskSpec

_WIDTH = 110


class _Dumper(yaml.SafeDumper):
    """Writes nothing but plain data, without aliases for what occurs twice."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def to_yaml(spec: TaskSpec, remark: str) -> str:
    """Returns a task as the text of a task file.

    Args:
        spec: The task.
        remark: A line at the top.
    """
    content = spec.model_dump(mode="json", exclude_defaults=True)
    # Mappings and lists of plain values stand on one line, as people write them in task files.
    text = yaml.dump(
        content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH, default_flow_style=None
    )
    return f"# {remark}\n{text}"


def write_task(spec: TaskSpec, path: Path, remark: str) -> None:
    """Writes a task file; a half-written one never stands under the final name.

    Raises:
        OSError: It cannot be written.
    """
    write_whole(path, to_yaml(spec, remark))
