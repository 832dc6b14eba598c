"""What one agent sees: the facts that the observation text renders and the legal calls are drawn from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from agentworld_env.env.plain import plain_view
from agentworld_env.env.seen import SeenGround, SeenMate, SeenMessage, SeenMob, StaleViewError, condition
from agentworld_env.sim.crowd import FEW
from agentworld_env.sim.events import Result, Said
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import AgentState
from agentworld_env.world.catalogue import Npc, Portal
from agentworld_env.world.near import NEAREST, NodesNear, SeenNode, nearest_first


class View:
    """One agent's view at one moment; everything in it is computed when it is first asked for, and nothing can be set.

    It shows what the agent sees and no more: neither the simulation nor anybody else's state can be reached through its
    public attributes, and what it hands out are values, which change nothing if they are changed.

    Args:
        sim: The simulation.
        agent: Index of the agent.
        max_rounds: Round budget of the episode.
        landmarks: Tiles that the agent's guide names: (name, column, row).
        hears_all: Whether messages that the agent did not hear are among its messages.
    """

    # What leads to the state is for this room alone: a view is handed to policies that may see nothing else.
    __slots__ = (
        "_agent", "_cache", "_hears_all", "_landmarks", "_max_rounds", "_me", "_moment", "_name", "_sim",
    )  # fmt: skip

    def __init__(
        self,
        sim: Simulation,
        agent: int,
        max_rounds: int,
        landmarks: tuple[tuple[str, int, int], ...] = (),
        hears_all: bool = False,
    ) -> None:
        self._sim = sim
        self._agent = agent
        self._name = sim.names[agent]
        self._me: AgentState = sim.state.agents[agent]
        self._max_rounds = max_rounds
        self._landmarks = landmarks
        self._hears_all = hears_all
        self._cache: dict[str, Any] = {}
        self._moment = (sim.state, sim.state.actions, sim.state.round)

    __hash__ = None  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._stale():
            return super().__reduce_ex__(protocol)
        # Its moment is that of its simulation, and so is that of its copy.
        return View, (self._sim, self._agent, self._max_rounds, self._landmarks, self._hears_all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.to_dict() == other.to_dict()

    def __repr__(self) -> str:
        if self._stale():
            return f"<View of {self._name} in round {self._moment[2]}, stale: ask env.view() again>"
        listed = "nodes, mobs, mates, people, ground, portals, messages, map"
        at = f"({self._me.x}, {self._me.y})"
        return (
            f"<View of {self._name} in round {self._moment[2]} at {at}: {listed}; to_dict() has everything>"
        )

    def _stale(self) -> bool:
        state, moment = self._sim.state, self._moment
        return moment[0] is not state or moment[1] != state.actions or moment[2] != state.round

    def check(self) -> None:
        """Makes sure that nothing has happened since the view was taken.

        Raises:
            StaleViewError: If the episode has moved on; what was computed before stays readable.
        """
        # Once more what _stale() says: a turn asks this twenty times.
        state, moment = self._sim.state, self._moment
        if moment[0] is not state or moment[1] != state.actions or moment[2] != state.round:
            raise StaleViewError(
                f"this view of {self._name} is from before the last step; ask env.view() again"
            )

    @property
    def agent(self) -> int:
        """Index of the agent in turn order."""
        return self._agent

    @property
    def name(self) -> str:
        """Id of the agent."""
        return self._name

    @property
    def hears_all(self) -> bool:
        """Whether messages that the agent did not hear are among its messages."""
        return self._hears_all

    @property
    def landmarks(self) -> tuple[tuple[str, int, int], ...]:
        """Tiles that the agent's guide names: (name, column, row)."""
        return self._landmarks

    @property
    def max_rounds(self) -> int:
        """Round budget of the episode."""
        return self._max_rounds

    @property
    def round(self) -> int:
        """Round of the view, counted from 1."""
        return self._moment[2]

    @property
    def x(self) -> int:
        """Column (tiles)."""
        self.check()
        return self._me.x

    @property
    def y(self) -> int:
        """Row (tiles); greater is further south."""
        self.check()
        return self._me.y

    @property
    def hp(self) -> int:
        """Hit points left."""
        self.check()
        return self._me.hp

    @property
    def max_hp(self) -> int:
        """Most hit points."""
        self.check()
        return self._sim.max_hp[self._agent]

    @property
    def mana(self) -> int:
        """Mana left."""
        self.check()
        return self._me.mana

    @property
    def max_mana(self) -> int:
        """Most mana."""
        self.check()
        return self._sim.max_mana[self._agent]

    @property
    def bag(self) -> dict[str, int]:
        """Item -> units, oldest first; a copy."""
        self.check()
        return {item: self._me.count(item) for item in self._me.bag}

    @property
    def worn(self) -> dict[str, str]:
        """Slot -> item; a copy."""
        self.check()
        return {slot: piece[0] for slot, piece in self._me.worn.items()}

    @property
    def nodes(self) -> tuple[SeenNode, ...]:
        """Resource nodes within ``Rules.sight_nodes``, by kind."""
        cache = self._cache
        if "nodes" not in cache:
            self.check()
            cache["nodes"] = self._nodes()
        return cache["nodes"]  # type: ignore[no-any-return]

    @property
    def nodes_near(self) -> NodesNear:
        """All resource nodes within ``Rules.sight_nodes``, whether or not they give now."""
        cache = self._cache
        if "nodes_near" not in cache:
            self.check()
            sim, me = self._sim, self._me
            cache["nodes_near"] = sim.world.near.nodes_by_kind(me.x, me.y, sim.rules.sight_nodes)
        return cache["nodes_near"]  # type: ignore[no-any-return]

    @property
    def depleted(self) -> set[int]:
        """Indices of the resource nodes within ``Rules.sight_nodes`` that do not give now."""
        cache = self._cache
        if "depleted" not in cache:
            self.check()
            sim, members = self._sim, self.nodes_near.members
            round_, spent = sim.state.round, sim.state.nodes
            found = {n for n in _both(members, spent) if spent[n] > round_}
            # What the seed depleted at the start is long back later on.
            if round_ <= sim.rules.start_delay:
                start = sim.depleted_at_start()
                found.update(n for n in _both(members, start) if start[n] > round_ and n not in spent)
            cache["depleted"] = found
        return cache["depleted"]  # type: ignore[no-any-return]

    def _nodes(self) -> tuple[SeenNode, ...]:
        near, spent = self.nodes_near, self.depleted
        if not spent:
            return near.fresh
        nodes = self._sim.world.nodes
        touched = {nodes[number].kind for number in spent}
        seen: list[SeenNode] = []
        for (kind, rows), fresh in zip(near.kinds, near.fresh, strict=True):
            if kind in touched:
                giving = [row for row in rows if row[1] not in spent]
                more = max(len(giving) - NEAREST, 0)
                fresh = SeenNode(kind, tuple(giving[:NEAREST]), more, len(rows) - len(giving))
            seen.append(fresh)
        return tuple(seen)

    @property
    def _mob_rows(self) -> list[tuple[int, int, int, int]]:
        """The living mobs in sight as (distance, index, column, row), nearest first."""
        cache = self._cache
        if "mob_rows" not in cache:
            self.check()
            sim, x, y = self._sim, self._me.x, self._me.y
            sight, touched = sim.rules.sight_mobs, sim.state.mobs
            rows = [row for row in sim.homes_near(x, y, sight) if row[1] not in touched]
            settled = len(rows)
            for number in sim.whereabouts.mobs(x - sight, y - sight, x + sight, y + sight):
                mob = touched[number]
                distance = abs(mob.x - x) + abs(mob.y - y)
                if distance <= sight and not mob.dead_until:
                    rows.append((distance, number, mob.x, mob.y))
            if len(rows) > settled:
                rows.sort()
            cache["mob_rows"] = rows
        return cache["mob_rows"]  # type: ignore[no-any-return]

    def _seen_mob(self, row: tuple[int, int, int, int]) -> SeenMob:
        sim = self._sim
        mob = sim.state.mobs.get(row[1])
        if mob is None:
            return SeenMob(*row, sim.spec(row[1]).hp, "")
        return SeenMob(*row, mob.hp, sim.names[mob.target] if mob.target >= 0 else "")

    @property
    def mobs(self) -> tuple[SeenMob, ...]:
        """Living mobs within ``Rules.sight_mobs``, nearest first."""
        cache = self._cache
        if "mobs" not in cache:
            self.check()
            cache["mobs"] = tuple([self._seen_mob(row) for row in self._mob_rows])
        return cache["mobs"]  # type: ignore[no-any-return]

    @property
    def mob_count(self) -> int:
        """How many living mobs are within ``Rules.sight_mobs``."""
        return len(self._mob_rows)

    @property
    def listed_mobs(self) -> tuple[SeenMob, ...]:
        """The mobs worth telling: the nearest few, and all that are bosses or after somebody of the team."""
        cache = self._cache
        if "listed_mobs" not in cache:
            rows = self.listed_mob_rows
            self.check()
            cache["listed_mobs"] = tuple([self._seen_mob(row) for row in rows])
        return cache["listed_mobs"]  # type: ignore[no-any-return]

    @property
    def listed_mob_rows(self) -> list[tuple[int, int, int, int]]:
        """``listed_mobs`` as (distance, index, column, row)."""
        cache = self._cache
        if "listed_mob_rows" not in cache:
            rows, named, touched = self._mob_rows, self._sim.named_from, self._sim.state.mobs
            self.check()
            listed = rows[:NEAREST]
            for row in rows[NEAREST:]:
                if row[1] >= named or (row[1] in touched and touched[row[1]].target >= 0):
                    listed.append(row)
            cache["listed_mob_rows"] = listed
        return cache["listed_mob_rows"]  # type: ignore[no-any-return]

    @property
    def any_mob(self) -> bool:
        """Whether a living mob is in sight."""
        self.check()
        sim, x, y = self._sim, self._me.x, self._me.y
        touched, sight = sim.state.mobs, sim.rules.sight_mobs
        # The first that is found will do, so that a crowd, in which little is remembered, need not look for all.
        for number in sim.world.near.mobs(x, y, sight + 2 * sim.rules.jitter):
            if number not in touched:
                home_x, home_y = sim.homes.get(number) or sim.home(number)
                if abs(home_x - x) + abs(home_y - y) <= sight:
                    return True
        return bool(self._mob_rows)

    @property
    def mate_rows(self) -> list[tuple[int, str, int]]:
        """Team-mates within ``Rules.sight_people`` as (distance, id, index), nearest first."""
        cache = self._cache
        if "mate_rows" not in cache:
            cache["mate_rows"] = self._look_for_mates(self._sim.rules.sight_people)
        return cache["mate_rows"]  # type: ignore[no-any-return]

    def _look_for_mates(self, radius: int) -> list[tuple[int, str, int]]:
        self.check()
        sim, me = self._sim, self._me
        agents, names, x, y = sim.state.agents, sim.names, me.x, me.y
        rows = [
            (distance, names[i], i)
            for i in sim.whereabouts.agents(x, y, radius)
            if (distance := abs(agents[i].x - x) + abs(agents[i].y - y)) <= radius and i != self._agent
        ]
        rows.sort()
        return rows

    def mates_within(self, radius: int) -> list[tuple[int, str, int]]:
        """Returns the first of ``mate_rows``, up to a distance; in a crowd without looking any farther.

        Args:
            radius: Distance (tiles).
        """
        rows = self._cache.get("mate_rows")
        if rows is None:
            if len(self._sim.names) > FEW:
                return self._look_for_mates(radius)
            # In a small team everybody is looked at in any case: what is found will do for all later questions.
            rows = self.mate_rows
        return [row for row in rows if row[0] <= radius]

    @property
    def mates(self) -> tuple[SeenMate, ...]:
        """Team-mates within ``Rules.sight_people``, nearest first."""
        return self.nearest_mates(len(self.mate_rows))

    def nearest_mates(self, count: int) -> tuple[SeenMate, ...]:
        """Returns the nearest team-mates within ``Rules.sight_people``.

        Args:
            count: At most so many.
        """
        sim = self._sim
        seen = []
        for distance, name, i in self.mate_rows[:count]:
            other = sim.state.agents[i]
            worn = tuple([piece[0] for piece in other.worn.values()])
            seen.append(SeenMate(distance, name, other.x, other.y, condition(sim, i), worn))
        return tuple(seen)

    @property
    def people(self) -> tuple[tuple[int, Npc], ...]:
        """People and sites within ``Rules.sight_people`` as (distance, person), nearest first."""
        # What a person wants is a dict, and all episodes of the process share the person.
        return tuple(
            [
                (distance, structs.replace(person, wants=person.wants.copy()) if person.wants else person)
                for distance, person in self._people
            ]
        )

    @property
    def _people(self) -> tuple[tuple[int, Npc], ...]:
        cache = self._cache
        if "people" not in cache:
            self.check()
            sim, x, y = self._sim, self._me.x, self._me.y
            sight = sim.rules.sight_people
            found = sim.world.near.people(x, y, sight)
            if sim.setup.sites:
                sites = nearest_first(sim.setup.sites, x, y, sight)
                if sites:
                    found = tuple(sorted((*found, *sites), key=lambda row: (row[0], row[1].id)))
            cache["people"] = found
        return cache["people"]  # type: ignore[no-any-return]

    @property
    def ground(self) -> tuple[SeenGround, ...]:
        """Things on the ground within ``Rules.sight_people``, nearest first."""
        cache = self._cache
        if "ground" not in cache:
            cache["ground"] = self.ground_within(self._sim.rules.sight_people)
        return cache["ground"]  # type: ignore[no-any-return]

    def ground_within(self, radius: int) -> tuple[SeenGround, ...]:
        """Returns the things on the ground up to a distance, nearest first.

        Args:
            radius: Distance (tiles).
        """
        self.check()
        x, y, lying = self._me.x, self._me.y, self._sim.state.ground
        if not lying:
            return ()
        seen = []
        for key in self._sim.whereabouts.ground(x, y, radius):
            item, lots, gx, gy = lying[key]
            distance = abs(gx - x) + abs(gy - y)
            if distance <= radius:
                seen.append(SeenGround(distance, key, item, sum(lot[2] for lot in lots), gx, gy))
        return tuple(sorted(seen))

    @property
    def portals(self) -> tuple[tuple[int, Portal], ...]:
        """Portals within ``Rules.sight_people`` as (distance, portal), nearest first."""
        cache = self._cache
        if "portals" not in cache:
            self.check()
            me, sight = self._me, self._sim.rules.sight_people
            cache["portals"] = self._sim.world.near.portals(me.x, me.y, sight)
        return cache["portals"]  # type: ignore[no-any-return]

    @property
    def messages(self) -> tuple[SeenMessage, ...]:
        """Messages received since the agent's last turn, and the last ``Rules.messages_kept`` before."""
        # The event says who else heard it, and which of the things that it mentions exist.
        return tuple(
            [SeenMessage(said.round, said.agent, said.channel, said.text) for said in self._messages]
        )

    @property
    def _messages(self) -> tuple[Said, ...]:
        cache = self._cache
        if "messages" not in cache:
            self.check()
            state, kept = self._sim.state, self._sim.rules.messages_kept
            inbox = self._inbox()
            first_new = bisect_left(inbox, self._me.heard)
            cache["messages"] = tuple(
                [state.events[state.said[place]] for place in inbox[max(first_new - kept, 0) :]]
            )
        return cache["messages"]  # type: ignore[no-any-return]

    @property
    def new_messages(self) -> int:
        """How many of ``messages`` arrived since the agent's last turn; they come last."""
        inbox = self._inbox()
        return len(inbox) - bisect_left(inbox, self._me.heard)

    def _inbox(self) -> Sequence[int]:
        """Places in the list of messages of those that the agent has received, or of everybody else's."""
        if not self._hears_all:
            return self._sim.whereabouts.heard_by(self._agent)
        state = self._sim.state
        return [
            place
            for place, number in enumerate(state.said)
            if isinstance(said := state.events[number], Said) and said.agent != self._name
        ]

    @property
    def map(self) -> list[str]:
        """Rows of the coarse map around the agent, north first, without blank edges; ``overview.LEGEND`` tells."""
        self.check()
        rows = [row.rstrip() for row in self._sim.world.overview.around(self._me.x, self._me.y)]
        while not rows[-1]:
            rows.pop()
        while not rows[0]:
            del rows[0]
        return rows

    @property
    def result(self) -> Result | None:
        """What came of the agent's previous call, or None on its first turn."""
        last = self._me.last
        if last is None:
            return None
        result = last.result
        # What a call depended on is for the metrics: it tells where others stood.
        return Result(result.ok, result.code, result.reason, result.hint) if result.needs else result

    def levels(self) -> dict[str, int]:
        """Returns the agent's skill levels; skills that cannot be used are left out."""
        sim = self._sim
        return {skill: sim.level(self._agent, skill) for skill in sim.skills[self._agent]}

    def to_dict(self) -> dict[str, Any]:
        """Returns the whole view as plain lists and dicts."""
        self.check()
        return plain_view(self)


def _both(members: frozenset[int], spent: Mapping[int, int]) -> set[int] | frozenset[int]:
    """Returns the numbers that are in both, going through the smaller."""
    if len(spent) < len(members):
        return members.intersection(spent)
    return {number for number in members if number in spent}
