"""Folders and files as options: their names, and whether they can be written to."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agentworld_env.errors import AgentWorldError, quoted


def folder_named(text: str | Path) -> Path:
    """Returns a folder's path; an empty name, as of a variable that is not set, would stand for the present directory.

    Raises:
        AgentWorldError: The name is empty.
    """
    if not str(text).strip():
        raise AgentWorldError(f"expected the name of a folder, got {quoted(str(text))}")
    return Path(text)


def check_folder(folder: Path) -> None:
    """Makes sure that a folder can be written to or made, before what goes there is worked out; leaves nothing behind.

    Raises:
        AgentWorldError: It, or what it would be made in, is no directory or cannot be written to.
    """
    for path in (folder, *folder.absolute().parents):
        if path.is_dir():
            # Tried, as for a file: permissions do not tell of every file system.
            try:
                with tempfile.TemporaryFile(dir=path):
                    return
            except OSError as error:
                raise AgentWorldError(
                    f"{path} cannot be written to ({error.strerror or error}); expected a directory that can"
                ) from error
        if path.exists() or path.is_symlink():
            raise AgentWorldError(f"{path} is a file; expected a directory")


@contextlib.contextmanager
def made(folder: Path) -> Iterator[None]:
    """Makes a folder for what is worked out, and removes it afterwards if it was made for nothing.

    Raises:
        AgentWorldError: It cannot be made; the message names it and says why.
    """
    lacking = _lacking(folder / "-")
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise AgentWorldError(f"{error.filename or folder} is a file; expected a directory") from error
        except OSError as error:
            raise AgentWorldError(
                f"cannot write {error.filename or folder}: {error.strerror or error}"
            ) from error
        yield
    finally:
        _remove(lacking)


def _lacking(path: Path) -> list[Path]:
    """Returns the folders above a path that do not exist, the innermost first."""
    return [folder for folder in path.absolute().parents if not folder.exists()]


def _remove(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):  # not made, or somebody has put something into it
            folder.rmdir()


def check_file(path: Path) -> None:
    """Makes sure that a file can be written to, before what goes there is worked out; leaves nothing behind.

    Directories that it lacks will be made, as those of all that options name as outputs.

    It is tried, as permissions do not tell of every file system. A file that does not exist is not made for it, since
    somebody else may be beginning it; another one beside it is.

    Raises:
        AgentWorldError: It cannot be written; the message names it and says why.
    """
    path = path.resolve()
    lacking = _lacking(path)
    try:
        if path.exists():
            with path.open("ab"):
                return
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except FileExistsError as error:  # what would be its directory, or lie above it
        raise AgentWorldError(f"cannot write {path}: {os.strerror(errno.ENOTDIR)}") from error
    except OSError as error:
        raise AgentWorldError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        _remove(lacking)
