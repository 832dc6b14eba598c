"""What one agent sees at one moment, cut to the rows that features and the action menu have."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentworld_env.env.features.layout import (
    CRAFTS,
    GROUND,
    LANDMARKS,
    MATES,
    MESSAGES,
    MOBS,
    NODES,
    PEOPLE,
    PORTALS,
    TRADES,
)
from agentworld_env.env.legal import LISTERS
from agentworld_env.env.seen import SeenGround, SeenMob
from agentworld_env.env.view import View
from agentworld_env.sim.events import Said
from agentworld_env.sim.state import ACTIVE
from agentworld_env.world.catalogue import Npc, Portal

OWN_NODES = 3
"""So many nodes are listed of each kind that the agent can harvest; of other kinds only the nearest."""

_OWN_ROWS = 18
"""At most so many rows for nodes within the agent's skill, so that some are left for the others."""

_PEOPLE_TOLD = 3
_PRICES_TOLD = 2


class NodeRow(NamedTuple):
    """A resource node in sight that gives now."""

    distance: int
    number: int
    able: bool
    more: int


class Trade(NamedTuple):
    """What somebody takes, and what for.

    Attributes:
        take: Item taken.
        units: Units of one deal; of a site or collector, units it still wants, which may be 0.
        give: Item given in return, or empty.
        gives: Units given for one deal.
    """

    take: str
    units: int
    give: str = ""
    gives: int = 0


class PersonRow(NamedTuple):
    """A person or site in sight. What it trades is only told of the nearest and of sites."""

    distance: int
    person: Npc
    trades: tuple[Trade, ...]


class CraftRow(NamedTuple):
    """Something that the agent can make now, and the most times that one call can make it."""

    skill: str
    item: str
    most: int


class Sight:
    """One agent's rows at one moment. It is read at once, so that it never goes stale.

    Args:
        view: The agent's view.
        can_craft: Whether the tool for crafting exists now.
    """

    __slots__ = (
        "acts", "awake", "bag", "crafts", "free", "ground", "held", "mate_names", "mates", "messages", "mob_ids",
        "mobs", "new_messages", "nodes", "people", "portals", "targets", "view", "worn", "x", "y",
    )  # fmt: skip

    def __init__(self, view: View, can_craft: bool = True) -> None:
        me, sim = view.me, view.sim
        x, y, is_walkable = me.x, me.y, sim.world.is_walkable
        self.view = view
        self.x, self.y = x, y
        self.acts = me.status == ACTIVE
        self.awake = not me.asleep or _wakes(view)
        # Whether the tiles to the east, west, south and north are free.
        self.free = (
            is_walkable(x + 1, y),
            is_walkable(x - 1, y),
            is_walkable(x, y + 1),
            is_walkable(x, y - 1),
        )
        self.bag: list[tuple[str, int]] = [
            (item, sum([lot[2] for lot in lots])) for item, lots in me.bag.items()
        ]
        self.held = dict(self.bag)
        self.worn = {slot: piece[0] for slot, piece in me.worn.items()}
        self.nodes: list[NodeRow] = _nodes(view)
        self.mobs: tuple[SeenMob, ...] = view.listed_mobs[:MOBS]
        self.mob_ids = [sim.spec(mob.number).id for mob in self.mobs]
        self.mates: list[tuple[int, str, int]] = view.mate_rows
        # Row of each team-mate in sight: the others in turn order.
        self.mate_names = {i - (i > view.agent): name for _, name, i in self.mates}
        self.people: list[PersonRow] = _people(view)
        self.portals: tuple[tuple[int, Portal], ...] = view.portals[:PORTALS]
        self.ground: tuple[SeenGround, ...] = view.ground[:GROUND]
        self.crafts: list[CraftRow] = _crafts(view) if can_craft and self.acts else []
        self.messages: tuple[Said, ...] = view.messages[-MESSAGES:]
        self.new_messages = min(view.new_messages, len(self.messages))
        self.targets = self._targets()

    def _targets(self) -> list[tuple[int, int] | None]:
        """Returns the tile of every row that can be walked to, None for empty rows: nodes, mobs, mates, people, ..."""
        view = self.view
        tiles, agents = view.sim.world.node_tiles, view.sim.state.agents
        found: list[tuple[int, int] | None] = list(_NOWHERE)
        found[: len(self.nodes)] = [tiles[row[1]] for row in self.nodes]
        if self.mobs:
            found[NODES : NODES + len(self.mobs)] = [(mob.x, mob.y) for mob in self.mobs]
        me = view.agent
        for _, _, i in self.mates:
            found[_TO_MATE + i - (i > me)] = (agents[i].x, agents[i].y)
        if self.people:
            found[_TO_PERSON : _TO_PERSON + len(self.people)] = [(p.x, p.y) for _, p, _ in self.people]
        if self.portals:
            found[_TO_PORTAL : _TO_PORTAL + len(self.portals)] = [(p.x, p.y) for _, p in self.portals]
        if self.ground:
            found[_TO_GROUND : _TO_GROUND + len(self.ground)] = [(g.x, g.y) for g in self.ground]
        marks = view.landmarks[:LANDMARKS]
        if marks:
            found[_TO_LANDMARK : _TO_LANDMARK + len(marks)] = [(x, y) for _, x, y in marks]
        return found


