"""Waiting for policies that must be waited for, from code that is not asynchronous."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from agentworld_env.errors import AgentWorldError
from agentworld_env.policies.protocol import BarePolicy, close_policy


class EpisodeLoop:
    """One event loop for a whole episode, so that a model's connections stay open between turns.

    It is made when something must be waited for first: most policies never need one. On leaving, the policy is closed
    in it, and then it ends.

    Args:
        policy: Who plays.
    """

    def __init__(self, policy: BarePolicy) -> None:
        self._policy = policy
        self._runner: asyncio.Runner | None = None

    def wait(self, pending: Awaitable[Any]) -> Any:
        """Returns what an awaitable comes to.

        Raises:
            AgentWorldError: A loop is running already, in which alone what the policy has opened could be used.
        """
        if self._runner is None:
            if _loop_runs():
                if inspect.iscoroutine(pending):
                    pending.close()
                raise AgentWorldError(
                    "an event loop is running already: use 'await run_episode_async(...)' for this policy"
                )
            self._runner = asyncio.Runner()
        return self._runner.run(_settled(pending))

    def __enter__(self) -> EpisodeLoop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with ExitStack() as stack:
            if self._runner is not None:
                stack.callback(self._runner.close)
            pending = close_policy(self._policy)
            if pending is None:
                return
            if self._runner is not None:
                self._runner.run(_settled(pending))
            elif _loop_runs():  # such as a notebook's, while nothing but the closing must be waited for
                with ThreadPoolExecutor(1) as pool:
                    pool.submit(asyncio.run, _settled(pending)).result()
            else:
                asyncio.run(_settled(pending))


def close_now(policy: BarePolicy) -> None:
    """Closes a policy that was asked for nothing that must be waited for."""
    with EpisodeLoop(policy):
        pass


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _settled(pending: Awaitable[Any]) -> Any:
    return await pending
