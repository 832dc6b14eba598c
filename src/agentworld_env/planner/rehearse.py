"""Rehearsing plans: the same episode is played ahead in several styles, and the fastest is kept.

The planner is an upper reference with full sight, so it may look ahead; episodes are pure functions of their calls, so
that what it rehearses is what happens.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.env.aec import EnvSnapshot
from agentworld_env.planner.driver import Driver
from agentworld_env.planner.fighting import Call
from agentworld_env.planner.known import known_to
from agentworld_env.planner.plan import make_plan
from agentworld_env.planner.progress import Progress
from agentworld_env.planner.style import CHOICES, Style
from agentworld_env.planner.team import Team
from agentworld_env.sim import events as ev

_RELIEFS = 3
"""How often the last agent to finish is given less to do."""
_RELIEF = 3
"""Turns it is then taken to be busier."""

_STALLED = 6
"""Rounds without anything happening after which a plan has come to nothing."""
_QUIET = (ev.Slept, ev.Woke, ev.Said, ev.Hurt, ev.Regained, ev.Consumed)
"""Events that are no progress."""
_FRUITLESS = 20
"""Rounds without any work done after which a plan has come to nothing, however much is walked and fought."""
_WORK = (ev.Harvested, ev.Crafted, ev.Transferred, ev.Bartered, ev.Killed, ev.Travelled)
"""Events that bring a task forward."""
_PATIENT = ("held_for_rounds", "survived_until")
"""Kinds of checkpoints that are reached by waiting."""

PASS: Call = {"tool": "sleep", "arguments": {"rounds": 1}}


class Performance:
    """One plan and its execution in one environment, from its present moment on.

    Args:
        env: The environment.
        members: Indices of the agents that take part; the others sleep.
        style: How they work.
    """

    def __init__(self, env: AgentWorldEnv, members: tuple[int, ...], style: Style) -> None:
        self.members = frozenset(members)
        self.style = style
        team = Team(env.sim, members, known_to(env.task))
        done = {point.label: point.have for point in env.verdict().checkpoints}
        self.plan = make_plan(env.task.spec, team, style, done)
        self._driver = Driver(team, self.plan, style)
        self._progress = Progress(env.sim, self.plan)
        self._index = env.sim.index

    def call(self, agent: str) -> Call:
        """Returns the next call of an agent whose turn it is."""
        self._progress.catch_up()
        number = self._index[agent]
        return self._driver.next_call(number) if number in self.members else PASS


class Pulse:
    """Notices when nothing happens any more.

    Args:
        env: The environment to watch from its present moment on.
    """

    def __init__(self, env: AgentWorldEnv) -> None:
        self._env = env
        self._cursor = len(env.sim.state.events)
        self._moved = env.round
        self._worked = env.round

    def stalled(self) -> bool:
        """Returns whether for some rounds nothing has happened, although there is more to do than wait."""
        state = self._env.sim.state
        for event in state.events[self._cursor :]:
            if not isinstance(event, _QUIET):
                self._moved = state.round
            if isinstance(event, _WORK):
                self._worked = state.round
        self._cursor = len(state.events)
        if state.round - self._moved <= _STALLED and state.round - self._worked <= _FRUITLESS:
            return False
        return any(
            not point.reached and point.kind not in _PATIENT for point in self._env.verdict().checkpoints
        )


class Score(NamedTuple):
    """How well a rehearsal went; the smaller the better.

    Attributes:
        failed: Whether the task was not solved.
        rounds: Rounds it took.
        missing: Checkpoints not reached.
        lacking: What is lacking of the graded progress.
        last: Index of the agent that acted last.
    """

    failed: bool
    rounds: int
    missing: int
    lacking: float
    last: int


def rehearse(
    stage: AgentWorldEnv, start: EnvSnapshot, members: tuple[int, ...], style: Style, limit: int
) -> Score:
    """Plays an episode to its end from a snapshot on.

    Args:
        stage: An environment to play in; what it held before is lost.
        start: Where to start from.
        members: Who takes part.
        style: How they work.
        limit: Rounds after which to give up.
    """
    stage.restore(start)
    performance = Performance(stage, members, style)
    last = stage.agent_selection
    pulse = Pulse(stage)
    while not stage.is_over and stage.round <= limit and not pulse.stalled():
        last = stage.agent_selection
        stage.step(performance.call(last))
    verdict = stage.verdict()
    missing = sum(not point.reached for point in verdict.checkpoints)
    return Score(not verdict.success, stage.round, missing, 1 - verdict.progress, stage.sim.index[last])


def best_style(env: AgentWorldEnv, members: tuple[int, ...], *, any_success: bool = False) -> Style:
    """Returns the style in which a team is fastest from the present moment on; ``env`` is left as it is.

    Choices are tried one after the other, each with what has proved best so far; then whoever was last is relieved.

    Args:
        env: The environment.
        members: Indices of the agents that take part.
        any_success: Whether to be content with the first style that solves the task.
    """
    stage = AgentWorldEnv(env.task, setting=env.setting.name)
    start = env.snapshot()
    style = Style()
    best = rehearse(stage, start, members, style, env.max_rounds)

    def compare(**changes: Any) -> None:
        nonlocal style, best
        if any_success and not best.failed:
            return
        other = msgspec.structs.replace(style, **changes)
        limit = env.max_rounds if best.failed else best.rounds - 1
        score = rehearse(stage, start, members, other, limit)
        if score[:4] < best[:4]:
            style, best = other, score

    for field, values in CHOICES:
        for value in values:
            if value != getattr(style, field):
                compare(**{field: value})
    tried: set[tuple[tuple[int, int], ...]] = set()
    for _ in range(_RELIEFS):
        handicaps = dict(style.handicaps)
        handicaps[best.last] = handicaps.get(best.last, 0) + _RELIEF
        changed = tuple(sorted(handicaps.items()))
        if changed in tried:
            break
        tried.add(changed)
        compare(handicaps=changed)
    return style
