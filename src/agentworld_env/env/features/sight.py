"""What one agent sees at one moment, cut to the rows that features and the action menu have."""

from __future__ import annotations

from agentworld_env.env.features.layout import GROUND, MESSAGES, MOBS
from agentworld_env.env.features.pouch import Pouch
from agentworld_env.env.features.spot import Spot, trades_of
from agentworld_env.env.seen import SeenGround, SeenMob
from agentworld_env.env.view import View
from agentworld_env.sim.events import Said
from agentworld_env.sim.state import ACTIVE

MateRow = tuple[int, int, int, int, int, str]
"""A team-mate in sight: distance, row among the others in turn order, index, column, row of the map, id."""


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
        trades: What each person in sight trades.
        ground: Things on the ground.
        messages: Messages, oldest first.
        new_messages: How many of them are new.
    """

    __slots__ = (
        "acts", "awake", "ground", "mates", "messages", "mobs", "new_messages", "pouch", "specs", "spot",
        "trades", "view", "worn", "x", "y",
    )  # fmt: skip

    def __init__(self, view: View, spot: Spot, pouch: Pouch) -> None:
        me, sim = view._me, view._sim
        self.view, self.spot, self.pouch = view, spot, pouch
        self.x, self.y = me.x, me.y
        self.acts = me.status == ACTIVE
        self.awake = not me.asleep or _wakes(view)
        self.worn = {slot: piece[0] for slot, piece in me.worn.items()}
        self.mobs: tuple[SeenMob, ...] = view.listed_mobs[:MOBS]
        spec = sim.spec
        self.specs = [spec(mob.number) for mob in self.mobs]
        agents, number = sim.state.agents, view._agent
        self.mates: list[MateRow] = [
            (distance, i - (i > number), i, agents[i].x, agents[i].y, name)
            for distance, name, i in view.mate_rows
        ]
        self.trades = spot.trades
        if spot.changing:
            rows = list(spot.trades)
            for k in spot.changing:
                rows[k] = trades_of(view, spot.people[k].person)
            self.trades = tuple(rows)
        self.ground: tuple[SeenGround, ...] = view.ground[:GROUND] if sim.state.ground else ()
        self.messages: tuple[Said, ...] = view._messages[-MESSAGES:]
        self.new_messages = min(view.new_messages, len(self.messages)) if self.messages else 0


def _wakes(view: View) -> bool:
    """Returns whether a sleeper is awake when its next turn comes; its turn of this round may have passed already."""
    me, state = view._me, view._sim.state
    slept = view._agent < state.turn and me.last is not None and me.last.round < state.round
    return me.asleep == 1 and not slept
