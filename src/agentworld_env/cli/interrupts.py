"""Ctrl-C at a command that works in several processes."""

from __future__ import annotations

import time

_SECONDS = 0.3


def ctrl_c_follows() -> bool:
    """Returns whether Ctrl-C is on its way; to be asked when a worker has died.

    Where a system cannot keep it from workers that are still being loaded, it ends these as well as their parent, which
    may notice that first.
    """
    try:
        time.sleep(_SECONDS)
    except KeyboardInterrupt:
        return True
    return False
