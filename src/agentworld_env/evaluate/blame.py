"""Where code of the user's own has failed: the line of theirs, not the one of a library that they called."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from traceback import walk_tb

_PACKAGE = Path(__file__).parents[1]


def blamed_on(error: BaseException, file: str | None = None) -> tuple[str, str]:
    """Returns where somebody's code has failed, and what it said.

    Args:
        error: What it raised; ``SystemExit`` if it has ended the program.
        file: The file that was run, if it is known; it counts as the user's wherever it lies.

    Returns:
        The place, such as ``" (at own.py, line 3)"``, or an empty text if no line of the user's is known; and type and
        text of the error on one line.
    """
    if isinstance(error, SystemExit):
        said = f"it ends the program by sys.exit({'' if error.code is None else repr(error.code)})"
    else:
        said = f"{type(error).__name__}: {error}"
    place = ""
    if isinstance(error, SyntaxError) and error.lineno:
        other = error.filename is not None and file is not None and not _same(error.filename, file)
        place = (
            f" (at {Path(error.filename or '').name}, line {error.lineno})"
            if other
            else f", line {error.lineno}"
        )
    else:
        for frame, line in walk_tb(error.__traceback__):
            code = frame.f_code.co_filename
            if (file is not None and _same(code, file)) or _is_users(code):
                place = f" (at {Path(code).name}, line {line})"
    return place, f"{' '.join(said.split()):.300}"


def _same(one: str, other: str) -> bool:
    return Path(one).resolve() == Path(other).resolve()


def _is_users(code: str) -> bool:
    """Returns whether code is neither Python's own, nor this package's, nor that of an installed package."""
    path = Path(code).resolve()
    if code.startswith("<") or {"site-packages", "dist-packages"} & set(path.parts):
        return False
    homes = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), _PACKAGE)
    return not any(path.is_relative_to(home) for home in homes)
