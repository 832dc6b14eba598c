"""The simulation: an immutable world and set-up, one mutable state, and the order of turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from agentworld_env.sim import randomness as rng
from agentworld_env.sim.events import Event, Lot, Result
from agentworld_env.sim.rules import RULES, Rules, combat_level, max_hp, max_mana
from agentworld_env.sim.setup import Setup
from agentworld_env.sim.state import ACTIVE, DEAD, AgentState, LastCall, MobState, Snapshot, State
from agentworld_env.world import World
from agentworld_env.world.catalogue import COMBAT_SKILLS, Drop, Npc

SKIPPED = 0
READY = 1
ROUND_OVER = 2


class MobSpec(msgspec.Struct, frozen=True, gc=False):
    """The figures of one mob, common or named.

    Attributes:
        id: Entity id.
        kind: Key of its kind.
        name: Name for people.
        x: Home column before jitter (tiles).
        y: Home row before jitter (tiles).
        level: Combat level.
        hp: Hit points.
        attack: Attack level.
        defence: Defence level.
        aggro: How near an agent must come to be noticed (tiles).
        reach: How far it strikes (tiles).
        temper: ``no``, ``yes`` or ``always``.
        respawn: Rounds until it stands again.
        team: Different attackers needed between two world's turns; 1 for common mobs.
        drops: Drop list.
    """

    id: str
    kind: str
    name: str
    x: int
    y: int
    level: int
    hp: int
    attack: int
    defence: int
    aggro: int
    reach: int
    temper: str
    respawn: int
    team: int
    drops: tuple[Drop, ...]


class Simulation:
    """A world, a set-up and a state; the rules in the neighbouring modules act on it.

    Args:
        world: The immutable world.
        setup: The team and what stands in the world for this episode.
        rules: The numbers of the rules.
    """

    def __init__(self, world: World, setup: Setup, rules: Rules = RULES) -> None:
        self.world = world
        self.setup = setup
        self.rules = rules
        self.names = tuple(agent.name for agent in setup.agents)
        self.index = {name: i for i, name in enumerate(self.names)}
        self.spelling = {name.lower(): name for name in self.names}
        self.skills = tuple(dict(agent.skills) for agent in setup.agents)
        self.recipes_of = tuple(
            tuple(recipe for recipe in world.recipes if skills.get(recipe.skill)) for skills in self.skills
        )
        self.levels = tuple(combat_level(skills, COMBAT_SKILLS) for skills in self.skills)
        self.max_hp = tuple(max_hp(skills.get("health", 1)) for skills in self.skills)
        self.max_mana = tuple(max_mana(skills.get("magic", 1)) for skills in self.skills)
        self.people: dict[str, Npc] = {**world.npcs, **{site.id: site for site in setup.sites}}
        self.named_from = len(world.mob_spawns)
        self.named = {spawn_id: self.named_from + i for i, spawn_id in enumerate(setup.spawns)}
        self.notice_margin = rules.jitter + max((kind.aggro for kind in world.mob_kinds.values()), default=0)
        self._specs: dict[int, MobSpec] = {}
        self._homes: dict[int, tuple[int, int]] = {}
        self._start_ready: dict[int, int] = {}
        self.state: State

    # -- start -------------------------------------------------------------------------------------

    def reset(self, seed: int) -> None:
        """Starts an episode.

        Args:
            seed: Any integer; it drives the agents' and mobs' start tiles, which nodes are depleted at the
                start, and every roll of the episode.
        """
        seed &= (1 << 64) - 1
        self._homes.clear()
        self._start_ready.clear()
        state = State.__new__(State)
        state.seed = seed
        state.round = 1
        state.turn = 0
        state.actions = 0
        state.mobs = {}
        state.nodes = {}
        state.ground = {}
        state.sites = {site.id: {} for site in self.setup.sites}
        state.events = []
        state.said = []
        state.agents = [self._fresh_agent(i, seed) for i in range(len(self.names))]
        self.state = state

    def _fresh_agent(self, i: int, seed: int) -> AgentState:
        setup = self.setup.agents[i]
        agent = AgentState.__new__(AgentState)
        agent.x, agent.y = self._start_tile(i, setup.x, setup.y, seed)
        agent.hp = self.max_hp[i]
        agent.mana = self.max_mana[i]
        agent.status = ACTIVE
        agent.asleep = 0
        origin = -1 - i
        agent.bag = {item: ((origin, -1, units),) for item, units in setup.bag.items()}
        agent.worn = {}
        for item in setup.worn:
            slot = self.world.items[item].slot
            if slot is None or slot in agent.worn:
                raise ValueError(f"{setup.name} cannot start with {item} worn")
            agent.worn[slot] = (item, origin, -1, -1)
        agent.xp = {}
        agent.turns = 0
        agent.fought = 0
        agent.heard = 0
        agent.last = None
        return agent

    def _start_tile(self, i: int, x: int, y: int, seed: int) -> tuple[int, int]:
        for attempt in range(8):
            tile = self._moved(x, y, rng.draw(seed, rng.AGENT_START, i, attempt))
            if tile is not None:
                return tile
        return x, y

    def _moved(self, x: int, y: int, bits: int) -> tuple[int, int] | None:
        """Returns a tile up to ``Rules.jitter`` columns and rows away, or None if one cannot walk there."""
        jitter = self.rules.jitter
        span = 2 * jitter + 1
        cell = rng.below(span * span, bits)
        tx, ty = x + cell % span - jitter, y + cell // span - jitter
        if (tx, ty) == (x, y):
            return x, y
        if not self.world.is_walkable(tx, ty):
            return None
        walk = self.world.paths.walk(x, y, tx, ty, 4 * jitter)
        return (tx, ty) if walk is not None and walk.reached else None

    # -- mobs and nodes ----------------------------------------------------------------------------

    def mob_number(self, mob_id: str) -> int | None:
        """Returns the index of a mob by its entity id, or None if no such mob stands in this episode."""
        number = self.named.get(mob_id)
        return number if number is not None else self.world.mob_index.get(mob_id)

    def spec(self, number: int) -> MobSpec:
        """Returns the figures of a mob by its index."""
        spec = self._specs.get(number)
        if spec is None:
            world = self.world
            common = len(world.mob_spawns)
            if number < common:
                spawn = world.mob_spawns[number]
                kind = world.mob_kinds[spawn.kind]
                spec = MobSpec(
                    spawn.id, kind.key, kind.name, spawn.x, spawn.y, kind.level, kind.hp, kind.attack,
                    kind.defence, kind.aggro, kind.reach, kind.temper, kind.respawn, 1, kind.drops,
                )  # fmt: skip
            else:
                boss = world.named_spawns[self.setup.spawns[number - common]]
                kind = world.mob_kinds[boss.kind]
                spec = MobSpec(
                    boss.id, boss.kind, boss.name, boss.x, boss.y, boss.level, boss.hp, boss.attack,
                    boss.defence, kind.aggro, kind.reach, kind.temper, kind.respawn, boss.team, boss.drops,
                )  # fmt: skip
            self._specs[number] = spec
        return spec

    def home(self, number: int) -> tuple[int, int]:
        """Returns the tile where a mob stands while nobody deals with it: its place, moved by the seed.

        Named spawns keep their published tile.
        """
        home = self._homes.get(number)
        if home is None:
            spec = self.spec(number)
            home = (spec.x, spec.y)
            if number < self.named_from:
                bits = rng.draw(self.state.seed, rng.MOB_HOME, number, 0)
                home = self._moved(spec.x, spec.y, bits) or home
            self._homes[number] = home
        return home

    def touch(self, number: int) -> MobState:
        """Returns the state of a mob, created from its start if nobody has dealt with it yet."""
        mob = self.state.mobs.get(number)
        if mob is None:
            mob = MobState.__new__(MobState)
            mob.x, mob.y = self.home(number)
            mob.hp = self.spec(number).hp
            mob.target = -1
            mob.dead_until = 0
            mob.hits = ()
            mob.attackers = ()
            mob.fought = 0
            self.state.mobs[number] = mob
        return mob

    def where(self, number: int) -> tuple[int, int] | None:
        """Returns the tile of a mob, or None while it is dead."""
        mob = self.state.mobs.get(number)
        if mob is None:
            return self.home(number)
        return None if mob.dead_until else (mob.x, mob.y)

    def node_ready(self, number: int) -> int:
        """Returns the first round from which a node gives; at most the present round if it gives now."""
        ready = self.state.nodes.get(number)
        if ready is not None:
            return ready
        ready = self._start_ready.get(number)
        if ready is None:
            bits = rng.draw(self.state.seed, rng.NODE, number, 0)
            ready = 1
            if rng.below(1000, bits) < self.rules.start_depleted:
                ready = 2 + rng.below(self.rules.start_delay, rng.draw(self.state.seed, rng.NODE, number, 1))
            self._start_ready[number] = ready
        return ready

    def level(self, agent: int, skill: str) -> int:
        """Returns the level that gates tools and recipes for an agent."""
        level = self.skills[agent].get(skill, 0)
        if level and self.setup.growth:
            from agentworld_env.sim.growth import grown

            level = grown(level, self.state.agents[agent].xp.get(skill, 0))
        return level

    # -- turns -------------------------------------------------------------------------------------

    def perform(
        self, tool: str, arguments: Mapping[str, Any], run: Callable[..., Result] | Result, *values: Any
    ) -> Result:
        """Plays the present turn.

        Args:
            tool: Name of the tool, for the log.
            arguments: The call's arguments, for the log.
            run: The rule, called as ``run(simulation, agent_index, *values)``; or a result that is already
                known, for calls that could not be understood.
            *values: Further arguments of the rule.

        Returns:
            What came of it.
        """
        state = self.state
        agent = state.agents[state.turn]
        first = len(state.events)
        result = run if isinstance(run, Result) else run(self, state.turn, *values)
        agent.last = LastCall(
            state.actions, state.round, tool, dict(arguments), result, first, len(state.events)
        )
        agent.heard = len(state.said)
        agent.turns += 1
        state.actions += 1
        return result

    def next_turn(self) -> int:
        """Moves on by one place in the turn order.

        Returns:
            ``READY`` if the agent there can act, ``SKIPPED`` if not (gone, or asleep, which costs it the
            turn), or ``ROUND_OVER`` if the world's turn was run and a new round has begun, with nobody's
            turn yet.
        """
        state = self.state
        state.turn += 1
        if state.turn >= len(state.agents):
            from agentworld_env.sim.worldturn import world_turn

            world_turn(self)
            state.round += 1
            state.turn = -1
            return ROUND_OVER
        agent = state.agents[state.turn]
        if agent.status != ACTIVE:
            return SKIPPED
        if agent.asleep:
            agent.asleep -= 1
            if agent.asleep:
                agent.turns += 1
                return SKIPPED
        return READY

    @property
    def active(self) -> bool:
        """Whether any agent is still in the episode."""
        return any(agent.status == ACTIVE for agent in self.state.agents)

    def alive(self, agent: int) -> bool:
        """Returns whether an agent lives; one that has left counts as alive."""
        return self.state.agents[agent].status != DEAD

    def log(self, event: Event) -> None:
        """Appends an event to the log."""
        self.state.events.append(event)

    def room_for(self, agent: int, item: str) -> bool:
        """Returns whether an agent's bag can take an item."""
        bag = self.state.agents[agent].bag
        return item in bag or len(bag) < self.rules.bag_kinds

    # -- value semantics ---------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Returns the present state, put aside."""
        return Snapshot(self.state)

    def restore(self, snapshot: Snapshot) -> None:
        """Goes back to a snapshot of any simulation with the same world and set-up."""
        if snapshot.state.seed != self.state.seed:
            self._homes.clear()
            self._start_ready.clear()
        self.state = snapshot.revive()

    def state_hash(self) -> str:
        """Returns a hash of the state, equal for equal states on every machine."""
        return self.state.digest()

    def lots_of(self, agent: int, item: str) -> tuple[Lot, ...]:
        """Returns the lots of an item in an agent's bag."""
        return self.state.agents[agent].bag.get(item, ())
