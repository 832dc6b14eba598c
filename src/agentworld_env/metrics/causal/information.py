"""Information edges: messages that a reader acted on without knowing or seeing for itself what they named.

A message helps an action of a reader if it named what the action dealt with (its target, the kind of the target, the
item, the receiver) or the place where a walk led, and if that was news to the reader when it heard of it:

- it is the first to tell the reader so, and the reader had not said it itself;
- the reader's brief (title, objective, role, guide) does not name it;
- the reader could not see it from where it stood. Of a kind of node or mob, any one in sight will do; of an item, any
  unit in its bag, and any node, person or thing on the ground in sight that gives it.

What others want is never seen: an item that somebody names informs a hand-over of it to that same agent, though its
giver has the item. Quantities alone are too vague to count.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from agentworld_env.metrics.causal.briefing import Briefing
from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.log import Log
from agentworld_env.metrics.causal.loops import changes
from agentworld_env.sim.events import (
    AnyEvent,
    Crafted,
    Dropped,
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

if TYPE_CHECKING:
    from agentworld_env.world import World

_Tile = tuple[int, int]
_NEAR = RULES.transfer_reach
"""A walk leads to something if it ends so near (tiles)."""


class Word(NamedTuple):
    """How a reader first came to know a name.

    Attributes:
        source: The message, or -1 if the reader said it itself or has it from its brief.
        speaker: Who sent it.
        plain: Whether the reader saw or had such a thing when it heard of it.
    """

    source: int
    speaker: str
    plain: bool


class Hearing(NamedTuple):
    """That an action dealt with something which its agent had heard of, or spoken of, but not read in its brief.

    Attributes:
        action: The action.
        mention: What it dealt with.
        word: How its agent first came to know of it.
        news: Whether the action rests on the message that told it.
    """

    action: int
    mention: Mention
    word: Word
    news: bool


_KNOWN = Word(-1, "", True)


def information_edges(log: Log, briefing: Briefing | None = None) -> Iterator[Edge]:
    """Yields the information edges of an episode.

    Args:
        log: The episode.
        briefing: What agents know at the start; if None, nothing is known of it.
    """
    for hearing in hearings(log, briefing):
        if hearing.news:
            yield Edge(hearing.word.source, hearing.action, "information")


def hearings(log: Log, briefing: Briefing | None = None) -> Iterator[Hearing]:
    """Yields whatever actions dealt with that had been talked of before.

    Args:
        log: The episode.
        briefing: What agents know at the start; if None, nothing is known of it.
    """
    told: dict[str, dict[Mention, Word]] = {act.agent: {} for act in log.acts}
    places = _Places(log, briefing)
    sight = _Sight(places, briefing)
    for _, event in log.events:
        if isinstance(event, Said) and event.action >= 0:
            for mention in event.mentions:
                if event.agent in told:
                    # Who says a thing knows it, and cannot be told it any more.
                    told[event.agent].setdefault(mention, _KNOWN)
                for reader in event.heard:
                    words = told.setdefault(reader, {})
                    if mention not in words:
                        words[mention] = Word(
                            event.action, event.agent, sight.has(reader, mention, event.action)
                        )
            continue
        if event.action >= 0 and told[log.acts[event.action].agent]:
            agent = log.acts[event.action].agent
            walk = isinstance(event, Moved) and log.acts[event.action].tool == "move_character"
            yield from _heard(log, event, walk, told[agent], places, briefing)
        sight.note(event)


def _heard(
    log: Log,
    event: AnyEvent,
    walk: bool,
    words: dict[Mention, Word],
    places: _Places,
    briefing: Briefing | None,
) -> Iterator[Hearing]:
    """Yields what an event of an agent dealt with that had been talked of."""
    agent = log.acts[event.action].agent
    used = _used(event)
    if walk and isinstance(event, Moved):
        used = [(mention, at) for mention in words for at in _led_to(mention, event, places)]
    reach = RULES.sight_mobs if isinstance(event, Struck | Killed) else RULES.sight_people
    for mention, at in used:
        word = words.get(mention)
        if word is None or (briefing is not None and mention in briefing.named(agent)):
            continue
        if word.source < 0:
            known = True
        elif mention.kind == "item" and isinstance(event, Transferred):
            known = word.plain and event.to != word.speaker
        else:
            known = word.plain or places.sees(
                agent, word.source, at or _need(log, event.action, agent), reach
            )
        yield Hearing(event.action, mention, word, not known)


class _Sight:
    """What agents see and carry as an episode goes on, as far as the log and the world's map tell.

    Mobs are taken to stand at home.
    """

    def __init__(self, places: _Places, briefing: Briefing | None) -> None:
        self._places, self._briefing = places, briefing
        self._bags: dict[tuple[str, str], int] = {}
        self._ground: dict[str, tuple[str, _Tile]] = {}

    def note(self, event: AnyEvent) -> None:
        """Takes account of an event."""
        for holder, item, units in changes(event):
            self._bags[holder, item] = self._bags.get((holder, item), 0) + units
        if isinstance(event, Dropped):
            self._ground[event.ground] = event.item, (event.x, event.y)
        elif isinstance(event, PickedUp):
            self._ground.pop(event.ground, None)

    def has(self, reader: str, mention: Mention, when: int) -> bool:
        """Returns whether a reader has or sees such a thing before an action."""
        kind, key = mention.kind, mention.key
        if kind == "item":
            start = 0 if self._briefing is None else self._briefing.bags.get((reader, key), 0)
            if start + self._bags.get((reader, key), 0) > 0:
                return True
        elif kind not in ("node", "mob"):
            return False  # single things are looked for where they are used
        here = self._places.before(reader, when)
        if here is None:
            return False
        x, y = here
        if kind == "mob":
            spawns = _world().mob_spawns
            return any(spawns[n].kind == key for n in _world().mob_homes_near(x, y, RULES.sight_mobs))
        nodes, kinds = _world().nodes, _world().node_kinds
        near = (nodes[n].kind for _, n in _world().nodes_near(x, y, RULES.sight_nodes))
        if kind == "node":
            return key in near
        if any(kinds[each].gives == key for each in near):
            return True
        givers = [(npc.x, npc.y) for npc in _world().npcs.values() if any(o.give == key for o in npc.offers)]
        lying = [at for item, at in self._ground.values() if item == key]
        return any(self._places.sees(reader, when, at, RULES.sight_people) for at in (*givers, *lying))


class _Places:
    """Where agents stood when."""

    def __init__(self, log: Log, briefing: Briefing | None) -> None:
        self._steps, self._briefing = log.steps, briefing
        self._numbers = {agent: [step.number for step in steps] for agent, steps in log.steps.items()}

    def before(self, agent: str, number: int) -> _Tile | None:
        """Returns an agent's tile before an action, or None if it is not known."""
        steps = self._steps.get(agent)
        if not steps:
            return None if self._briefing is None else self._briefing.starts.get(agent)
        at = bisect_left(self._numbers[agent], number)
        return (steps[at - 1].x, steps[at - 1].y) if at else (steps[0].x0, steps[0].y0)

    def sees(self, agent: str, when: int, at: _Tile | None, reach: int) -> bool:
        """Returns whether something was in sight of an agent before an action; unknown places are out of sight."""
        here = self.before(agent, when)
        return here is not None and at is not None and abs(here[0] - at[0]) + abs(here[1] - at[1]) <= reach


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


