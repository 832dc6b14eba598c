"""Reading files of others within limits, and writing files in one piece, whatever interrupts the writing."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 256 * 1024 * 1024
"""Longest file that is read as a whole where nothing narrower is said (bytes)."""


def read_whole(path: Path, most: int = MOST_BYTES) -> bytes:
    """Returns the content of a regular file; reading a pipe or a device may wait for ever or never end.

    Args:
        path: The file.
        most: Bytes at most.

    Raises:
        OSError: It cannot be read, is no regular file, or is longer; its ``strerror`` says so in words.
    """
    check_regular(path)
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"longer than {most} bytes", str(path))
    return content


def read_text(path: Path, most: int = MOST_BYTES, encoding: str = "utf-8") -> str:
    """Returns the text of a regular file, with every line end a single line feed; otherwise as ``read_whole``.

    Raises:
        OSError: As for ``read_whole``.
        UnicodeDecodeError: It is no text in this encoding.
    """
    return read_whole(path, most).decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def check_regular(path: Path) -> None:
    """Makes sure that opening and reading a path comes to an end.

    Raises:
        OSError: There is nothing, or it is neither a regular file nor a directory, which cannot be opened anyway.
    """
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "no regular file", str(path))


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
