"""All that changes in an episode, as one explicit value."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from agentworld_env.sim.events import Event, Lot, Result

ACTIVE = 0
LEFT = 1
DEAD = 2

Bag = dict[str, tuple[Lot, ...]]
Worn = tuple[str, int, int, int]
"""A worn item: (item key, origin, via, action that put it on or -1)."""


class LastCall(msgspec.Struct, frozen=True, gc=False):
    """An agent's previous call: its number and round, what was asked, what came of it, its events' range."""

    action: int
    round: int
    tool: str
    arguments: dict[str, Any]
    result: Result
    first: int
    end: int


class AgentState:
    """One agent.

    Attributes:
        x: Column (tiles).
        y: Row (tiles).
        hp: Hit points left; 0 once dead.
        mana: Mana left.
        status: ``ACTIVE``, ``LEFT`` or ``DEAD``.
        asleep: World's turns it will still sleep through, unless woken.
        bag: Item key -> lots, oldest first.
        worn: Slot -> worn item.
        xp: Skill -> experience won in the episode.
        turns: Turns it has had, slept ones included.
        fought: Last round in which it exchanged blows, or 0.
        heard: Number of messages of the episode at the end of its last turn.
        last: Its previous call.
    """

    __slots__ = (
        "asleep",
        "bag",
        "fought",
        "heard",
        "hp",
        "last",
        "mana",
        "status",
        "turns",
        "worn",
        "x",
        "xp",
        "y",
    )

    x: int
    y: int
    hp: int
    mana: int
    status: int
    asleep: int
    bag: Bag
    worn: dict[str, Worn]
    xp: dict[str, int]
    turns: int
    fought: int
    heard: int
    last: LastCall | None

    def copy(self) -> AgentState:
        """Returns an independent copy."""
        new = AgentState.__new__(AgentState)
        new.x = self.x
        new.y = self.y
        new.hp = self.hp
        new.mana = self.mana
        new.status = self.status
        new.asleep = self.asleep
        new.bag = self.bag.copy()
        new.worn = self.worn.copy()
        new.xp = self.xp.copy()
        new.turns = self.turns
        new.fought = self.fought
        new.heard = self.heard
        new.last = self.last
        return new

    def count(self, item: str) -> int:
        """Returns how many units of an item are in the bag."""
        lots = self.bag.get(item)
        if lots is None:
            return 0
        # Most stacks are one lot, for which a sum would take three times as long.
        return lots[0][2] if len(lots) == 1 else sum([lot[2] for lot in lots])


class MobState:
    """A mob that somebody has dealt with, or that is yet to come; all others are as they were at the start.

    Attributes:
        x: Column (tiles).
        y: Row (tiles).
        hp: Hit points left.
        target: Index of the agent it is after, or -1.
        dead_until: Round in whose world's turn it stands again, or stands for the first time; 0 while alive.
        hits: (agent, action, damage) since its last full regeneration.
        attackers: Agents that exchanged blows with it since the last world's turn.
        fought: Last round in which it exchanged blows.
    """

    __slots__ = ("attackers", "dead_until", "fought", "hits", "hp", "target", "x", "y")

    x: int
    y: int
    hp: int
    target: int
    dead_until: int
    hits: tuple[tuple[int, int, int], ...]
    attackers: tuple[int, ...]
    fought: int

    def copy(self) -> MobState:
        """Returns an independent copy."""
        new = MobState.__new__(MobState)
        new.x = self.x
        new.y = self.y
        new.hp = self.hp
        new.target = self.target
        new.dead_until = self.dead_until
        new.hits = self.hits
        new.attackers = self.attackers
        new.fought = self.fought
        return new


GroundItem = tuple[str, tuple[Lot, ...], int, int]
"""Items on the ground: (item key, lots, column, row)."""


class State:
    """The whole mutable state of a simulation.

    Attributes:
        seed: Seed of the episode.
        round: Round, counted from 1.
        turn: Index of the agent whose turn it is.
        actions: Calls made so far; the next call bears this number.
        agents: The team.
        mobs: Index -> state, only for mobs that differ from the start.
        nodes: Index -> first round in which a harvested node gives again.
        ground: Entity id -> items.
        sites: Site id -> item key -> units received.
        events: The event log.
        said: Indices of the messages in the event log.
    """

    __slots__ = (
        "actions",
        "agents",
        "events",
        "ground",
        "mobs",
        "nodes",
        "round",
        "said",
        "seed",
        "sites",
        "turn",
    )

    seed: int
    round: int
    turn: int
    actions: int
    agents: list[AgentState]
    mobs: dict[int, MobState]
    nodes: dict[int, int]
    ground: dict[str, GroundItem]
    sites: dict[str, dict[str, int]]
    events: list[Event]
    said: list[int]

    def copy(self, *, events: list[Event] | None = None, said: list[int] | None = None) -> State:
        """Returns an independent copy.

        Args:
            events: List to use in place of a copy of the event log.
            said: List to use in place of a copy of the message index.
        """
        new = State.__new__(State)
        new.seed = self.seed
        new.round = self.round
        new.turn = self.turn
        new.actions = self.actions
        new.agents = [agent.copy() for agent in self.agents]
        new.mobs = {i: mob.copy() for i, mob in self.mobs.items()}
        new.nodes = self.nodes.copy()
        new.ground = self.ground.copy()
        new.sites = {key: got.copy() for key, got in self.sites.items()}
        new.events = self.events.copy() if events is None else events
        new.said = self.said.copy() if said is None else said
        return new

    def digest(self) -> str:
        """Returns a BLAKE2b hash of the state (32 hexadecimal digits), the same on every machine.

        Of the event log only the messages enter, and its length: the rest has left its mark on the state.
        """
        plain = (
            self.seed,
            self.round,
            self.turn,
            self.actions,
            [
                (
                    (a.x, a.y, a.hp, a.mana, a.status, a.asleep, a.turns, a.fought, a.heard, a.xp, a.last),
                    list(a.bag.items()),
                    list(a.worn.items()),
                )
                for a in self.agents
            ],
            [
                (i, m.x, m.y, m.hp, m.target, m.dead_until, m.hits, m.attackers, m.fought)
                for i, m in sorted(self.mobs.items())
            ],
            sorted(self.nodes.items()),
            self.ground,
            self.sites,
            len(self.events),
            [self.events[i] for i in self.said],
        )
        return hashlib.blake2b(_ENCODER.encode(plain), digest_size=16).hexdigest()


_ENCODER = msgspec.msgpack.Encoder(order="deterministic")


class Snapshot:
    """A state put aside. It shares the append-only event log with the episode it was taken from.

    Attributes:
        state: Copy of the state, whose logs are the live lists.
        events: How many events of the log belong to it.
        said: How many messages belong to it.
    """

    __slots__ = ("events", "said", "state")

    def __init__(self, state: State) -> None:
        self.events = len(state.events)
        self.said = len(state.said)
        self.state = state.copy(events=state.events, said=state.said)

    def revive(self) -> State:
        """Returns a live state equal to the one that was put aside, independent of every other."""
        shared = self.state
        return shared.copy(events=shared.events[: self.events], said=shared.said[: self.said])

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle_snapshot, (self.revive(),)

    def __deepcopy__(self, memo: dict[int, Any]) -> Snapshot:
        return Snapshot(self.revive())


def _unpickle_snapshot(state: State) -> Snapshot:
    return Snapshot(state)