_TO_MATE = NODES + MOBS
_TO_PERSON = _TO_MATE + MATES
_TO_PORTAL = _TO_PERSON + PEOPLE
_TO_GROUND = _TO_PORTAL + PORTALS
_TO_LANDMARK = _TO_GROUND + GROUND
_NOWHERE = (None,) * (_TO_LANDMARK + LANDMARKS)


def _wakes(view: View) -> bool:
    """Returns whether a sleeper is awake when its next turn comes; its turn of this round may have passed already."""
    me, state = view.me, view.sim.state
    slept = view.agent < state.turn and me.last is not None and me.last.round < state.round
    return me.asleep == 1 and not slept


def _nodes(view: View) -> list[NodeRow]:
    sim, agent = view.sim, view.agent
    kinds, skills = sim.world.node_kinds, sim.skills[agent]
    own: list[NodeRow] = []
    others: list[NodeRow] = []
    for seen in view.nodes:
        kind = kinds[seen.kind]
        # An agent without the skill is the common case, and dear to ask for in full.
        if kind.skill in skills and sim.level(agent, kind.skill) >= kind.level:
            more = seen.more + max(len(seen.nearest) - OWN_NODES, 0)
            own += [NodeRow(distance, number, True, more) for distance, number in seen.nearest[:OWN_NODES]]
        elif seen.nearest:
            distance, number = seen.nearest[0]
            others.append(NodeRow(distance, number, False, seen.more + len(seen.nearest) - 1))
    return [*own[:_OWN_ROWS], *others][:NODES]


def _people(view: View) -> list[PersonRow]:
    rows: list[PersonRow] = []
    told = 0
    for distance, person in view.people:
        site = person.role == "site"
        if told >= _PEOPLE_TOLD and not site:
            continue
        near = told < _PRICES_TOLD or site or distance <= view.sim.rules.transfer_reach
        rows.append(PersonRow(distance, person, trades_of(view, person) if near else ()))
        told += 1
        if len(rows) == PEOPLE:
            break
    return rows


def trades_of(view: View, person: Npc) -> tuple[Trade, ...]:
    """Returns what a person or site trades now, at most ``TRADES`` lines."""
    if person.offers:
        return tuple([Trade(o.take, o.take_count, o.give, o.give_count) for o in person.offers[:TRADES]])
    got: dict[str, int] = view.sim.state.sites.get(person.id, {})
    return tuple(
        [Trade(item, wanted - got.get(item, 0)) for item, wanted in list(person.wants.items())[:TRADES]]
    )


def _crafts(view: View) -> list[CraftRow]:
    rows: dict[str, CraftRow] = {}
    arguments: dict[str, Any]
    for arguments in LISTERS["craft_item"](view):
        item, skill, count = arguments["item"], arguments["skill"], arguments["count"]
        rows[item] = CraftRow(skill, item, count)
    return list(rows.values())[:CRAFTS]
