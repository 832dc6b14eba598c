"""Sustenance edges of drinks: mana without which a staff could not have struck as it did.

Mana is no part of the event log, but follows from it and from the levels in magic: it is full at the start, every
exchange with a staff costs some, and rounds without fighting and drinks restore it. As with meals, no drink is owed to
a fight that was picked for nothing, and drinks are struck out from the last to the first, so that of two drinks of
which one was enough, one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.enmity import Fight, Quarrel, counts
from agentworld_env.metrics.causal.log import Log, rounds_asleep
from agentworld_env.sim.events import Consumed, Equipped, Struck, Unequipped
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
    """What decides an agent's mana: its drinks and exchanges in order, in which rounds it fought and why, or slept."""

    most: int
    draughts: list[_Draught]
    fought: list[tuple[int, Quarrel]]
    asleep: set[int]
    casts: set[int]


class Mana:
    """Draws the sustenance edges of drinks.

    Args:
        log: The episode.
        fights: Its fights.
        team: Agent -> its role in the task file as plain data, with ``skills`` and ``worn``.
        items: Gives item key -> item; asked only if somebody drank.
    """

    def __init__(
        self,
        log: Log,
        fights: Iterable[Fight],
        team: Mapping[str, Mapping[str, Any]],
        items: Callable[[], Mapping[str, Item]],
    ) -> None:
        drinkers = {event.agent for _, event in log.events if isinstance(event, Consumed) and event.mana}
        self._lives = {
            agent: _life_of(agent, log, fights, team[agent], items())
            for agent in sorted(drinkers & team.keys())
        }

    def edges(self, chosen: dict[str, list[int]], contributing: Container[int]) -> Iterator[Edge]:
        """Yields the edges: each from a drink to the drinker's first contributing blow that needed it.

        Args:
            chosen: Agent -> its contributing actions, ascending.
            contributing: All of them.
        """
        for agent, life in self._lives.items():
            casts = [number for number in chosen.get(agent, ()) if number in life.casts]
            if not casts:
                continue
            fought = {round_ for round_, quarrel in life.fought if counts(quarrel, contributing)}
            draughts = [d for d in life.draughts if not d.cost or d.action in contributing]
            # Strokes of a mob that missed leave no event, so that resting may be overrated; that is no drink's merit.
            anyway = set(_short(life, draughts, fought, set()))
            struck_out: set[int] = set()
            for drink in [draught.action for draught in reversed(draughts) if not draught.cost]:
                missed = [
                    cast
                    for cast in _short(life, draughts, fought, struck_out | {drink})
                    if cast not in anyway
                ]
                if missed:
                    yield Edge(drink, missed[0], "sustenance")
                else:
                    struck_out.add(drink)


def _life_of(
    agent: str, log: Log, fights: Iterable[Fight], role: Mapping[str, Any], items: Mapping[str, Item]
) -> _Life:
    fought = [(fight.event.round, fight.own) for fight in fights if fight.event.agent == agent]
    life = _Life(
        max_mana(role["skills"].get("magic", 1)), [], fought, rounds_asleep(log).get(agent, set()), set()
    )
    weapon = next((item for item in role["worn"] if items[item].slot == _HAND), "")
    for _, event in log.events:
        if getattr(event, "agent", None) != agent:
            continue
        if isinstance(event, Equipped) and event.slot == _HAND:
            weapon = event.item
        elif isinstance(event, Unequipped) and event.slot == _HAND:
            weapon = ""
        elif isinstance(event, Struck):
            cost = items[weapon].mana_cost if weapon else 0
            if cost:
                life.casts.add(event.action)
                life.draughts.append(_Draught(event.action, event.round, cost, event.exchanges))
        elif isinstance(event, Consumed) and event.mana:
            life.draughts.append(_Draught(event.action, event.round, 0, items[event.item].heal_mana))
    return life


def _short(
    life: _Life, draughts: Iterable[_Draught], fought: Container[int], without: Container[int]
) -> Iterator[int]:
    """Yields the calls whose exchanges an agent would not all have had the mana for without some drinks."""
    mana, round_ = life.most, 1
    for draught in draughts:
        for quiet in range(round_, draught.round):
            if quiet not in fought:
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
