"""One lock for all files that only one process may write: records, and the folder of a run."""

from __future__ import annotations

import errno
import os
import sys
from typing import IO

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})
"""What file systems without locks answer; files on them are written all the same."""


def take_lock(file: IO[bytes]) -> bool:
    """Locks an open file until it is closed or its process dies.

    Args:
        file: The file; its position stays.

    Returns:
        False if another process holds it.

    Raises:
        OSError: The file cannot be locked for another reason.
    """
    try:
        _take(file)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return True


if sys.platform == "win32":

    def _take(file: IO[bytes]) -> None:
        import msvcrt

        # Windows locks bytes, and against reading too: one that no record reaches, so that others can read.
        here = file.seek(0, os.SEEK_CUR)
        file.seek(0x7FFF_FFF0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from error
        finally:
            file.seek(here)

else:

    def _take(file: IO[bytes]) -> None:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
