"""What follows from an agent's tile and from which nodes are depleted: worked out once, then remembered."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentworld_env.env.discrete.slots import START, stride_ends, strides_to
from agentworld_env.env.features.ids import ROLES
from agentworld_env.env.features.layout import LANDMARKS, NODES, PEOPLE, PORTALS, TRADES, Layout
from agentworld_env.env.features.pack import put, put_ids
from agentworld_env.env.view import View
from agentworld_env.world.catalogue import Npc, Portal
from agentworld_env.world.overview import REACH_X, REACH_Y, SQUARE

OWN_NODES = 3
"""So many nodes are listed of each kind that the agent can harvest; of other kinds only the nearest."""

_OWN_ROWS = 18
"""At most so many rows for nodes within the agent's skill, so that some are left for the others."""

_PEOPLE_TOLD = 3
_PRICES_TOLD = 2

_SIGHT = 64
_FAR = 1056
_ROLE_NUMBER = {role: number for number, role in enumerate(ROLES, 1)}

Tile = tuple[int, int]


class NodeRow(NamedTuple):
    """A resource node in sight that gives now."""

    distance: int
    number: int
    able: bool
    more: int


class PersonRow(NamedTuple):
    """A person or site in sight; what it trades is only told of the nearest, of those in reach, and of sites."""

    distance: int
    person: Npc
    told: bool


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


class Spot:
    """An agent's surroundings as far as they follow from its tile and the depleted nodes.

    Args:
        view: The agent's view.
        layout: Where fields lie.

    Attributes:
        free: Whether the tiles to the east, west, south and north are free.
        nodes: Resource nodes that give now.
        people: People and sites.
        trades: What each of them trades; of those who take things to a limit, as it was when this was worked out.
        changing: Rows of people whose trades change.
        portals: Portals.
        landmarks: Tiles that the guide names.
        block: The fields ``Layout.of_tile``.
        biome: Number of the biome.
        place: Number of the named place, or 0.
        moves: The part of the mask from strides to walks to landmarks, as far as it is listed here.
        tiles: Where these lead.
    """

    __slots__ = (
        "biome",
        "block",
        "changing",
        "free",
        "landmarks",
        "moves",
        "nodes",
        "people",
        "place",
        "portals",
        "tiles",
        "trades",
    )

    def __init__(self, view: View, layout: Layout) -> None:
        me, world = view._me, view._sim.world
        x, y, is_walkable = me.x, me.y, world.is_walkable
        self.free = (
            is_walkable(x + 1, y), is_walkable(x - 1, y), is_walkable(x, y + 1), is_walkable(x, y - 1),
        )  # fmt: skip
        self.nodes = _nodes(view)
        self.people = _people(view)
        self.trades = tuple([trades_of(view, row.person) if row.told else () for row in self.people])
        self.changing = tuple([k for k, row in enumerate(self.people) if row.told and row.person.wants])
        self.portals: tuple[tuple[int, Portal], ...] = view.portals[:PORTALS]
        self.landmarks: tuple[Tile, ...] = tuple([(lx, ly) for _, lx, ly in view._landmarks[:LANDMARKS]])
        self.biome = layout.ids.biome[world.terrain.biome_at(x, y)]
        place = world.place_at(x, y)
        self.place = layout.ids.place[place.key] if place is not None else 0
        self.block = self._block(view, layout)
        self.tiles: frozenset[Tile]
        self.moves: bytes
        self._list_moves(view)

    def _block(self, view: View, layout: Layout) -> bytes:
        sim, ids, at = view._sim, layout.ids, layout.at
        x, y, rules, nodes = view._me.x, view._me.y, sim.rules, sim.world.nodes
        block = bytearray(layout.size)
        rows: list[float] = []
        for distance, number, able, more in self.nodes:
            node = nodes[number]
            rows += ((node.x - x) / _SIGHT, (node.y - y) / _SIGHT, distance / _SIGHT, able, more / (more + 8))
        put(block, at["nodes"], rows)
        put_ids(block, at["node_kinds"], [ids.node[nodes[row.number].kind] for row in self.nodes])
        rows, kinds = [], []
        for distance, person, _ in self.people:
            reach = distance <= rules.transfer_reach
            rows += ((person.x - x) / _SIGHT, (person.y - y) / _SIGHT, distance / _SIGHT, reach)
            kinds += [_ROLE_NUMBER[person.role], ids.person.get(person.id, 0)]
        put(block, at["people"], rows)
        put_ids(block, at["person_kinds"], kinds)
        for k, trades in enumerate(self.trades):
            put_trades(block, layout, k, trades)
        rows = []
        for distance, portal in self.portals:
            reach = distance <= rules.portal_reach
            rows += ((portal.x - x) / _SIGHT, (portal.y - y) / _SIGHT, distance / _SIGHT, reach)
        put(block, at["portals"], rows)
        put_ids(block, at["portal_ids"], [ids.portal[portal.id] for _, portal in self.portals])
        rows = []
        for lx, ly in self.landmarks:
            distance = abs(lx - x) + abs(ly - y)
            rows += (1.0, (lx - x) / _FAR, (ly - y) / _FAR, distance / (distance + 120))
        put(block, at["landmarks"], rows)
        column, row, start = x // SQUARE, y // SQUARE, at["terrain"]
        window = ids.map[row : row + 2 * REACH_Y + 1, column : column + 2 * REACH_X + 1].tobytes()
        block[start : start + len(window)] = window
        return bytes(block[layout.of_tile])

    def _list_moves(self, view: View) -> None:
        x, y, tiles = view._me.x, view._me.y, view._sim.world.node_tiles
        taken: dict[Tile, int] = {}
        for offset, tile in stride_ends(x, y, self.free):
            taken.setdefault(tile, START["stride"] + offset)
        rows: list[tuple[str, int, Tile]] = []
        rows += [("to_node", k, tiles[row.number]) for k, row in enumerate(self.nodes)]
        rows += [("to_person", k, (row.person.x, row.person.y)) for k, row in enumerate(self.people)]
        rows += [("to_portal", k, (portal.x, portal.y)) for k, (_, portal) in enumerate(self.portals)]
        rows += [("to_landmark", k, tile) for k, tile in enumerate(self.landmarks)]
        for segment, k, tile in rows:
            if abs(tile[0] - x) + abs(tile[1] - y) > 1:
                taken.setdefault(tile, START[segment] + k)
        # A stride that a wall bars may end at something that has no row: its call is listed on that account.
        for tile in listed_tiles(view):
            if tile not in taken and abs(tile[0] - x) + abs(tile[1] - y) > 1:
                for offset in strides_to(x, y, tile):
                    taken.setdefault(tile, START["stride"] + offset)
        moves = bytearray(START["portal"] - START["stride"])
        for index in taken.values():
            moves[index - START["stride"]] = 1
        self.tiles, self.moves = frozenset(taken), bytes(moves)


