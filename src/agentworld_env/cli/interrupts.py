"""Ctrl-C at a command that works in several processes."""

from __future__ import annotations

import time

_SECONDS = 0.3


def ctrl_c_follows() -> bool:
    """Returns whether Ctrl-C is on its way; to be asked when a worker has died.

    It reaches workers as well as their parent, which may notice the end of a worker first.
    """
    try:
        time.sleep(_SECONDS)
    except KeyboardInterrupt:
        return True
    return False
