"""Where in a task file a problem of a certificate stands."""

from __future__ import annotations

from pathlib import Path

from agentworld_env.certify.problem import Problem
from agentworld_env.tasks.reading import Document, field


def placed(problem: Problem, path: Path) -> str:
    """Returns a problem with file, line and field in front, as errors of the loader have them.

    Args:
        problem: The problem.
        path: The task's file.
    """
    document = Document(path.read_bytes(), str(path))
    return f"{path}:{document.line(problem.path)}: {field(problem.path)}: {problem.text}"
