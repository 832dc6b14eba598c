"""What one agent sees at one moment, cut to the rows that features and the action menu have."""

from __future__ import annotations

from typing import NamedTuple

from agentworld_env.env.features.layout import GROUND, MESSAGES, MOBS, TRADES
from agentworld_env.env.features.pouch import Pouch
from agentworld_env.env.features.spot import Spot
from agentworld_env.env.seen import SeenGround, SeenMob
from agentworld_env.env.view import View
from agentworld_env.sim.events import Said
from agentworld_env.sim.state import ACTIVE
from agentworld_env.world.catalogue import Npc


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


class MateRow(NamedTuple):
    """A team-mate in sight: its row among the others in turn order, and where it stands."""

    distance: int
    name: str
    number: int
    row: int
    x: int
    y: int


class Sight:
    """One agent's rows at one moment. It is read at once, so that it never goes stale.

    Args:
        view: The agent's view.
        spot: Its surroundings.
        pouch: Its bag.

    Attributes:
        view: The agent's view, for what is asked at the same moment.
        acts: Whether it is alive and has not left.
        awake: Whether it can act when its next turn comes.
        worn: Slot -> item.
        mobs: Creatures.
        specs: Their figures.
        mates: Team-mates in sight, nearest first.
        mate_names: Row -> id of each team-mate in sight.
        trades: What each person in sight trades.
        ground: Things on the ground.
        messages: Messages, oldest first.
        new_messages: How many of them are new.
    """

    __slots__ = (
        "acts", "awake", "ground", "mate_names", "mates", "messages", "mobs", "new_messages", "pouch", "specs", "spot",
        "trades", "view", "worn", "x", "y",
    )  # fmt: skip

    def __init__(self, view: View, spot: Spot, pouch: Pouch) -> None:
        me, sim = view.me, view.sim
        self.view, self.spot, self.pouch = view, spot, pouch
        self.x, self.y = me.x, me.y
        self.acts = me.status == ACTIVE
        self.awake = not me.asleep or _wakes(view)
        self.worn = {slot: piece[0] for slot, piece in me.worn.items()}
        self.mobs: tuple[SeenMob, ...] = view.listed_mobs[:MOBS]
        spec = sim.spec
        self.specs = [spec(mob.number) for mob in self.mobs]
        agents, number = sim.state.agents, view.agent
        self.mates = [
            MateRow(distance, name, i, i - (i > number), agents[i].x, agents[i].y)
            for distance, name, i in view.mate_rows
        ]
        self.mate_names = {mate.row: mate.name for mate in self.mates}
        self.trades: list[tuple[Trade, ...]] = [
            trades_of(view, row.person) if row.told else () for row in spot.people
        ]
        self.ground: tuple[SeenGround, ...] = view.ground[:GROUND] if sim.state.ground else ()
        self.messages: tuple[Said, ...] = view.messages[-MESSAGES:]
        self.new_messages = min(view.new_messages, len(self.messages)) if self.messages else 0


def _wakes(view: View) -> bool:
    """Returns whether a sleeper is awake when its next turn comes; its turn of this round may have passed already."""
    me, state = view.me, view.sim.state
    slept = view.agent < state.turn and me.last is not None and me.last.round < state.round
    return me.asleep == 1 and not slept


def trades_of(view: View, person: Npc) -> tuple[Trade, ...]:
    """Returns what a person or site trades now, at most ``TRADES`` lines."""
    if person.offers:
        return tuple([Trade(o.take, o.take_count, o.give, o.give_count) for o in person.offers[:TRADES]])
    got: dict[str, int] = view.sim.state.sites.get(person.id, {})
    wants = list(person.wants.items())[:TRADES]
    return tuple([Trade(item, wanted - got.get(item, 0)) for item, wanted in wants])
