"""How many calls are in flight to an endpoint: grows while all is well, yields when the endpoint is at its limit."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque

_LATENCY_RISES = 2.0
"""So many times the best smoothed latency counts as risen."""

_SLACK = 0.05
"""Differences of so many seconds are noise."""

_SMOOTHING = 0.1
LONGEST_PAUSE = 120.0
"""Longest wait that an endpoint can ask for (seconds)."""

_FIRST_PAUSE = 0.5
_LONGEST_GUESS = 30.0


def pause_before(attempt: int, retry_after: float | None, longest: float = LONGEST_PAUSE) -> float:
    """Returns how long to wait before a call is made again (seconds).

    Args:
        attempt: Number of failed attempts so far, at least 1.
        retry_after: What the endpoint asks for (seconds), or None.
        longest: No longer than that, whatever the endpoint asks for (seconds).
    """
    if retry_after is not None:
        return min(retry_after, longest)
    return min(_FIRST_PAUSE * 2.0 ** (attempt - 1), _LONGEST_GUESS)


class Pace:
    """Decides when the next call to an endpoint may start.

    The limit starts low and grows by one per answer, which doubles it in a round of calls, until the endpoint first
    complains or its latency rises; from then on it grows by one per full round of answers. A refusal for load or a call
    without a reply halves it, once per round of calls, and everybody waits as long as the endpoint asks.

    Args:
        most: Never more calls in flight than this.
        first: The limit at the start.
        longest_pause: Nobody waits longer, whatever the endpoint asks for (seconds); two minutes at most.
    """

    def __init__(self, most: int = 64, first: int = 32, longest_pause: float = LONGEST_PAUSE) -> None:
        self.most = most
        self.longest_pause = min(longest_pause, LONGEST_PAUSE)
        self.limit = float(min(first, most))
        self.in_flight = 0
        self.retrying: Counter[str] = Counter()
        self._settled = False
        self._not_before = 0.0
        self._cut_at = 0.0
        self._best = self._smooth = 0.0
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._woken = 0

    async def enter(self) -> float:
        """Waits for a free place and takes it.

        Returns:
            When the call starts (seconds of the monotonic clock); to be given to ``leave``.
        """
        while True:
            pause = self._not_before - time.monotonic()
            if pause > 0:
                await asyncio.sleep(pause)
            elif self.in_flight < int(self.limit):
                self.in_flight += 1
                return time.monotonic()
            else:
                waiter = asyncio.get_running_loop().create_future()
                self._waiters.append(waiter)
                try:
                    await waiter
                except asyncio.CancelledError:
                    if waiter.done() and not waiter.cancelled():
                        self._woken -= 1
                        self._wake()  # its turn goes to the next
                    raise
                self._woken -= 1

    def leave(self, started: float, *, answered: bool) -> None:
        """Gives the place back.

        Args:
            started: What ``enter`` returned.
            answered: Whether a reply came; only these tell anything about latency.
        """
        self.in_flight -= 1
        if answered:
            self._learn(time.monotonic() - started)
        self._wake()

    def refused(self, started: float, retry_after: float | None) -> None:
        """Takes note that the endpoint is at its limit, or so far beyond it that a call got no reply in time.

        Args:
            started: When the refused call started.
            retry_after: How long the endpoint asks to wait (seconds), or None.
        """
        now = time.monotonic()
        self._settled = True
        if retry_after is not None:
            self._not_before = max(self._not_before, now + min(retry_after, self.longest_pause))
        if started >= self._cut_at:  # calls that were on their way before the last cut say nothing new
            self._cut_at = now
            self.limit = max(1.0, self.limit / 2)

    def pause(self, attempt: int, retry_after: float | None) -> float:
        """Returns how long to wait before trying again (seconds).

        Args:
            attempt: Number of failed attempts so far, at least 1.
            retry_after: What the endpoint asks for, or None; ``longest_pause`` is heeded.
        """
        return pause_before(attempt, retry_after, self.longest_pause)

    def _learn(self, seconds: float) -> None:
        self._smooth = seconds if not self._smooth else self._smooth + _SMOOTHING * (seconds - self._smooth)
        if not self._best or self._smooth < self._best:
            self._best = self._smooth
        if self._smooth > _LATENCY_RISES * self._best + _SLACK:
            self._settled = True
            return
        # A limit that is far from reached need not grow. Replies come in bursts, faster than places are taken again:
        # who waits for a place, or is about to take one, counts as much as who has one.
        if self._waiters or 2 * (self.in_flight + self._woken + 1) >= self.limit:
            self.limit = min(float(self.most), self.limit + (1 / self.limit if self._settled else 1.0))

    def _wake(self) -> None:
        while self._waiters and self.in_flight + self._woken < int(self.limit):
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                self._woken += 1
