"""What a set of agents could ever bring about if nothing were used up and everything obtained stayed.

The relaxation over-estimates: what is unreachable in it is unreachable in the simulation, whatever the agents do. It
knows no places, no time, no hit points and no quantities.
"""

from __future__ import annotations

from typing import assert_never

from agentworld_env.sim import Simulation
from agentworld_env.sim.crafting import unmet_needs
from agentworld_env.tasks.schema import (
    AllAlive,
    Area,
    Built,
    Checkpoint,
    Crafted,
    Delivered,
    Discovered,
    Gathered,
    Held,
    HeldForRounds,
    Killed,
    PresentTogether,
    PythonCheckpoint,
    SurvivedUntil,
    TaskSpec,
    Visited,
    Worn,
    parts_of,
)
from agentworld_env.verifiers.standing import discovery_tile

STRENGTH = ("capability", "joint", "named")
"""Kinds of proof that a checkpoint is out of reach, the strongest first: ``capability`` (no skill, level, tool or
material), ``joint`` (several must act at once, or somebody else by definition), and ``named`` (the checkpoint counts
only the roles that it names; the others might be able to do as much)."""


def levelled(spec: TaskSpec, sim: Simulation, agent: int, skill: str, needed: int) -> bool:
    """Returns whether an agent has a level in a skill, or may come to have it, as where skills grow.

    Args:
        spec: The task.
        sim: A simulation of its set-up.
        agent: The agent's index.
        skill: The skill.
        needed: The level.
    """
    level = sim.skills[agent].get(skill, 0)
    return level >= needed or (spec.growth and level > 0)


