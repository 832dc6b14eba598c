"""A process that plays a part of a vector environment's episodes. It is started by ``vector`` and by nobody else."""

from __future__ import annotations

import gc
import os
import pickle
import struct
import sys
import traceback
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<Q")

_YOUNG = 100_000
"""So many new objects are made before the interpreter looks for rings among them. Episodes leave none, and looking
through all that long episodes remember after every 700 objects costs a sixth of the time."""


def send(stream: BinaryIO, message: Any) -> None:
    """Writes a message to a pipe."""
    data = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Reads a message from a pipe.

    Raises:
        EOFError: The other side has closed it.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    size = _LENGTH.unpack(head)[0]
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    # The pipe was inherited from the parent process; nobody else can write to it.
    return pickle.loads(data)  # noqa: S301


def main() -> None:
    """Plays until the parent closes the pipe, or is gone."""
    # Whatever writes to the standard output must not garble the messages, which go there.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        _serve(sys.stdin.buffer, replies)
    except BrokenPipeError:
        # The parent was killed while it waited for a reply; there is nobody to tell. What is still held for it would
        # raise once more when Python ends.
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, replies.fileno())
        os.close(sink)


def _serve(commands: BinaryIO, replies: BinaryIO) -> None:
    """Carries out commands.

    Raises:
        BrokenPipeError: The parent is gone.
    """
    try:
        group = _open(receive(commands))
        gc.collect()
        gc.freeze()
        gc.set_threshold(_YOUNG, 50, 1_000)
        send(replies, None)
        while True:
            command, argument = receive(commands)
            if command == "step":
                group.step()
            else:
                group.reset(argument)
            send(replies, None)
    except EOFError:
        return
    except BrokenPipeError:
        raise
    except Exception as error:
        text = traceback.format_exc()
        try:
            send(replies, (error, text))
        except (pickle.PicklingError, TypeError, AttributeError):
            send(replies, (RuntimeError(str(error)), text))


def _open(order: dict[str, Any]) -> Any:
    from agentworld_env.env import ParallelAgentWorldEnv
    from agentworld_env.learning.arrays import Arrays, open_shared
    from agentworld_env.learning.group import Group

    memory = open_shared(order["memory"], order["size"])
    arrays = Arrays(order["slots"], order["episodes"], order["features"], memory)
    envs = [ParallelAgentWorldEnv(**options) for options in order["options"]]
    return Group(envs, arrays, order["first"], order["slot"], order["autoreset"])


__all__ = ["main", "receive", "send"]
