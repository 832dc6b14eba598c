"""Writing numbers into a block of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from struct import Struct
from typing import Any


@cache
def _floats(count: int) -> Struct:
    return Struct(f"<{count}f")


@cache
def _ints(count: int) -> Struct:
    return Struct(f"<{count}i")


def put(block: Any, place: int, numbers: Sequence[float]) -> None:
    """Writes numbers as ``float32``.

    Args:
        block: A writable buffer.
        place: Where (bytes).
        numbers: The numbers.
    """
    _floats(len(numbers)).pack_into(block, place, *numbers)


def put_ids(block: Any, place: int, numbers: Sequence[int]) -> None:
    """Writes numbers as ``int32``; see ``put``."""
    _ints(len(numbers)).pack_into(block, place, *numbers)
