"""Rehearsing plans: the same episode is played ahead in several styles, and the fastest is kept.

The planner is an upper reference with full sight, so it may look ahead; episodes are pure functions of their calls, so
that what it rehearses is what happens.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import msgspec

from agentworld_env.calls import Call
from agentworld_env.env import AgentWorldEnv
from agentworld_env.env.snapshot import EnvSnapshot
from agentworld_env.episodes.turns import step_on
from agentworld_env.planner.driver import Driver
from agentworld_env.planner.known import known_to
from agentworld_env.planner.plan import make_plan
from agentworld_env.planner.progress import PlanProgress
from agentworld_env.planner.style import CHOICES, Style
from agentworld_env.planner.team import Team
from agentworld_env.planner.tuning import other_hubs
from agentworld_env.sim import events as ev

_RELIEFS = 3
"""How often the last agent to finish is given less to do."""
_TRIES = 60
"""Most rehearsals of each refinement: other meeting places, other shares of the work."""
_EFFORT = 4_000
"""Turns that may be played in them."""
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
        done: dict[str, int] = {}
        for point in env.verdict().checkpoints:
            done.update(point.counts)
        self.plan = make_plan(env.task.spec, team, style, done)
        self._driver = Driver(team, self.plan, style)
        self._progress = PlanProgress(env.sim, self.plan)
        self._index = env.sim.index

    @property
    def course(self) -> str:
        """Everything that decides what will be done; equal courses are equal episodes."""
        style = self.style
        driving = (style.eager, style.home_first, style.portion, style.caution)
        return repr((self.plan.jobs, sorted(self.plan.hubs.items()), driving))

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


class Rating(NamedTuple):
    """How well a rehearsal went; the smaller the better.

    Attributes:
        failed: Whether the task was not solved.
        rounds: Rounds it took.
        missing: Checkpoints not reached.
        lacking: What is lacking of the graded progress.
        late: Sum of the rounds in which the checkpoints were reached.
        last: Index of the agent that acted last.
    """

    failed: bool
    rounds: int
    missing: int
    lacking: float
    late: int
    last: int


def rehearse(
    stage: AgentWorldEnv, start: EnvSnapshot, members: tuple[int, ...], style: Style, limit: int
) -> Rating:
    """Plays an episode to its end from a snapshot on.

    Args:
        stage: An environment to play in; what it held before is lost.
        start: Where to start from.
        members: Who takes part.
        style: How they work.
        limit: Rounds after which to give up.
    """
    stage.restore(start)
    return _play_out(stage, Performance(stage, members, style), limit)


def _play_out(stage: AgentWorldEnv, performance: Performance, limit: int) -> Rating:
    last = stage.agent_selection
    pulse = Pulse(stage)
    while not stage.is_over and stage.round <= limit and not pulse.stalled():
        last = stage.agent_selection
        step_on(stage, performance.call(last))
    verdict = stage.verdict()
    missing = sum(not point.reached for point in verdict.checkpoints)
    late = sum(point.round for point in verdict.checkpoints)
    return Rating(
        not verdict.success, stage.round, missing, 1 - verdict.progress, late, stage.sim.index[last]
    )


class _Search:
    """The search for the fastest style, from one moment of an episode on.

    Args:
        env: The environment; it is left as it is.
        members: Indices of the agents that take part.
        any_success: Whether to be content with the first style that solves the task.
    """

    def __init__(self, env: AgentWorldEnv, members: tuple[int, ...], *, any_success: bool) -> None:
        self._stage = env.stage()
        self._start = env.snapshot()
        self._members = members
        self._limit = env.max_rounds
        self._any_success = any_success
        self.style = Style()
        performance = self._prepare(self.style)
        self._courses = {performance.course}
        self.best = _play_out(self._stage, performance, self._limit)

    @property
    def over(self) -> bool:
        """Whether nothing better is wanted."""
        return self._any_success and not self.best.failed

    def _prepare(self, style: Style) -> Performance:
        self._stage.restore(self._start)
        return Performance(self._stage, self._members, style)

    def compare(self, **changes: Any) -> bool:
        """Rehearses the best style with some changes and keeps what is better; tells whether that is the new one."""
        if self.over:
            return False
        other = msgspec.structs.replace(self.style, **changes)
        performance = self._prepare(other)
        course = performance.course
        if course in self._courses:
            return False
        self._courses.add(course)
        limit = self._limit if self.best.failed else self.best.rounds
        score = _play_out(self._stage, performance, limit)
        if score[:5] >= self.best[:5]:
            return False
        self.style, self.best = other, score
        return True

    def choose(self) -> None:
        """Tries all choices one after the other, each with what has proved best so far."""
        for field, values in CHOICES:
            for value in values:
                if value != getattr(self.style, field):
                    self.compare(**{field: value})

    def relieve(self) -> None:
        """Gives less to do to whoever was last."""
        tried: set[tuple[tuple[int, int], ...]] = set()
        for _ in range(_RELIEFS):
            handicaps = dict(self.style.handicaps)
            handicaps[self.best.last] = handicaps.get(self.best.last, 0) + _RELIEF
            changed = tuple(sorted(handicaps.items()))
            if changed in tried:
                return
            tried.add(changed)
            self.compare(handicaps=changed)

    def _tries(self) -> int:
        """Returns how many rehearsals a refinement may take: the fewer, the longer they are."""
        return min(_TRIES, _EFFORT // (self.best.rounds * len(self._members)))

    def shift(self) -> None:
        """Gives less, or more, to do to one agent after the other."""
        most = len(self._courses) + self._tries()
        for turns in (2, -2, 5):
            for i in self._members:
                if len(self._courses) >= most:
                    return
                handicaps = dict(self.style.handicaps)
                handicaps[i] = handicaps.get(i, 0) + turns
                self.compare(handicaps=tuple(sorted(handicaps.items())))

    def move(self) -> None:
        """Moves meeting places as long as that helps and pays."""
        left = self._tries()
        moved = True
        while moved and left > 0:
            self._stage.restore(self._start)
            team = Team(self._stage.sim, self._members, known_to(self._stage.task))
            plan = make_plan(self._stage.task.spec, team, self.style)
            moved = False
            for hubs in list(islice(other_hubs(team, plan), left)):
                left -= 1
                if self.compare(hubs=hubs):
                    moved = True
                    break


def best_style(env: AgentWorldEnv, members: tuple[int, ...], *, any_success: bool = False) -> Style:
    """Returns the style in which a team is fastest from the present moment on; ``env`` is left as it is.

    Choices are tried one after the other; then whoever was last is relieved, meeting places are moved, and work is
    shifted from one agent to another.

    Args:
        env: The environment.
        members: Indices of the agents that take part.
        any_success: Whether to be content with the first style that solves the task.
    """
    search = _Search(env, members, any_success=any_success)
    search.choose()
    search.relieve()
    if search.best.failed or search.over:
        return search.style
    search.move()
    search.shift()
    return search.style
