"""Keeping memos of pure functions small: what is asked for no more makes room for what is."""

from __future__ import annotations

from itertools import islice
from typing import Any


def make_room(memo: dict[Any, Any], most: int) -> None:
    """Drops the older half of a memo that is full, so that what was learnt last stays.

    Args:
        memo: The memo; a dict keeps the order in which its entries came.
        most: So many entries it may hold, at least 2.
    """
    if len(memo) >= most:
        for key in list(islice(memo, most // 2)):
            memo.pop(key, None)  # another thread may have made the same room
