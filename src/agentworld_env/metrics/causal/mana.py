"""Sustenance edges of drinks: mana without which a staff could not have struck as it did.

Mana is no part of the event log, but follows from it and from the levels in magic: it is full at the start, every
exchange with a staff costs some, and rounds without fighting and drinks restore it. As with meals, drinks are struck
out from the last to the first, so that of two drinks of which one was enough, one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import Consumed, Equipped, Hurt, Slept, Struck, Unequipped
from agentworld_env.sim.rules import RULES, max_mana
from agentworld_env.world.catalogue import Item

_HAND = "weapon"


class _Draught(msgspec.Struct, frozen=True, gc=False):
    """A drink (``cost`` 0), or the exchanges of one call, each of which cost so much."""

    action: int
    round: int
    cost: int
    units: int


class _Life(msgspec.Struct, gc=False):
    """What decides an agent's mana: its drinks and exchanges in order, and in which rounds it fought or slept."""

    most: int
    draughts: list[_Draught]
    fought: set[int]
    asleep: set[int]


class Mana:
    """Draws the sustenance edges of drinks.

    Args:
        log: The episode.
        team: Agent -> its role in the task file as plain data, with ``skills`` and ``worn``.
        items: Gives item key -> item; asked only if somebody drank.
    """

    def __init__(
        self, log: Log, team: Mapping[str, Mapping[str, Any]], items: Callable[[], Mapping[str, Item]]
    ) -> None:
        self._missed: list[tuple[str, int, list[int]]] = []
        drinkers = {event.agent for _, event in log.events if isinstance(event, Consumed) and event.mana}
        for agent in sorted(drinkers & team.keys()):
            life = _life_of(agent, log, team[agent], items())
            drinks = [draught.action for draught in life.draughts if not draught.cost]
            # Strokes of a mob that missed leave no event, so that resting may be overrated; that is no drink's merit.
            anyway = set(_short(life, set()))
            struck_out: set[int] = set()
            for drink in reversed(drinks):
                missed = [cast for cast in _short(life, struck_out | {drink}) if cast not in anyway]
                if missed:
                    self._missed.append((agent, drink, missed))
                else:
                    struck_out.add(drink)

    def edges(self, chosen: dict[str, list[int]]) -> Iterator[Edge]:
        """Yields the edges: each from a drink to the drinker's first contributing blow that needed it.

        Args:
            chosen: Agent -> its contributing actions, ascending.
        """
        for agent, drink, missed in self._missed:
            cast = next((cast for cast in missed if cast in chosen.get(agent, ())), None)
            if cast is not None:
                yield Edge(drink, cast, "sustenance")


def _life_of(agent: str, log: Log, role: Mapping[str, Any], items: Mapping[str, Item]) -> _Life:
    life = _Life(max_mana(role["skills"].get("magic", 1)), [], set(), set())
    weapon = next((item for item in role["worn"] if items[item].slot == _HAND), "")
    for _, event in log.events:
        if getattr(event, "agent", None) != agent:
            continue
        if isinstance(event, Equipped) and event.slot == _HAND:
            weapon = event.item
        elif isinstance(event, Unequipped) and event.slot == _HAND:
            weapon = ""
        elif isinstance(event, Slept):
            life.asleep.update(range(event.round, event.round + event.rounds))
        elif isinstance(event, Hurt):
            life.fought.add(event.round)
        elif isinstance(event, Struck):
            life.fought.add(event.round)
            cost = items[weapon].mana_cost if weapon else 0
            if cost:
                life.draughts.append(_Draught(event.action, event.round, cost, event.exchanges))
        elif isinstance(event, Consumed) and event.mana:
            life.draughts.append(_Draught(event.action, event.round, 0, items[event.item].heal_mana))
    return life


def _short(life: _Life, without: set[int]) -> Iterator[int]:
    """Yields the calls whose exchanges an agent would not all have had the mana for without some drinks."""
    mana, round_ = life.most, 1
    for draught in life.draughts:
        for quiet in range(round_, draught.round):
            if quiet not in life.fought:
                factor = RULES.sleep_factor if quiet in life.asleep else 1
                mana = min(life.most, mana + max(1, life.most * RULES.regain * factor // 1000))
        round_ = draught.round
        if not draught.cost:
            if draught.action not in without:
                mana = min(life.most, mana + draught.units)
            continue
        possible = min(draught.units, mana // draught.cost)
        if possible < draught.units:
            yield draught.action
        mana -= possible * draught.cost
