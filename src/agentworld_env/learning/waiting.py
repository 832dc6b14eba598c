"""Waiting for policies that must be awaited, from code that is not asynchronous, whether or not a loop runs already."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Awaitable
from typing import Any


class Waiter:
    """An event loop in a thread of its own: in a notebook, the thread that calls has a running loop of its own.

    It is one loop until ``close``, so that what a policy has opened in it, such as connections, stays usable.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self._loop.run_forever, name="agentworld-env-mates", daemon=True)
        thread.start()
        # The loop alone is held, so that an environment that is dropped without being closed ends its thread.
        self._finalizer = weakref.finalize(self, _end, self._loop, thread)

    def wait(self, pending: Awaitable[Any]) -> Any:
        """Returns what an awaitable comes to, or raises what it raises; an interruption cancels it."""
        future = asyncio.run_coroutine_threadsafe(_settled(pending), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Ends loop and thread."""
        self._finalizer()


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    future = asyncio.run_coroutine_threadsafe(_wind_up(loop), loop)
    future.result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def _wind_up(loop: asyncio.AbstractEventLoop) -> None:
    """Cancels what still runs, and closes generators, as ``asyncio.run`` does at its end."""
    rest = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    await loop.shutdown_asyncgens()


async def _settled(pending: Awaitable[Any]) -> Any:
    return await pending