def listed_tiles(view: View) -> list[Tile]:
    """Returns where that stands which the list of moves names and which follows from the agent's tile."""
    tiles = view._sim.world.node_tiles
    found = [(person.x, person.y) for _, person in view._people]
    found += [(portal.x, portal.y) for _, portal in view.portals]
    found += [tiles[i] for seen in view.nodes for _, i in seen.nearest]
    found += [(x, y) for _, x, y in view._landmarks]
    return found


def _nodes(view: View) -> list[NodeRow]:
    sim, agent = view._sim, view._agent
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
    for distance, person in view._people:
        site = person.role == "site"
        if told >= _PEOPLE_TOLD and not site:
            continue
        near = told < _PRICES_TOLD or site or distance <= view._sim.rules.transfer_reach
        rows.append(PersonRow(distance, person, near))
        told += 1
        if len(rows) == PEOPLE:
            break
    return rows


def put_trades(block: Any, layout: Layout, person: int, trades: tuple[Trade, ...]) -> None:
    """Writes what a person trades.

    Args:
        block: A writable buffer of ``Layout.size`` bytes.
        layout: Where fields lie.
        person: Its row.
        trades: What it trades.
    """
    ids, at, row = layout.ids.item, layout.at, 4 * person * 2 * TRADES
    amounts: list[float] = []
    goods: list[int] = []
    for take, units, give, gives in trades:
        amounts += (units / (units + 8), gives / (gives + 8))
        goods += (ids[take], ids[give] if give else 0)
    put(block, at["trades"] + row, amounts)
    put_ids(block, at["trade_items"] + row, goods)


def trades_of(view: View, person: Npc) -> tuple[Trade, ...]:
    """Returns what a person or site trades now, at most ``TRADES`` lines."""
    if person.offers:
        return tuple([Trade(o.take, o.take_count, o.give, o.give_count) for o in person.offers[:TRADES]])
    got: dict[str, int] = view._sim.state.sites.get(person.id, {})
    wants = list(person.wants.items())[:TRADES]
    return tuple([Trade(item, wanted - got.get(item, 0)) for item, wanted in wants])
