"""The sweep: success actions first, then one question per round, from the last round back to the first.

Turns are sequential, so causes may lie in the same round. Each question therefore shows what is already known to
contribute in later rounds and in the round itself, and asks for ancestry among the actions to judge, not for single
edges. Nothing that is known to contribute is cut from a question, unless a window is asked for; then the question and
the judgement say how much was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from agentworld_env.episodes import Episode, TurnLine
from agentworld_env.episodes.opening import played_spec
from agentworld_env.errors import InvalidValueError
from agentworld_env.metrics.causal import Trace
from agentworld_env.metrics.finding import Finding
from agentworld_env.metrics.judge.ask import Asker, Usage
from agentworld_env.metrics.judge.cache import JudgeCache
from agentworld_env.metrics.judge.prompts import describe, success_question, sweep_question
from agentworld_env.metrics.judge.reading import read_success, read_sweep
from agentworld_env.metrics.judge.relevance import names_of
from agentworld_env.models import Answerer


class JudgeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a judge is asked.

    Attributes:
        prune: Leaves out actions that share no agent, thing or message with any contributing action.
        rounds: So many rounds are put into one question.
        window: Shows contributing actions of so many later rounds only, and asks nothing about rounds without any;
            None shows all.
        at_once: So many episodes are judged at the same time.
    """

    prune: bool = False
    rounds: int = 1
    window: int | None = None
    at_once: int = 8

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.at_once < 1 or (self.window is not None and self.window < 1):
            raise InvalidValueError("rounds, window and at_once of a judge are at least 1")


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge said about one episode.

    Attributes:
        success: The success actions.
        contributing: The success actions and all that led to them.
        pruned: Actions that were not asked about, having nothing to do with what contributes.
        beyond: Actions that were not asked about, all that contributes being beyond the window.
        hidden: So many times a contributing action was not shown, being beyond the window.
        judged: Whether the judge was asked at all: a failed episode has CCE 0 without it.
        usage: What it took.
        actions: Number of actions of the episode.
    """

    success: tuple[int, ...]
    contributing: tuple[int, ...]
    pruned: tuple[int, ...]
    beyond: tuple[int, ...]
    hidden: int
    judged: bool
    usage: Usage

    actions: int

    def finding(self, method: str) -> Finding:
        """Returns the judgement in the form that all methods share; it decides about what the judge was asked."""
        asked = frozenset(range(self.actions)).difference(self.pruned, self.beyond)
        return Finding(
            method=method,
            trace=Trace(self.success, self.contributing, ()),
            decided=asked if self.judged else frozenset(),
            notes={
                "judged": self.judged,
                "pruned": len(self.pruned),
                "beyond_window": len(self.beyond),
                "hidden": self.hidden,
                **msgspec.structs.asdict(self.usage),
            },
        )


_NO_OPTIONS = JudgeOptions()


async def judge_episode(
    episode: Episode,
    model: Answerer,
    *,
    options: JudgeOptions = _NO_OPTIONS,
    cache: JudgeCache | None = None,
) -> Judgement:
    """Asks a judge about one complete episode.

    Args:
        episode: The episode.
        model: The judge.
        options: How it is asked.
        cache: Where its answers are kept, or None to ask everything anew.

    Raises:
        ModelError: The judge cannot be reached.
        JudgeError: An answer was of no use, twice; the message names the question and what was wrong.
        ValueError: The episode is not over.
    """
    asker = Asker(model, cache)
    if not episode.verdict.success:
        return Judgement(
            success=(),
            contributing=(),
            pruned=(),
            beyond=(),
            hidden=0,
            judged=False,
            usage=asker.usage,
            actions=len(episode.lines),
        )
    return await _Sweep(episode, asker, options).run()


def judge_episodes(
    episodes: Sequence[Episode],
    model: Answerer,
    *,
    options: JudgeOptions = _NO_OPTIONS,
    cache: JudgeCache | None = None,
) -> list[Judgement]:
    """Asks a judge about several episodes, some at the same time; arguments and errors are as for ``judge_episode``.

    Must not be called inside a running event loop.
    """
    return asyncio.run(_judge_all(episodes, model, options, cache))


async def _judge_all(
    episodes: Sequence[Episode], model: Answerer, options: JudgeOptions, cache: JudgeCache | None
) -> list[Judgement]:
    gate = asyncio.Semaphore(options.at_once)

    async def one(episode: Episode) -> Judgement:
        async with gate:
            return await judge_episode(episode, model, options=options, cache=cache)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(episode)) for episode in episodes]
        return [task.result() for task in tasks]
    except ExceptionGroup as errors:
        # Whoever calls expects the judge's own error, not a group of them.
        raise errors.exceptions[0] from None
    finally:
        close = getattr(model, "close", None)
        if close is not None:
            await close()


class _Sweep:
    """One episode being judged."""

    def __init__(self, episode: Episode, asker: Asker, options: JudgeOptions) -> None:
        self._episode = episode
        self._asker = asker
        self._options = options
        self._lines = episode.lines
        self._said = [describe(line) for line in episode.lines]
        self._names = [names_of(line) for line in episode.lines]
        self._contributing: set[int] = set()
        self._pruned: list[int] = []
        self._beyond: list[int] = []
        self._hidden = 0

    async def run(self) -> Judgement:
        header = self._episode.header
        about = f"{header.task} seed {header.seed}"
        success = await self._asker.ask(
            success_question(played_spec(header), self._said),
            lambda text: read_success(text, range(len(self._lines))),
            f"success actions of {about}",
        )
        self._contributing.update(success)
        last = max(line.round for line in self._lines)
        while last >= 1:
            first = max(1, last - self._options.rounds + 1)
            await self._judge(first, last, about)
            last = first - 1
        return Judgement(
            success=tuple(sorted(success)),
            contributing=tuple(sorted(self._contributing)),
            pruned=tuple(sorted(self._pruned)),
            beyond=tuple(sorted(self._beyond)),
            hidden=self._hidden,
            judged=True,
            usage=self._asker.usage,
            actions=len(self._lines),
        )

    async def _judge(self, first: int, last: int, about: str) -> None:
        """Judges the actions of some rounds, the last turn first in mind."""
        asked = [
            line
            for line in self._lines
            if first <= line.round <= last and line.action not in self._contributing
        ]
        known = sorted(number for number in self._contributing if self._lines[number].round >= first)
        window = self._options.window
        shown = (
            known
            if window is None
            else [number for number in known if self._lines[number].round <= last + window]
        )
        # An action can only help later ones; one after all that contributes cannot.
        asked = [line for line in asked if line.action < max(known, default=-1)]
        near = [line for line in asked if line.action < max(shown, default=-1)]
        self._beyond += [line.action for line in asked[len(near) :]]
        asked = near
        if not asked:
            return
        self._hidden += len(known) - len(shown)
        if self._options.prune:
            asked = self._relevant(asked, shown)
        if not asked:
            return
        ids = [line.action for line in asked]
        rounds = (asked[0].round, asked[-1].round)
        question = sweep_question(
            played_spec(self._episode.header),
            [self._said[number] for number in shown],
            [self._said[number] for number in ids],
            rounds,
            hidden=len(known) - len(shown),
            window=window,
        )
        span = f"round {rounds[0]}" if rounds[0] == rounds[1] else f"rounds {rounds[0]} to {rounds[1]}"
        found = await self._asker.ask(question, lambda text: read_sweep(text, ids), f"{span} of {about}")
        self._contributing.update(found)

    def _relevant(self, asked: list[TurnLine], shown: Sequence[int]) -> list[TurnLine]:
        """Returns the actions that may have led to contributing ones, and notes the others as pruned.

        Within a question the chain may run through actions that are themselves asked about, so an action that is kept
        brings its own names in for the earlier ones.
        """
        later: list[frozenset[str]] = [self._names[number] for number in shown]
        names = frozenset().union(*later)
        kept: list[TurnLine] = []
        for line in reversed(asked):
            mine = self._names[line.action]
            if mine & names:
                kept.append(line)
                names |= mine
            else:
                self._pruned.append(line.action)
        return kept[::-1]
