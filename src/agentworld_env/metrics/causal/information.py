"""Information edges: messages that a reader acted on without being able to see for itself what they named.

A message helps an action of a reader if it named what the action dealt with (its target, the kind of the
target, the item, the receiver) or the place where a walk led, if it was the first to tell the reader so,
and if the reader could not see that thing from where it stood when it heard of it. What others carry and
want is never seen, so naming an item always informs. Quantities alone are too vague to count.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cache

from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.log import Log, Step
from agentworld_env.sim.events import (
    Crafted,
    Harvested,
    Killed,
    Mention,
    Moved,
    PickedUp,
    Said,
    Struck,
    Transferred,
)
from agentworld_env.sim.rules import RULES

_Tile = tuple[int, int]
_NEAR = RULES.transfer_reach
"""A walk leads to something if it ends so near (tiles)."""


def information_edges(log: Log) -> Iterator[Edge]:
    """Yields the information edges of an episode.

    Args:
        log: The episode.
    """
    told: dict[str, dict[Mention, int | None]] = {act.agent: {} for act in log.acts}
    steps = {agent: _Steps(of_agent) for agent, of_agent in log.steps.items()}
    for _, event in log.events:
        if event.action < 0:
            continue
        if isinstance(event, Said):
            for mention in event.mentions:
                if event.agent in told:
                    # Who says a thing knows it, and cannot be told it any more.
                    told[event.agent].setdefault(mention, None)
                for reader in event.heard:
                    told.setdefault(reader, {}).setdefault(mention, event.action)
            continue
        agent = log.acts[event.action].agent
        if not told[agent]:
            continue
        used = _used(event)
        if isinstance(event, Moved) and log.acts[event.action].tool == "move_character":
            used = [(mention, at) for mention in told[agent] for at in _led_to(mention, event, steps)]
        for mention, at in used:
            source = told[agent].get(mention)
            if source is None:
                continue
            if mention.kind != "item" and _saw(
                steps.get(agent), source, at or _need(log, event.action, agent)
            ):
                continue
            yield Edge(source, event.action, "information")


class _Steps:
    """Where an agent stood when."""

    __slots__ = ("_numbers", "_steps")

    def __init__(self, steps: list[Step]) -> None:
        self._steps = steps
        self._numbers = [step.number for step in steps]

    def before(self, number: int) -> _Tile:
        """Returns the tile before an action."""
        at = bisect_left(self._numbers, number)
        if at == 0:
            return self._steps[0].x0, self._steps[0].y0
        return self._steps[at - 1].x, self._steps[at - 1].y


def _used(event: object) -> list[tuple[Mention, _Tile | None]]:
    """Returns what an event dealt with; where it is follows from the action's need."""
    if isinstance(event, Harvested):
        kind = event.node.rpartition("-")[0]
        found = [Mention("entity", event.node), Mention("node", kind), Mention("item", event.item)]
    elif isinstance(event, Struck):
        found = [Mention("entity", event.mob), Mention("mob", event.mob.rpartition("-")[0])]
    elif isinstance(event, Killed):
        found = [Mention("mob", event.kind)]
    elif isinstance(event, PickedUp):
        found = [Mention("entity", event.ground), Mention("item", event.item)]
    elif isinstance(event, Transferred):
        found = [Mention("agent", event.to), Mention("entity", event.to), Mention("item", event.item)]
    elif isinstance(event, Crafted):
        found = [Mention("item", event.item)]
    else:
        found = []
    return [(mention, None) for mention in found]


def _led_to(mention: Mention, walk: Moved, steps: dict[str, _Steps]) -> list[_Tile]:
    """Returns where the named thing is, if a walk led to it from elsewhere."""
    if mention.kind == "place":
        box = _places().get(mention.key)
        if box is None or not _inside(box, walk.x, walk.y) or _inside(box, walk.x0, walk.y0):
            return []
        return [(min(max(walk.x0, box[0]), box[2]), min(max(walk.y0, box[1]), box[3]))]
    at: _Tile | None = None
    if mention.kind == "tile":
        x, _, y = mention.key.partition(",")
        at = int(x), int(y)
    elif mention.kind == "agent" and mention.key in steps:
        at = steps[mention.key].before(walk.action)
    elif mention.kind == "entity":
        at = _entities().get(mention.key)
    if at is None or abs(walk.x - at[0]) + abs(walk.y - at[1]) > _NEAR:
        return []
    return [at] if abs(walk.x0 - at[0]) + abs(walk.y0 - at[1]) > _NEAR else []


def _inside(box: tuple[int, int, int, int], x: int, y: int) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _need(log: Log, action: int, agent: str) -> _Tile | None:
    return next(((n.x, n.y) for n in log.needs.get(action, ()) if n.agent == agent), None)


def _saw(reader: _Steps | None, when: int, at: _Tile | None) -> bool:
    """Returns whether something was in sight of a reader; unknown places count as out of sight."""
    if reader is None or at is None:
        return False
    x, y = reader.before(when)
    return abs(x - at[0]) + abs(y - at[1]) <= RULES.sight_people


@cache
def _places() -> dict[str, tuple[int, int, int, int]]:
    from agentworld_env.world import load_world

    return {place.key: (place.x0, place.y0, place.x1, place.y1) for place in load_world().places.values()}


@cache
def _entities() -> dict[str, _Tile]:
    from agentworld_env.world import load_world

    world = load_world()
    found = {node.id: (node.x, node.y) for node in world.nodes}
    found |= {npc.id: (npc.x, npc.y) for npc in world.npcs.values()}
    found |= {spawn.id: (spawn.x, spawn.y) for spawn in world.mob_spawns}
    return found | {boss.id: (boss.x, boss.y) for boss in world.named_spawns.values()}
