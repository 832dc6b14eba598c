"""Replaying a record with some calls left out, everything else being equal.

A call that is left out becomes a pass: its turn comes and goes without any effect. All other recorded calls are
played literally in the turns (round and agent) in which they were recorded; one that fails now stays failed, and one
whose agent is asleep or gone now is not played. An agent that is awake where the record has no call of it passes.
Since every draw of luck hangs on (seed, stream, actor, target, round, exchange) and not on how many draws came before,
leaving a call out changes the luck of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, task_of
from agentworld_env.errors import EpisodeFileError
from agentworld_env.sim import READY, ROUND_OVER, Snapshot, State
from agentworld_env.tools import execute
from agentworld_env.verifiers import Verdict

LeftOut = Callable[[int, int], bool]
"""Tells whether a call is left out, from its action number and the index of its agent."""


class Outcome(msgspec.Struct, frozen=True):
    """Where a replay ended.

    Attributes:
        success: Whether the verdict was a success.
        psr: Fraction of checkpoints reached.
        progress: Mean of the checkpoints' graded shares.
        reached: Whether each checkpoint was reached, in the order of the task file.
        held: Whether each constraint held.
    """

    success: bool
    psr: float
    progress: float
    reached: tuple[bool, ...]
    held: tuple[bool, ...]

    @classmethod
    def of(cls, verdict: Verdict) -> Outcome:
        """Returns what matters of a verdict."""
        return cls(
            verdict.success,
            verdict.psr,
            verdict.progress,
            tuple(point.reached for point in verdict.checkpoints),
            tuple(rule.held for rule in verdict.constraints),
        )

    def loses(self, actual: Outcome) -> bool:
        """Returns whether something that was really reached is not reached here, or a rule that held is broken."""
        return any(was and not is_ for was, is_ in zip(actual.reached, self.reached, strict=True)) or any(
            was and not is_ for was, is_ in zip(actual.held, self.held, strict=True)
        )


class _Mark(msgspec.Struct, frozen=True):
    """A moment of the recorded course: right before a call, or right after the world's turn."""

    sim: Snapshot
    verifier: tuple[Any, ...]


