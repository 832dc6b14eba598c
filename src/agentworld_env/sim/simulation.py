"""The simulation: an immutable world and set-up, one mutable state, and the order of turns."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from agentworld_env.sim import randomness as rng
from agentworld_env.sim.crowd import FEW
from agentworld_env.sim.events import Event, Lot, Mention, Result
from agentworld_env.sim.mobspec import MobSpec as MobSpec
from agentworld_env.sim.mobspec import mob_spec
from agentworld_env.sim.rules import RULES, Rules, combat_level, max_hp, max_mana
from agentworld_env.sim.setup import Setup
from agentworld_env.sim.state import (
    ACTIVE,
    DEAD,
    AgentState,
    GroundItem,
    LastCall,
    MobState,
    Snapshot,
    State,
)
from agentworld_env.sim.whereabouts import Whereabouts
from agentworld_env.world import World
from agentworld_env.world.catalogue import COMBAT_SKILLS, Npc

HomeRows = tuple[tuple[int, int, int, int], ...]

_HOME_ROWS = 64
"""So many tiles are remembered with the homes of mobs around them: everybody looks from one tile for a few turns."""

_STEMS = 1_024
"""So many keys of draws are remembered."""

SKIPPED = 0
READY = 1
ROUND_OVER = 2


class Simulation:
    """A world, a set-up and a state; the rules in the neighbouring modules act on it.

    Args:
        world: The immutable world.
        setup: The team and what stands in the world for this episode.
        rules: The numbers of the rules.
    """

    def __init__(self, world: World, setup: Setup, rules: Rules = RULES) -> None:
        # The world's turn is made of rules, which all need this module.
        from agentworld_env.sim.worldturn import world_turn

        self._world_turn = world_turn
        self.world = world
        self.setup = setup
        self.rules = rules
        world.expect(len(setup.agents))
        self.names = tuple(agent.name for agent in setup.agents)
        self.index = {name: i for i, name in enumerate(self.names)}
        self.skills = tuple(dict(agent.skills) for agent in setup.agents)
        self.levels = tuple(combat_level(skills, COMBAT_SKILLS) for skills in self.skills)
        self.max_hp = tuple(max_hp(skills.get("health", 1)) for skills in self.skills)
        self.max_mana = tuple(max_mana(skills.get("magic", 1)) for skills in self.skills)
        self.people: dict[str, Npc] = {**world.npcs, **{site.id: site for site in setup.sites}}
        self.named_from = len(world.mob_spawns)
        self.named = {spawn_id: self.named_from + i for i, spawn_id in enumerate(setup.spawns)}
        self.raiders_from = self.named_from + len(setup.spawns)
        self.raiders = range(self.raiders_from, self.raiders_from + len(setup.raiders))
        self.named.update(zip((raider.id for raider in setup.raiders), self.raiders, strict=True))
        spelling = {name: name.lower() for name in self.names}
        # What has an id of its own in these episodes only; agents come last, so that their ids win.
        self.mentioned = {key: Mention("entity", key) for key in (*self.named, *self.people)}
        self.mentioned.update((low, Mention("agent", name)) for name, low in spelling.items())
        self.notice_margin = rules.jitter + max((kind.aggro for kind in world.mob_kinds.values()), default=0)
        self.hit_marks: dict[tuple[int, int], int] = {}
        self._stems: dict[tuple[int, int, int], int] = {}
        self._specs: dict[int, MobSpec] = {}
        self.homes: dict[int, tuple[int, int]] = {}
        self._homes_near: dict[tuple[int, int, int], HomeRows] = {}
        self._start_ready: dict[int, int] | None = None
        self._holder: weakref.ref[Any] | None = None
        self.state: State
        self.whereabouts: Whereabouts

    def held_by(self, holder: Any) -> None:
        """Says whose simulation this is, as its attribute ``sim``.

        Copies and pickles of the simulation are then the one of the holder's copy: whatever holds on to both, such as a
        policy, finds one episode there and not two.
        """
        self._holder = weakref.ref(holder)

    def __reduce_ex__(self, protocol: Any) -> Any:
        holder = None if self._holder is None else self._holder()
        return super().__reduce_ex__(protocol) if holder is None else (getattr, (holder, "sim"))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_holder": None}

    # -- start -------------------------------------------------------------------------------------

    def reset(self, seed: int) -> None:
        """Starts an episode.

        Args:
            seed: Any integer; it drives the agents' and mobs' start tiles, which nodes are depleted at the
                start, and every roll of the episode.
        """
        seed &= (1 << 64) - 1
        self._forget_luck()
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
        self.whereabouts = Whereabouts(state, self.names)
        for number, raider in zip(self.raiders, self.setup.raiders, strict=True):
            # Not there yet is the same as fallen: it stands again after the world's turn of the round before.
            self.touch(number).dead_until = raider.appears - 1

    def _forget_luck(self) -> None:
        """Forgets whatever follows from the seed; it is found again when it is asked for."""
        self.homes.clear()
        self._homes_near.clear()
        self._stems.clear()
        self._start_ready = None

    def stem(self, stream: int, actor: int, target: int) -> int:
        """Returns ``randomness.stem`` of a key in the present round.

        Those who fight do so for several rounds: all but the round is mixed once.

        Args:
            stream: One of the stream numbers of ``randomness``.
            actor: Index of who acts.
            target: Index of what is acted on.
        """
        key = (stream, actor, target)
        pair = self._stems.get(key)
        if pair is None:
            if len(self._stems) >= _STEMS:
                self._stems.clear()
            pair = self._stems[key] = rng.stem_of_pair(self.state.seed, stream, actor, target)
        return rng.spin(pair, self.state.round)

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
            spec = mob_spec(self.world, number, self.setup)
            self._specs[number] = spec
        return spec

    def home(self, number: int) -> tuple[int, int]:
        """Returns the tile where a mob stands while nobody deals with it: its place, moved by the seed.

        Named spawns keep their published tile.
        """
        home = self.homes.get(number)
        if home is None:
            spec = self.spec(number)
            home = (spec.x, spec.y)
            if number < self.named_from or number >= self.raiders_from:
                bits = rng.draw(self.state.seed, rng.MOB_HOME, number, 0)
                home = self._moved(spec.x, spec.y, bits) or home
            self.homes[number] = home
        return home

    def homes_near(self, x: int, y: int, radius: int) -> HomeRows:
        """Returns the mobs whose home tile in this episode lies within a radius, whether or not they are at home.

        Args:
            x: Column.
            y: Row.
            radius: Manhattan distance (tiles).

        Returns:
            Rows (distance, index, column, row), nearest first.
        """
        key = (x, y, radius)
        rows = self._homes_near.get(key)
        if rows is None:
            homes, found = self.homes, []
            for number in (*self.world.near.mobs(x, y, radius + 2 * self.rules.jitter), *self.named.values()):
                home_x, home_y = homes.get(number) or self.home(number)
                distance = abs(home_x - x) + abs(home_y - y)
                if distance <= radius:
                    found.append((distance, number, home_x, home_y))
            found.sort()
            rows = tuple(found)
            # In a crowd the rows of everybody's tile would cost more than they save.
            if len(self.names) <= FEW:
                if len(self._homes_near) >= _HOME_ROWS:
                    self._homes_near.clear()
                self._homes_near[key] = rows
        return rows

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
            self.whereabouts.mob_moved(number, mob.x, mob.y)
        return mob

    def mob_moved(self, number: int, mob: MobState) -> None:
        """Says that a mob that somebody deals with has moved; every rule that moves one says so."""
        self.whereabouts.mob_moved(number, mob.x, mob.y)

    def forget_mob(self, number: int) -> MobState:
        """Puts a mob back to its start and returns how it was."""
        self.whereabouts.mob_gone(number)
        return self.state.mobs.pop(number)

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
        if self._start_ready is not None:
            return self._start_ready.get(number, 1)
        bits = rng.draw(self.state.seed, rng.NODE, number, 0)
        if rng.below(1000, bits) < self.rules.start_depleted:
            return 2 + rng.below(self.rules.start_delay, rng.draw(self.state.seed, rng.NODE, number, 1))
        return 1

    def depleted_at_start(self) -> dict[int, int]:
        """Returns the nodes that the seed has depleted at the start: index -> first round in which they give."""
        if self._start_ready is None:
            # All at once: a view asks for hundreds.
            seed, rules = self.state.seed, self.rules
            numbers = np.arange(len(self.world.nodes), dtype=np.uint64)
            bits = rng.draw_each(seed, rng.NODE, numbers, 0)
            spent = numbers[rng.below_each(1000, bits) < rules.start_depleted]
            waits = rng.below_each(rules.start_delay, rng.draw_each(seed, rng.NODE, spent, 1)) + np.uint64(2)
            self._start_ready = dict(zip(spent.tolist(), waits.tolist(), strict=True))
        return self._start_ready

    def level(self, agent: int, skill: str) -> int:
        """Returns the level that gates tools and recipes for an agent."""
        level = self.skills[agent].get(skill, 0)
        if level and self.setup.growth:
            from agentworld_env.sim.growth import grown

            level = grown(level, self.state.agents[agent].xp.get(skill, 0))
        return level

    # -- turns -------------------------------------------------------------------------------------

    def perform(
        self, tool: str, arguments: dict[str, Any], run: Callable[..., Result] | Result, *values: Any
    ) -> Result:
        """Plays the present turn.

        Args:
            tool: Name of the tool, for the log.
            arguments: The call's arguments, for the log, which keeps this very dict.
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
        agent.last = LastCall(state.actions, state.round, tool, arguments, result, first, len(state.events))
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
            self._world_turn(self)
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
            self.whereabouts.agent_slept(state.turn, False)
        return READY

    @property
    def active(self) -> bool:
        """Whether any agent is still in the episode."""
        return any(agent.status == ACTIVE for agent in self.state.agents)

    def alive(self, agent: int) -> bool:
        """Returns whether an agent lives; one that has left counts as alive."""
        return self.state.agents[agent].status != DEAD

    def place(self, agent: int, x: int, y: int) -> None:
        """Puts an agent on a tile; every rule that moves one does it here."""
        me = self.state.agents[agent]
        me.x, me.y = x, y
        self.whereabouts.agent_moved(agent, x, y)

    def lay_down(self, agent: int, rounds: int) -> None:
        """Lets an agent sleep for so many rounds; 0 wakes it."""
        self.state.agents[agent].asleep = rounds
        self.whereabouts.agent_slept(agent, rounds > 0)

    def depart(self, agent: int, status: int) -> None:
        """Takes an agent out of the episode, as ``LEFT`` or ``DEAD``; mobs that were after it lose interest."""
        self.state.agents[agent].status = status
        self.lay_down(agent, 0)
        self.whereabouts.agent_left()
        for mob in self.state.mobs.values():
            if mob.target == agent:
                mob.target = -1

    def put_down(self, key: str, thing: GroundItem) -> None:
        """Lays a thing on the ground, as an entity of its own."""
        self.state.ground[key] = thing
        self.whereabouts.put_down(key, thing[2], thing[3])

    def take_up(self, key: str) -> None:
        """Removes a thing from the ground."""
        del self.state.ground[key]
        self.whereabouts.taken_up(key)

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
            self._forget_luck()
        self.state = snapshot.revive()
        self.whereabouts = Whereabouts(self.state, self.names)

    def state_hash(self) -> str:
        """Returns a hash of the state, equal for equal states on every machine."""
        return self.state.digest()

    def lots_of(self, agent: int, item: str) -> tuple[Lot, ...]:
        """Returns the lots of an item in an agent's bag."""
        return self.state.agents[agent].bag.get(item, ())
