"""What one agent sees: the facts that the observation text renders and the legal calls are drawn from."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from agentworld_env.sim.events import Result, Said
from agentworld_env.sim.rules import combat_level
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import DEAD, LEFT, AgentState
from agentworld_env.world.catalogue import COMBAT_SKILLS, Npc, Portal

NEAREST = 4
"""So many of each kind of thing are listed; the rest are counted."""


class StaleViewError(RuntimeError):
    """A view or legal-calls object was read after the episode had moved on."""


class SeenNode(NamedTuple):
    """A kind of node in sight: the nearest that give now, how many more do, how many are depleted."""

    kind: str
    nearest: tuple[tuple[int, int], ...]
    more: int
    depleted: int


class SeenMob(NamedTuple):
    """A mob in sight. ``target`` is the id of the agent it is after, or empty."""

    distance: int
    number: int
    x: int
    y: int
    hp: int
    target: str


class SeenMate(NamedTuple):
    """A team-mate in sight: where it stands, how it fares, what it wears. Never what it carries."""

    distance: int
    name: str
    x: int
    y: int
    condition: str
    worn: tuple[str, ...]


class SeenGround(NamedTuple):
    """Something on the ground in sight."""

    distance: int
    id: str
    item: str
    units: int
    x: int
    y: int


class View:
    """One agent's view at one moment; everything in it is computed when it is first asked for.

    Args:
        sim: The simulation.
        agent: Index of the agent.
        max_rounds: Round budget of the episode.
        landmarks: Tiles that the agent's guide names: (name, column, row).
        hears_all: Whether messages that the agent did not hear are among its messages.
    """

    __slots__ = ("_cache", "_moment", "agent", "hears_all", "landmarks", "max_rounds", "me", "name", "sim")

    def __init__(
        self,
        sim: Simulation,
        agent: int,
        max_rounds: int,
        landmarks: tuple[tuple[str, int, int], ...] = (),
        hears_all: bool = False,
    ) -> None:
        self.sim = sim
        self.agent = agent
        self.name = sim.names[agent]
        self.me: AgentState = sim.state.agents[agent]
        self.max_rounds = max_rounds
        self.landmarks = landmarks
        self.hears_all = hears_all
        self._cache: dict[str, Any] = {}
        self._moment = (sim.state, sim.state.actions, sim.state.round)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.to_dict() == other.to_dict()

    def check(self) -> None:
        """Makes sure that nothing has happened since the view was taken.

        Raises:
            StaleViewError: If the episode has moved on; what was computed before stays readable.
        """
        state = self.sim.state
        taken, actions, round_ = self._moment
        if taken is not state or actions != state.actions or round_ != state.round:
            raise StaleViewError(
                f"this view of {self.name} is from before the last step; ask env.view() again"
            )

    @property
    def nodes(self) -> tuple[SeenNode, ...]:
        """Resource nodes within ``Rules.sight_nodes``, by kind."""
        cache = self._cache
        if "nodes" not in cache:
            self.check()
            cache["nodes"] = self._nodes()
        return cache["nodes"]  # type: ignore[no-any-return]

    def _nodes(self) -> tuple[SeenNode, ...]:
        sim, me = self.sim, self.me
        round_ = sim.state.round
        spent = sim.state.nodes
        # What the seed depleted at the start is long back later on; until then every node is asked.
        early = round_ <= sim.rules.start_delay
        seen: list[SeenNode] = []
        for kind, rows in sim.world.node_kinds_near(me.x, me.y, sim.rules.sight_nodes):
            nearest: list[tuple[int, int]] = []
            depleted = 0
            for row in rows:
                number = row[1]
                if (sim.node_ready(number) if early else spent.get(number, 0)) > round_:
                    depleted += 1
                elif len(nearest) < NEAREST:
                    nearest.append(row)
            seen.append(SeenNode(kind, tuple(nearest), len(rows) - depleted - len(nearest), depleted))
        return tuple(seen)

    @property
    def mobs(self) -> tuple[SeenMob, ...]:
        """Living mobs within ``Rules.sight_mobs``, nearest first."""
        cache = self._cache
        if "mobs" not in cache:
            self.check()
            cache["mobs"] = self._mobs()
        return cache["mobs"]  # type: ignore[no-any-return]

    def _mobs(self) -> tuple[SeenMob, ...]:
        sim, x, y = self.sim, self.me.x, self.me.y
        sight, touched = sim.rules.sight_mobs, sim.state.mobs
        seen: list[SeenMob] = []
        numbers: list[int] = list(sim.world.mob_homes_near(x, y, sight + 2 * sim.rules.jitter))
        numbers.extend(sim.named.values())
        for number in numbers:
            if number not in touched:
                mx, my = sim.home(number)
                distance = abs(mx - x) + abs(my - y)
                if distance <= sight:
                    seen.append(SeenMob(distance, number, mx, my, sim.spec(number).hp, ""))
        for number, mob in touched.items():
            if mob.dead_until:
                continue
            distance = abs(mob.x - x) + abs(mob.y - y)
            if distance <= sight:
                target = sim.names[mob.target] if mob.target >= 0 else ""
                seen.append(SeenMob(distance, number, mob.x, mob.y, mob.hp, target))
        seen.sort()
        return tuple(seen)

    @property
    def listed_mobs(self) -> tuple[SeenMob, ...]:
        """The mobs worth telling: the nearest few, and all that are bosses or after somebody of the team."""
        named = self.sim.named_from
        return tuple(m for k, m in enumerate(self.mobs) if k < NEAREST or m.target or m.number >= named)

    @property
    def mates(self) -> tuple[SeenMate, ...]:
        """Team-mates within ``Rules.sight_people``, nearest first."""
        cache = self._cache
        if "mates" not in cache:
            self.check()
            sim, me, sight = self.sim, self.me, self.sim.rules.sight_people
            seen = []
            for i, other in enumerate(sim.state.agents):
                distance = abs(other.x - me.x) + abs(other.y - me.y)
                if i != self.agent and distance <= sight:
                    worn = tuple(piece[0] for piece in other.worn.values())
                    seen.append(SeenMate(distance, sim.names[i], other.x, other.y, condition(sim, i), worn))
            seen.sort()
            cache["mates"] = tuple(seen)
        return cache["mates"]  # type: ignore[no-any-return]

    @property
    def people(self) -> tuple[tuple[int, Npc], ...]:
        """People and sites within ``Rules.sight_people`` as (distance, person), nearest first."""
        cache = self._cache
        if "people" not in cache:
            self.check()
            me, sight = self.me, self.sim.rules.sight_people
            rows = [(abs(p.x - me.x) + abs(p.y - me.y), p.id, p) for p in self.sim.people.values()]
            cache["people"] = tuple((d, p) for d, _, p in sorted(r for r in rows if r[0] <= sight))
        return cache["people"]  # type: ignore[no-any-return]

    @property
    def ground(self) -> tuple[SeenGround, ...]:
        """Things on the ground within ``Rules.sight_people``, nearest first."""
        cache = self._cache
        if "ground" not in cache:
            self.check()
            me, sight = self.me, self.sim.rules.sight_people
            seen = []
            for key, (item, lots, x, y) in self.sim.state.ground.items():
                distance = abs(x - me.x) + abs(y - me.y)
                if distance <= sight:
                    seen.append(SeenGround(distance, key, item, sum(lot[2] for lot in lots), x, y))
            seen.sort()
            cache["ground"] = tuple(seen)
        return cache["ground"]  # type: ignore[no-any-return]

    @property
    def portals(self) -> tuple[tuple[int, Portal], ...]:
        """Portals within ``Rules.sight_people`` as (distance, portal), nearest first."""
        cache = self._cache
        if "portals" not in cache:
            self.check()
            me, sight = self.me, self.sim.rules.sight_people
            rows = [(abs(p.x - me.x) + abs(p.y - me.y), p.id, p) for p in self.sim.world.portals.values()]
            cache["portals"] = tuple((d, p) for d, _, p in sorted(r for r in rows if r[0] <= sight))
        return cache["portals"]  # type: ignore[no-any-return]

    @property
    def messages(self) -> tuple[Said, ...]:
        """Messages received since the agent's last turn, and the last ``Rules.messages_kept`` before."""
        cache = self._cache
        if "messages" not in cache:
            self.check()
            state, name, older = self.sim.state, self.name, self.sim.rules.messages_kept
            found: list[Said] = []
            for position in range(len(state.said) - 1, -1, -1):
                event = state.events[state.said[position]]
                if not isinstance(event, Said) or not (name in event.heard or self._overhears(event)):
                    continue
                if position < self.me.heard:
                    if not older:
                        break
                    older -= 1
                found.append(event)
            cache["messages"] = tuple(reversed(found))
        return cache["messages"]  # type: ignore[no-any-return]

    @property
    def new_messages(self) -> int:
        """How many of ``messages`` arrived since the agent's last turn; they come last."""
        state = self.sim.state
        unheard = state.said[self.me.heard :]
        said = (state.events[i] for i in unheard)
        return sum(isinstance(e, Said) and (self.name in e.heard or self._overhears(e)) for e in said)

    def _overhears(self, event: Said) -> bool:
        return self.hears_all and event.agent != self.name

    @property
    def result(self) -> Result | None:
        """What came of the agent's previous call, or None on its first turn."""
        return self.me.last.result if self.me.last is not None else None

    def levels(self) -> dict[str, int]:
        """Returns the agent's skill levels; skills that cannot be used are left out."""
        sim = self.sim
        return {skill: sim.level(self.agent, skill) for skill in sim.skills[self.agent]}

    def to_dict(self) -> dict[str, Any]:
        """Returns the whole view as plain lists and dicts."""
        self.check()
        sim, me = self.sim, self.me
        world = sim.world
        last = me.last
        return {
            "agent": self.name,
            "round": sim.state.round,
            "max_rounds": self.max_rounds,
            "x": me.x,
            "y": me.y,
            "biome": world.terrain.biome_at(me.x, me.y),
            "hp": me.hp,
            "max_hp": sim.max_hp[self.agent],
            "mana": me.mana,
            "max_mana": sim.max_mana[self.agent],
            "combat_level": combat_level(sim.skills[self.agent], COMBAT_SKILLS),
            "skills": self.levels(),
            "bag": {item: me.count(item) for item in me.bag},
            "worn": {slot: piece[0] for slot, piece in me.worn.items()},
            "nodes": [
                {
                    "kind": seen.kind,
                    "nearest": [
                        {"id": n.id, "x": n.x, "y": n.y, "distance": d}
                        for d, n in ((d, world.nodes[i]) for d, i in seen.nearest)
                    ],
                    "more": seen.more,
                    "depleted": seen.depleted,
                }
                for seen in self.nodes
            ],
            "mobs": [
                {
                    "id": sim.spec(m.number).id,
                    "name": sim.spec(m.number).name,
                    "level": sim.spec(m.number).level,
                    "hp": m.hp,
                    "max_hp": sim.spec(m.number).hp,
                    "x": m.x,
                    "y": m.y,
                    "distance": m.distance,
                    "target": m.target,
                }
                for m in self.mobs
            ],
            "mates": [dict(mate._asdict(), worn=list(mate.worn)) for mate in self.mates],
            "people": [
                {"id": p.id, "name": p.name, "role": p.role, "x": p.x, "y": p.y, "distance": d}
                for d, p in self.people
            ],
            "ground": [thing._asdict() for thing in self.ground],
            "portals": [{"id": p.id, "x": p.x, "y": p.y, "distance": d} for d, p in self.portals],
            "messages": [
                {"round": m.round, "from": m.agent, "channel": m.channel, "text": m.text}
                for m in self.messages
            ],
            "last": None
            if last is None
            else {
                "tool": last.tool,
                "arguments": last.arguments,
                "ok": last.result.ok,
                "reason": last.result.reason,
                "events": [msgspec.to_builtins(e) for e in sim.state.events[last.first : last.end]],
            },
        }


def condition(sim: Simulation, agent: int) -> str:
    """Returns how an agent looks to others: a hit-point band, or whether it sleeps, has left or is dead."""
    me = sim.state.agents[agent]
    if me.status == DEAD:
        return "dead"
    if me.status == LEFT:
        return "done"
    share = 4 * me.hp // sim.max_hp[agent]
    band = ("near death", "badly hurt", "hurt", "well", "well")[share]
    return f"{band}, asleep" if me.asleep else band