class Replayer:
    """Replays one record with calls left out.

    The recorded course is played once and put aside before every call, so that a replay starts where it begins to
    differ; it ends early if it comes to stand exactly where the record stood.

    Args:
        episode: The episode. Without a footer, what is recorded so far counts as the whole.
        allow_python: Whether to accept a task of unknown origin whose checkpoints run installed code.

    Attributes:
        actual: Where the recorded course ended.
        lines: The recorded turns.

    Raises:
        EpisodeFileError: The record follows other rules, its task does not match its hash, or a call comes out
            otherwise than recorded.
    """

    def __init__(self, episode: Episode, *, allow_python: bool = False) -> None:
        where = episode.path or "record"
        env = AgentWorldEnv(
            task_of(episode.header, where, allow_python=allow_python), setting=episode.header.setting
        )
        env.reset(seed=episode.header.seed)
        self._env, self._sim, self._verifier = env, env.sim, env.verifier
        self._max_rounds = env.max_rounds
        self.lines = episode.lines
        self._by_slot = {(line.round, env.sim.index[line.agent]): line for line in episode.lines}
        self._marks: list[_Mark] = []
        self._rounds: dict[int, _Mark] = {}
        last = episode.lines[-1] if episode.lines else None
        # The last slot that is played. Whether the world's turns after it belong to the episode, the record tells: a
        # success or a broken constraint ends it at once.
        self._last_slot = (last.round, env.sim.index[last.agent]) if last is not None else (0, 0)
        self._sharp = True
        self._end_round = self._last_slot[0]
        self._record(where, complete=episode.footer is not None)
        self.actual = Outcome.of(self._verifier.verdict())

    # -- the recorded course -------------------------------------------------------------------------------------------

    def _record(self, where: str, *, complete: bool) -> None:
        sim = self._sim
        for line in self.lines:
            place = f"{where}: turn {line.action} (round {line.round}, {line.agent})"
            while (sim.state.round, sim.state.turn) != (line.round, sim.index[line.agent]):
                if self._over() or sim.state.round > line.round:
                    raise EpisodeFileError(f"{place} deviates: it is never this agent's turn")
                if self._next() == ROUND_OVER:
                    self._rounds[sim.state.round] = self._mark()
            self._marks.append(self._mark())
            sim.state.actions = line.action
            if execute(sim, line.call, self._env.present_tools) != line.result:
                raise EpisodeFileError(f"{place} deviates: its result comes out otherwise than recorded")
            self._verifier.update()
        if not complete or self._over():
            return
        # The record went on to the end of a round in which nobody could act any more.
        self._sharp = False
        while True:
            if self._next() == ROUND_OVER and (self._over() or sim.state.round > self._max_rounds):
                break
        self._end_round = sim.state.round - 1

    def _mark(self) -> _Mark:
        return _Mark(self._sim.snapshot(), self._verifier.snapshot())

    def _over(self) -> bool:
        verifier = self._verifier
        return verifier.success or verifier.impossible or not self._sim.active

    def _next(self) -> int:
        outcome = self._sim.next_turn()
        if outcome == ROUND_OVER:
            self._verifier.round_end()
        return outcome

    # -- replays -------------------------------------------------------------------------------------------------------

    def without(self, actions: Collection[int]) -> Outcome:
        """Returns how the episode would have ended without some calls.

        Args:
            actions: Their action numbers.
        """
        if not actions:
            return self.actual
        return self._replay(min(actions), lambda action, _: action in actions)

    def without_agents(self, agents: Collection[str]) -> Outcome:
        """Returns how the episode would have ended had some agents done nothing at all.

        Args:
            agents: Their ids.
        """
        gone = {self._sim.index[name] for name in agents}
        first = next((line.action for line in self.lines if self._sim.index[line.agent] in gone), None)
        if first is None:
            return self.actual
        return self._replay(first, lambda _, agent: agent in gone)

    def _replay(self, first: int, left_out: LeftOut) -> Outcome:
        sim, verifier = self._sim, self._verifier
        mark = self._marks[first]
        sim.restore(mark.sim)
        verifier.restore(mark.verifier)
        state = sim.state
        rest = sum(1 for line in self.lines[first:] if left_out(line.action, sim.index[line.agent]))
        ready = True
        while True:
            slot = (state.round, state.turn)
            if ready:
                line = self._by_slot.get(slot)
                if line is not None and left_out(line.action, state.turn):
                    rest -= 1
                elif line is not None:
                    if not rest and self._joined(self._marks[line.action]):
                        return self.actual
                    # Things on the ground are named after the action that made them.
                    state.actions = line.action
                    execute(sim, line.call, self._env.present_tools)
                    verifier.update()
                    if self._over():
                        break
            if self._sharp and slot >= self._last_slot:
                break
            outcome = sim.next_turn()
            ready = outcome == READY
            if outcome == ROUND_OVER:
                verifier.round_end()
                if self._over() or (not self._sharp and state.round > self._end_round):
                    break
                if not rest and state.round in self._rounds and self._joined(self._rounds[state.round]):
                    return self.actual
        return Outcome.of(verifier.verdict())

    def _joined(self, mark: _Mark) -> bool:
        """Returns whether the replay stands exactly where the recorded course stood, so that it must end alike."""
        # The first entry counts events, of which the replay may have fewer.
        return _alike(self._sim.state, mark.sim.state) and self._verifier.snapshot()[1:] == mark.verifier[1:]


def _alike(ours: State, theirs: State) -> bool:
    """Returns whether two states lead to the same future, whatever has been said or tried in vain before."""
    for mine, other in zip(ours.agents, theirs.agents, strict=True):
        if (
            mine.x != other.x
            or mine.y != other.y
            or mine.asleep != other.asleep
            or mine.hp != other.hp
            or mine.mana != other.mana
            or mine.status != other.status
            or mine.fought != other.fought
            or mine.bag != other.bag
            or mine.worn != other.worn
            or mine.xp != other.xp
        ):
            return False
    if ours.nodes != theirs.nodes or ours.ground != theirs.ground or ours.sites != theirs.sites:
        return False
    if ours.mobs.keys() != theirs.mobs.keys():
        return False
    return all(
        (mob.x, mob.y, mob.hp, mob.target, mob.dead_until, mob.hits, mob.attackers, mob.fought)
        == (them.x, them.y, them.hp, them.target, them.dead_until, them.hits, them.attackers, them.fought)
        for mob, them in ((mob, theirs.mobs[number]) for number, mob in ours.mobs.items())
    )
