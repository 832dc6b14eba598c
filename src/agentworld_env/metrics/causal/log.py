"""An episode's turns, read once and sorted for the rules that draw causal edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec

from agentworld_env.episodes.record import TurnLine
from agentworld_env.errors import EpisodeFileError
from agentworld_env.sim.events import AnyEvent, Moved, Need, Slept, Travelled, Woke

_HARMLESS = ("", "limit", "blocked")
"""Why walks end, other than that a mob noticed the walker."""


class Land(Protocol):
    """What the rules ask about walking; ``World.paths`` answers it."""

    def connected(self, x0: int, y0: int, x1: int, y1: int) -> bool:
        """Returns whether one can walk from one tile to another."""

    def distance(self, x0: int, y0: int, x1: int, y1: int) -> int | None:
        """Returns the length of the way between two tiles (tiles), or None if there is none."""


class Act(msgspec.Struct, frozen=True, gc=False):
    """One action: a call and whether it did what it was for.

    Attributes:
        number: Number of the call, from 0.
        round: Round, from 1.
        agent: Who called.
        tool: Name of the tool, or empty if the call names none.
        arguments: Arguments of the call, or empty if they were malformed.
        ok: Whether it succeeded.
    """

    number: int
    round: int
    agent: str
    tool: str
    arguments: Mapping[str, Any]
    ok: bool


class Step(msgspec.Struct, frozen=True, gc=False):
    """One change of an agent's place, by walking or through a portal, inside whatever call.

    Attributes:
        number: The call it happened in.
        x0: Column before (tiles).
        y0: Row before.
        x: Column after.
        y: Row after.
        portal: Whether it led through a portal.
        needs: What the call needed of the agent's place.
        noticed: Id of the mob that noticed the agent, which ended the walk; or empty.
    """

    number: int
    x0: int
    y0: int
    x: int
    y: int
    portal: bool
    needs: tuple[Need, ...]
    noticed: str = ""


class Log:
    """The turns of one episode.

    Args:
        lines: The turn lines, complete from the first on.

    Attributes:
        acts: The actions by number.
        events: (number of the action on whose line it stands, event), in order. The world's own events stand on the
            line of the call that ended the round.
        steps: Agent -> its changes of place, in order.
        needs: Action -> what it needed of places, for actions that did.

    Raises:
        EpisodeFileError: If the action numbers do not count from 0 without a gap.
    """

    __slots__ = ("acts", "events", "needs", "steps")

    def __init__(self, lines: Iterable[TurnLine]) -> None:
        acts: list[Act] = []
        self.events: list[tuple[int, AnyEvent]] = []
        self.steps: dict[str, list[Step]] = {}
        self.needs: dict[int, tuple[Need, ...]] = {}
        for expected, line in enumerate(lines):
            if line.action != expected:
                raise EpisodeFileError(f"turn line {expected} bears action number {line.action}")
            acts.append(_act(line))
            if line.result.needs:
                self.needs[expected] = line.result.needs
            for event in line.events:
                self.events.append((expected, event))
                if isinstance(event, Moved | Travelled):
                    self.steps.setdefault(event.agent, []).append(_step(line, event))
        self.acts: tuple[Act, ...] = tuple(acts)

    def with_events(self, events: list[tuple[int, AnyEvent]]) -> Log:
        """Returns the same episode with other events; everything else is shared."""
        other = Log(())
        other.acts, other.steps, other.needs, other.events = self.acts, self.steps, self.needs, events
        return other


def tool_of(call: Any) -> str:
    """Returns the tool that a call names, or an empty string if it names none."""
    tool = call.get("tool") if isinstance(call, Mapping) else None
    return tool if isinstance(tool, str) else ""


def rounds_asleep(log: Log) -> dict[str, set[int]]:
    """Returns agent -> the rounds at whose ends it slept, so that it regained more."""
    found: dict[str, set[int]] = {}
    for _, event in log.events:
        if isinstance(event, Slept):
            found.setdefault(event.agent, set()).update(range(event.round, event.round + event.rounds))
        elif isinstance(event, Woke):
            found[event.agent] = {round_ for round_ in found.get(event.agent, ()) if round_ < event.round}
    return found


def noticed_by(walk: Moved) -> str:
    """Returns the id of the mob that noticed a walker and ended the walk, or an empty string."""
    return "" if walk.stopped in _HARMLESS else walk.stopped


def _act(line: TurnLine) -> Act:
    arguments = line.call.get("arguments") if isinstance(line.call, Mapping) else None
    return Act(
        line.action,
        line.round,
        line.agent,
        tool_of(line.call),
        arguments if isinstance(arguments, Mapping) else {},
        line.result.ok,
    )


def _step(line: TurnLine, event: Moved | Travelled) -> Step:
    own = tuple(need for need in line.result.needs if need.agent == event.agent)
    portal = isinstance(event, Travelled)
    noticed = noticed_by(event) if isinstance(event, Moved) else ""
    return Step(line.action, event.x0, event.y0, event.x, event.y, portal, own, noticed)
