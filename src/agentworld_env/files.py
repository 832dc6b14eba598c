"""Writing files in one piece: whoever reads one never meets half of it, whatever interrupts the writing."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_whole(path: Path, content: bytes | str, *, lasting: bool = False) -> None:
    """Writes a file under another name beside its own, and renames it once it is complete.

    Under its own name stands either what was there before or the new content, and nothing is left over if the writing
    fails. Several processes may write the same file; the last one to finish has its way.

    Args:
        path: The file; its directory must exist.
        content: What it is to hold; a text is written as UTF-8, its line ends as they are.
        lasting: Whether to wait until the content is on the disk, so that not even a crash of the machine loses it.

    Raises:
        OSError: It cannot be written; the error names ``path``.
    """
    # The other name does not grow with the file's own, which may be as long as file names can be.
    part = path.with_name(f".{os.getpid()}-{os.urandom(6).hex()}.part")
    try:
        with part.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        # Nobody has asked for the file beside it.
        raise type(error)(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):  # a folder that takes no files has none to remove
            part.unlink(missing_ok=True)
