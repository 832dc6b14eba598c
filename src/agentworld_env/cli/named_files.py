"""Which errors of the system are mistakes of the user's: those about files that the command line names."""

from __future__ import annotations

import re
import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def is_about_named(error: OSError, arguments: Sequence[str]) -> bool:
    """Returns whether an error is about a file that was named, or one within it, and met by the package itself.

    What code of a user's meets, such as a policy whose own file is missing, is a fault that has to show itself as one.

    Args:
        error: The error.
        arguments: The command line.
    """
    if not isinstance(error.filename, str):
        return False
    met = Path(error.filename).absolute()
    return _is_ours(error) and any(
        met.is_relative_to(Path(part).absolute())
        for argument in arguments
        for part in (argument, *re.split("[=,:]", argument))
        if part and "\0" not in part
    )


def _is_ours(error: OSError) -> bool:
    library = sysconfig.get_paths()["stdlib"]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(_PACKAGE):
            return True
        if not (frame.filename.startswith("<frozen") or path.is_relative_to(library)):
            return False
        if "site-packages" in path.parts:
            return False
    return False