class Reach:
    """The relaxed reach of some members of a team while the others idle.

    Args:
        spec: The task.
        sim: A simulation of its set-up, for figures and levels; its state is not read.
        members: Indices of the agents that act.
    """

    def __init__(self, spec: TaskSpec, sim: Simulation, members: tuple[int, ...]) -> None:
        self.spec = spec
        self.sim = sim
        self.world = sim.world
        self.members = members
        self.items: set[str] = set()
        self.makers: dict[str, set[int]] = {}
        self._close()

    def _close(self) -> None:
        """Adds items until nothing new can be had."""
        holders = self.members if self._keeps_everyone_alive() else tuple(range(len(self.sim.names)))
        for i in holders:
            setup = self.sim.setup.agents[i]
            self.items.update(setup.bag, setup.worn)
        while True:
            before = sum(len(makers) for makers in self.makers.values()) + len(self.items)
            self._harvest()
            self._craft()
            self._loot()
            self._barter()
            if sum(len(makers) for makers in self.makers.values()) + len(self.items) == before:
                return

    def _keeps_everyone_alive(self) -> bool:
        """Whether the death of a team-mate fails the task, so that nobody can inherit what it holds."""
        return any(isinstance(rule, AllAlive) and not rule.by for rule in self.spec.constraints)

    def _gain(self, item: str, maker: int) -> None:
        self.items.add(item)
        self.makers.setdefault(item, set()).add(maker)

    def _tools(self) -> set[str]:
        return {tool for item in self.items if (tool := self.world.items[item].tool) is not None}

    def _harvest(self) -> None:
        tools = self._tools()
        for kind in self.world.node_kinds.values():
            if kind.tool is None or kind.tool in tools:
                for i in self.members:
                    if levelled(self.spec, self.sim, i, kind.skill, kind.level):
                        self._gain(kind.gives, i)

    def _craft(self) -> None:
        for recipe in self.world.recipes:
            if all(part in self.items for part in recipe.inputs):
                for i in self.members:
                    if levelled(self.spec, self.sim, i, recipe.skill, max(recipe.level, 1)):
                        self._gain(recipe.item, i)

    def _loot(self) -> None:
        common = {spawn.kind for spawn in self.world.mob_spawns}
        drops = [drop for kind in sorted(common) for drop in self.world.mob_kinds[kind].drops]
        for spawn_id in self.spec.spawns:
            spawn = self.world.named_spawns[spawn_id]
            if spawn.team <= len(self.members):
                drops.extend(spawn.drops)
        for drop in drops:
            for i in self.members:
                self._gain(drop.item, i)

    def _barter(self) -> None:
        for npc in self.world.npcs.values():
            for offer in npc.offers:
                if offer.take in self.items:
                    for i in self.members:
                        self._gain(offer.give, i)

    # -- checkpoints -------------------------------------------------------------------------------------------------

    def obstacle(self, point: Checkpoint) -> tuple[str, str] | None:
        """Returns why a checkpoint is out of reach, as (kind of proof, words), or None if it may be reached.

        The kinds are those of ``STRENGTH``.
        """
        match point:
            case Gathered() | Crafted():
                return self._made(point.item, point.by)
            case Killed():
                return self._killed(point.mob, point.by)
            case Delivered():
                return self._delivered(point)
            case Built():
                wants = self.sim.people[point.site].wants
                lacking = [item for item in wants if item not in self.items]
                return ("capability", f"cannot obtain {lacking[0]}") if lacking else None
            case Held():
                return self._held(point.item, point.by)
            case Worn():
                return self._worn(point.item, point.by)
            case Visited() | Discovered() if point.need == "any":
                able = not point.by or any(self.sim.index[name] in self.members for name in point.by)
                if able or any(self._may_start_in(self._area(point), name) for name in point.by):
                    return None
                return ("named", _counts_only(point.by))
            case Visited() | Discovered():
                # Each may come alone, at any time: nothing is done together.
                return self._there("named", self._area(point), point.by)
            case PresentTogether() | HeldForRounds():
                alone = len(point.by or self.sim.names) == 1
                return self._there("named" if alone else "joint", self._area(point), point.by)
            case SurvivedUntil():
                first = parts_of(other for other in self.spec.checkpoints if other.label == point.after)
                return next(filter(None, map(self.obstacle, first)), None)
            case PythonCheckpoint():
                return None
        assert_never(point)

    def _area(self, point: Visited | Discovered | PresentTogether | HeldForRounds) -> Area:
        if not isinstance(point, Discovered):
            return point.area
        tile = discovery_tile(point.target, self.sim)
        if tile is None:
            raise ValueError(f"nothing called {point.target!r} is there to be discovered")
        return Area(at=tile, within=point.within)

    def first_obstacle(self) -> tuple[str, str] | None:
        """Returns why some checkpoint is out of reach, or None if all may be reached.

        Of several reasons the strongest is returned, of equally strong ones that of the first checkpoint.
        """
        found: list[tuple[str, str]] = []
        for point in self.spec.parts:
            obstacle = self.obstacle(point)
            if obstacle is not None:
                found.append((obstacle[0], f"{point.label}: {obstacle[1]}"))
        return min(found, key=lambda it: STRENGTH.index(it[0]), default=None)

    def _made(self, item: str, by: tuple[str, ...]) -> tuple[str, str] | None:
        makers = self.makers.get(item, set())
        if not makers:
            return ("capability", f"cannot make {item}")
        if by and not self._any_of(by):
            return ("named", _counts_only(by))
        if by and not makers & {self.sim.index[name] for name in by}:
            return ("capability", f"cannot make {item}")
        return None

    def _any_of(self, names: tuple[str, ...]) -> bool:
        return any(self.sim.index[name] in self.members for name in names)

    def _killed(self, mob: str, by: tuple[str, ...]) -> tuple[str, str] | None:
        spawn = self.world.named_spawns.get(mob)
        if spawn is not None and spawn.team > len(self.members):
            return ("joint", f"{spawn.name} falls only to {spawn.team} attackers at once")
        if by and not self._any_of(by):
            return ("named", _counts_only(by))
        return None

    def _worn(self, item: str, by: str) -> tuple[str, str] | None:
        if item not in self.items:
            return ("capability", f"cannot obtain {item}")
        if self.sim.index[by] in self.members:
            return None
        # Where levels rise, anybody may come to wear it.
        if not self.spec.growth and all(unmet_needs(self.sim, i, item) for i in self.members):
            return ("capability", f"nobody but {by} has the level to wear {item}")
        return ("named", _counts_only((by,)))

    def _delivered(self, point: Delivered) -> tuple[str, str] | None:
        receiver = self.sim.index.get(point.to)
        givers = {i for i in self.members if i != receiver}
        if not givers:
            return ("joint", f"{point.to} cannot hand over to itself")
        if point.origin == "made":
            # A unit never counts for its own maker, whoever hands it over.
            able = self.makers.get(point.item, set()) - ({receiver} if receiver is not None else set())
            return None if able else ("capability", f"cannot make {point.item}")
        return None if point.item in self.items else ("capability", f"cannot obtain {point.item}")

    def _held(self, item: str, by: str | None) -> tuple[str, str] | None:
        if item in self.items:
            return None
        others = self.sim.setup.agents if by is None else [self.sim.setup.agents[self.sim.index[by]]]
        if any(item in setup.bag or item in setup.worn for setup in others):
            return None
        return ("capability", f"cannot obtain {item}")

    def _there(self, kind: str, area: Area, by: tuple[str, ...]) -> tuple[str, str] | None:
        for name in by or self.sim.names:
            if self.sim.index[name] not in self.members and not self._may_start_in(area, name):
                return (kind, f"{name} must come there")
        return None

    def may_hold_at_start(self, point: Checkpoint) -> bool:
        """Returns whether a checkpoint about places may hold by itself where the seed puts the agents."""
        if not isinstance(point, Visited | Discovered | PresentTogether | HeldForRounds):
            return False
        inside = [self._may_start_in(self._area(point), name) for name in point.by or self.sim.names]
        return any(inside) if getattr(point, "need", "all") == "any" else all(inside)

    def _may_start_in(self, area: Area, name: str) -> bool:
        setup = self.sim.setup.agents[self.sim.index[name]]
        slack = 2 * self.sim.rules.jitter
        if area.at is not None:
            return abs(setup.x - area.at[0]) + abs(setup.y - area.at[1]) <= area.within + slack
        place = self.world.places[area.place or ""]
        return (
            place.x0 - slack <= setup.x <= place.x1 + slack
            and place.y0 - slack <= setup.y <= place.y1 + slack
        )


def _counts_only(by: tuple[str, ...]) -> str:
    return f"the checkpoint counts only {' or '.join(by)}"
