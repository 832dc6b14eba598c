"""Tests of what an extra brings: skipped without it, unless OPTIONAL_TESTS=required says that it has to be there."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


def optional(module: str, extra: str) -> Any:
    """Returns a module of an extra; without it the calling test, or the whole file, is skipped or fails.

    Args:
        module: Name of the module.
        extra: The extra of this package that brings it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        go_without(f"no {error.name}: pip install -e '.[{extra}]'")


def go_without(reason: str) -> Any:
    """Skips the calling test or file, or fails it where optional tests are required."""
    if os.environ.get("OPTIONAL_TESTS") == "required":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason, allow_module_level=True)