def _led_to(mention: Mention, walk: Moved, places: _Places) -> list[_Tile]:
    """Returns where the named thing is, if a walk led to it from elsewhere."""
    if mention.kind == "place":
        box = _boxes().get(mention.key)
        if box is None or not _inside(box, walk.x, walk.y) or _inside(box, walk.x0, walk.y0):
            return []
        return [(min(max(walk.x0, box[0]), box[2]), min(max(walk.y0, box[1]), box[3]))]
    at: _Tile | None = None
    if mention.kind == "tile":
        x, _, y = mention.key.partition(",")
        at = int(x), int(y)
    elif mention.kind == "agent":
        at = places.before(mention.key, walk.action)
    elif mention.kind == "entity":
        at = _entities().get(mention.key)
    if at is None or abs(walk.x - at[0]) + abs(walk.y - at[1]) > _NEAR:
        return []
    return [at] if abs(walk.x0 - at[0]) + abs(walk.y0 - at[1]) > _NEAR else []


def _inside(box: tuple[int, int, int, int], x: int, y: int) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _need(log: Log, action: int, agent: str) -> _Tile | None:
    return next(((n.x, n.y) for n in log.needs.get(action, ()) if n.agent == agent), None)


def _world() -> World:
    from agentworld_env.world import load_world

    return load_world()


@cache
def _boxes() -> dict[str, tuple[int, int, int, int]]:
    return {place.key: (place.x0, place.y0, place.x1, place.y1) for place in _world().places.values()}


@cache
def _entities() -> dict[str, _Tile]:
    world = _world()
    found = {node.id: (node.x, node.y) for node in world.nodes}
    found |= {npc.id: (npc.x, npc.y) for npc in world.npcs.values()}
    found |= {spawn.id: (spawn.x, spawn.y) for spawn in world.mob_spawns}
    return found | {boss.id: (boss.x, boss.y) for boss in world.named_spawns.values()}
