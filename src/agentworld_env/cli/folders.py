"""Names of folders as options."""

from __future__ import annotations

from pathlib import Path

from agentworld_env.errors import AgentWorldError


def folder_named(text: str | Path) -> Path:
    """Returns a folder's path; an empty name, as of a variable that is not set, would stand for the present directory.

    Raises:
        AgentWorldError: The name is empty.
    """
    if not str(text).strip():
        raise AgentWorldError(f"expected the name of a folder, got {str(text)!r}")
    return Path(text)
