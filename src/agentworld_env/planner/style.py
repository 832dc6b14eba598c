"""Ways of working that a plan can be made in; which one is fastest depends on the task and is found by rehearsal."""

from __future__ import annotations

from typing import Any

import msgspec

from agentworld_env.planner.jobs import Tile

CAUTION = 45
"""Percent of hit points below which an agent eats, unless rehearsals speak for more or less."""


class Style(msgspec.Struct, frozen=True, kw_only=True):
    """Choices that a plan leaves open.

    Attributes:
        halfway: Whether agents may meet somewhere between their places of work.
        spread: Crafts go to: 0 whoever already crafts, 1 whoever has least to do, 2 several crafters at once.
        round_up: Whether to make a few units more than needed, since five crafts take one call and four take four.
        on_the_spot: Whether gatherers are taken to work where they stand, if they can, or on the way to where units
            are wanted; it decides where others expect them.
        eager: How often a giver hands over a part of its materials as soon as the receiver can start with it.
        home_first: Whether to bring in what others wait for before gathering what only has to be counted.
        new_hand: Turns that a further gatherer is taken to cost; few spread the work wide.
        few_givers: Whether to serve a use from as few givers as possible rather than from the nearest.
        portion: Units that a gatherer brings over at once while it still gathers; 0 brings everything at the end.
        caution: Percent of hit points below which an agent eats.
        crowd: Attackers sent to a boss beyond those that it takes.
        strikes: Whether anybody strikes at creatures; certificates ask what becomes of a team that does not.
        eats: Whether the wounded eat; likewise.
        reuses: Whether deliveries of what must be made in the episode may be served from bags. At its start nothing in
            them was; for a plan in mid-episode it spares making things twice.
        handicaps: Pairs (agent index, turns): agents taken to be so much busier than they are.
        hubs: Pairs (agent index, tile): meeting places other than the planner would choose.
    """

    halfway: bool = True
    spread: int = 1
    round_up: bool = False
    on_the_spot: bool = True
    eager: int = 9
    home_first: bool = True
    new_hand: int = 2
    few_givers: bool = True
    portion: int = 0
    caution: int = CAUTION
    crowd: int = 2
    strikes: bool = True
    eats: bool = True
    reuses: bool = False
    handicaps: tuple[tuple[int, int], ...] = ()
    hubs: tuple[tuple[int, Tile], ...] = ()


CHOICES: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("halfway", (False, True)),
    ("caution", (CAUTION + 20, CAUTION - 20)),
    ("crowd", (4, 0, 8)),
    ("spread", (0, 1, 2)),
    ("on_the_spot", (False,)),
    ("round_up", (True, False)),
    ("new_hand", (0, 2, 5)),
    ("portion", (5, 10)),
    ("eager", (0, 1, 2)),
    ("home_first", (False, True)),
    ("few_givers", (False, True)),
)
"""What rehearsals try, one field at a time, in this order."""
