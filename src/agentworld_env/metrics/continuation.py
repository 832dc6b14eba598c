"""How a failed episode would have gone on: the planner plays its team from where the record ends.

What a failed team has done so far serves something only if it can be told what it would have served: ore for a bar that
was never made, an agent that stands where the next hand-over will be, damage that still stands. So the team is taken
over, as it is, by the planner, which plays without the task's limit of rounds. Whatever its success then rests on was
work in progress; what it has no need of was not, however much there is of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from agentworld_env.calls import Call
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes.record import TurnLine
from agentworld_env.planner.rehearse import Performance, Pulse
from agentworld_env.planner.style import Style
from agentworld_env.sim import ACTIVE, DEAD, READY, ROUND_OVER, AgentState, Simulation
from agentworld_env.sim.combat import pickup, remains
from agentworld_env.sim.events import AnyEvent, Result
from agentworld_env.tools import execute
from agentworld_env.verifiers import Verdict

_PLANS = 4
"""Most plans that are made, each once the one before has come to nothing."""
_ROUNDS = 500
"""Most rounds that are played on: as many as any task can have."""
_CALLS = 20_000
"""Most calls that are played on: several times what the largest shipped teams need, a second or two for any other."""
_STYLE = Style(reuses=True)
"""How the team works: what it has made is not made again."""


class Continuation(NamedTuple):
    """What was played after the end of a record.

    Attributes:
        lines: Turns, numbered on from the record's last; no state hashes are taken of them.
        verdict: The verdict after them. Constraints that the record had broken stay broken in it.
        complete: Whether every checkpoint is reached by then.
        failure: What a ``python`` checkpoint raised, which ended it; empty if none did.
    """

    lines: tuple[TurnLine, ...]
    verdict: Verdict
    complete: bool
    failure: str = ""


def play_on(env: AgentWorldEnv) -> Continuation:
    """Lets the planner play on until every checkpoint is reached, or its plans come to nothing.

    The team goes on with all that it has, where it stands. Neither the task's limit of rounds nor broken constraints
    end the episode any more. Whoever has left comes back, and whoever has died gets up again where it fell, whole, and
    takes up what still lies there of its things: whether others' work was for something does not depend on who could no
    longer finish it. A ``python`` checkpoint is asked in rounds beyond the task's; if it raises there, the play ends,
    and what was counted by then stands.

    Args:
        env: The environment at the end of the episode, or at any moment of it; it is left as it is.
    """
    stage = env.stage()
    moment = env.snapshot()
    fallen = _bring_back(stage.sim, moment.sim.state.agents)
    stage.restore(moment)
    played = _Play(stage, len(env.sim.state.events))
    for number in fallen:
        played.take_up_again(number)
    complete = played.out(ready=not env.is_over)
    return Continuation(tuple(played.lines), stage.verdict(), complete, played.failure)


def played_on(env: AgentWorldEnv) -> Continuation:
    """Returns what ``play_on`` does, played once per moment and kept while the environment is in use.

    Figures by several methods then cost the planner once.

    Args:
        env: The environment, as for ``play_on``.
    """
    moment = (env.state_hash(), len(env.sim.state.events), env.is_over)
    kept = _kept.get(env)
    if kept is None or kept[0] != moment:
        kept = _kept[env] = (moment, play_on(env))
    return kept[1]


_kept: WeakKeyDictionary[AgentWorldEnv, tuple[tuple[str, int, bool], Continuation]] = WeakKeyDictionary()
"""Environment -> the moment from which it was last played on, and what was played, which follows from that moment."""


def _bring_back(sim: Simulation, agents: list[AgentState]) -> list[int]:
    """Brings all agents back into an episode.

    Args:
        sim: A simulation of the episode's set-up.
        agents: The agents' states, which are changed.

    Returns:
        The indices of those that had died.
    """
    fallen = []
    for number, agent in enumerate(agents):
        if agent.status == DEAD:
            agent.hp = sim.max_hp[number]
            fallen.append(number)
        agent.status = ACTIVE
    return fallen


class _Play:
    """Plays turns on a stage, and keeps them.

    Args:
        stage: The environment to play in, at the end of the record.
        read: Number of events of the record.
    """

    def __init__(self, stage: AgentWorldEnv, read: int) -> None:
        self._stage = stage
        self._read = read
        self._early: tuple[AnyEvent, ...] = ()
        points = stage.task.spec.checkpoints
        self._python = any(point.kind == "python" for point in points)
        self.lines: list[TurnLine] = []
        self.failure = ""

    def take_up_again(self, number: int) -> None:
        """Gives an agent back what still lies where it fell. It needs no walk for that: it has not gone anywhere."""
        sim = self._stage.sim
        turn, name = sim.state.turn, sim.names[number]
        sim.state.turn = number
        for key in [key for key, (item, *_) in sim.state.ground.items() if key == remains(name, item)]:
            arguments = {"target": key}
            result = sim.perform("pickup_item", arguments, pickup, key)
            self._keep(
                {"tool": "pickup_item", "arguments": arguments},
                Result(result.ok, result.code, result.reason, result.hint),
            )
        sim.state.turn = turn

    def out(self, *, ready: bool) -> bool:
        """Plays on until every checkpoint is reached, or the plans come to nothing.

        Args:
            ready: Whether it is somebody's turn at present, who has not acted yet.

        Returns:
            Whether every checkpoint was reached.
        """
        stage, sim, verifier = self._stage, self._stage.sim, self._stage.verifier
        last = sim.state.round + _ROUNDS
        self._judge(verifier.update)
        for _ in range(_PLANS):
            members = tuple(i for i, agent in enumerate(sim.state.agents) if agent.status == ACTIVE)
            if not members or self._over(last):
                break
            performance, pulse = Performance(stage, members, _STYLE), Pulse(stage)
            while not self._over(last, ask=False) and not pulse.stalled():
                outcome = READY if ready else sim.next_turn()
                ready = False
                if outcome == ROUND_OVER:
                    self._judge(verifier.round_end)
                elif outcome == READY:
                    call = performance.call(sim.names[sim.state.turn])
                    self._keep(call, execute(sim, call, stage.present_tools))
                    self._judge(verifier.update)
                if outcome in (ROUND_OVER, READY) and self._complete():
                    break
        self._keep_world(len(sim.state.events))
        return self._complete()

    def _over(self, last: int, *, ask: bool = True) -> bool:
        """Returns whether a bound is reached, a checkpoint has raised or, if that is asked, every one is reached."""
        if self._stage.sim.state.round > last or len(self.lines) >= _CALLS or self.failure:
            return True
        return ask and self._complete()

    def _judge(self, judge: Callable[[], object]) -> None:
        """Lets the verifier judge; what a user's own checkpoint raises ends the play, anything else is a fault."""
        try:
            judge()
        except Exception as error:
            if not self._python:
                raise
            self.failure = f"{type(error).__name__}: {error}"

    def _complete(self) -> bool:
        verifier, points = self._stage.verifier, len(self._stage.task.spec.checkpoints)
        # A broken constraint keeps the PSR of a complete task at one checkpoint less; verdicts take time.
        near = round(verifier.psr * points) >= points - 1
        return near and all(point.reached for point in verifier.verdict().checkpoints)

    def _keep(self, call: Call, result: Result) -> None:
        """Adds the line of the call that was just made."""
        sim = self._stage.sim
        last = sim.state.agents[sim.state.turn].last
        assert last is not None
        self._keep_world(last.first)
        self.lines.append(
            TurnLine(
                action=last.action,
                round=last.round,
                agent=sim.names[sim.state.turn],
                call=call,
                result=result,
                events=(*self._early, *self._news(last.end)),
                hash="",
            )
        )
        self._early = ()

    def _keep_world(self, end: int) -> None:
        """Puts what the world has done by itself on the line of the call before, as records do."""
        news = self._news(end)
        if self.lines and news:
            self.lines[-1] = msgspec.structs.replace(self.lines[-1], events=(*self.lines[-1].events, *news))
        elif news:
            self._early += news

    def _news(self, end: int) -> tuple[AnyEvent, ...]:
        news = tuple(self._stage.sim.state.events[self._read : end])
        self._read = end
        return news  # type: ignore[return-value]
