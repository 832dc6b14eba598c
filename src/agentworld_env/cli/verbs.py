"""What a verb raises goes past the parser of options, which would take some of it for its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import typer

Given = ParamSpec("Given")
Made = TypeVar("Made")


class RaisedError(Exception):
    """Carries what a verb raised.

    Args:
        error: What it raised.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


def verb(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """Returns a verb of the command that raises nothing but exit codes and ``RaisedError``.

    The parser ends the process with 0 or a bare code on Ctrl-C, on broken pipes and on the end of an input, whoever's
    they are: those of a policy's own code would look like a success.
    """

    @wraps(function)
    def guarded(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        try:
            return function(*args, **kwargs)
        except (typer.Exit, typer.Abort):
            raise
        except BaseException as error:
            raise RaisedError(error) from None

    return guarded
