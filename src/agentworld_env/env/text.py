"""The observation text: what one agent is shown in one turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from gymnasium import spaces

from agentworld_env.env.seen import SeenMob
from agentworld_env.env.telling import call_text, event_text, result_text
from agentworld_env.env.view import View
from agentworld_env.sim import events as ev
from agentworld_env.world.catalogue import Npc
from agentworld_env.world.geometry import compass
from agentworld_env.world.near import NEAREST
from agentworld_env.world.overview import LEGEND, SQUARE

MAX_OBSERVATION = 16_384
"""Longest observation (characters)."""

_TAG = re.compile(r"<(?=[^\W\d]|\s*[/|!?])")
"""What might begin a tag or a control token of a model; ``<`` in a comparison is left alone."""

_SAMPLE = "".join(chr(c) for c in range(32, 127)) + "\n"
_MAP_HEADING = f"Map, north up, {SQUARE} tiles a character ({LEGEND}):"
_LISTED = 2 * NEAREST
"""So many team-mates and things on the ground are listed; the rest are counted."""

_NODES = 3
"""So many nodes of a kind that the agent can harvest are named; the view and the legal calls name more."""

_PEACEFUL = 2
"""Of so many of the nearest creatures even those are told that leave everybody alone."""

_PEOPLE = 3
"""So many people are listed, and all sites; the rest are counted."""

_PRICES = 2
"""Of so many people what they trade is told; of those farther away only where they are."""


class ObservationText(str):
    """An observation: a plain string that says its NumPy dtype, as PettingZoo's conformance test expects."""

    __slots__ = ()

    dtype = np.dtype(str)


class ObservationSpace(spaces.Text):
    """All texts of up to ``MAX_OBSERVATION`` characters without control characters other than line breaks."""

    dtype: Any

    def __init__(self) -> None:
        super().__init__(max_length=MAX_OBSERVATION, min_length=0, charset=_SAMPLE)

    def contains(self, x: Any) -> bool:
        """Returns whether something is an observation text."""
        return isinstance(x, str) and len(x) <= MAX_OBSERVATION and x.replace("\n", "").isprintable()

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Returns a random text; only the conformance tests need one."""
        return ObservationText(super().sample(mask, probability))


def observation_text(view: View, note: str = "") -> ObservationText:
    """Returns the text of a view.

    Args:
        view: What the agent sees.
        note: A remark that comes first, or empty.
    """
    lines = [note] if note else []
    lines += _sight(view)
    _messages(view, lines, MAX_OBSERVATION)
    return ObservationText(_cut("\n".join(lines), MAX_OBSERVATION))


def oracle_text(view: View, others: Sequence[View], note: str = "") -> ObservationText:
    """Returns the text of an agent that also sees through the eyes of others; each gets an equal share of it.

    Args:
        view: What the agent itself sees.
        others: What the others see.
        note: A remark that comes first, or empty.
    """
    lines = [note] if note else []
    lines += _sight(view)
    limit = MAX_OBSERVATION // 3 if others else MAX_OBSERVATION
    _messages(view, lines, limit)
    parts = [_cut("\n".join(lines), limit)]
    share = (MAX_OBSERVATION - len(parts[0])) // max(1, len(others))
    for other in others:
        head = f"\n\nWhat {other._name} is shown:\n"
        parts.append(head + _cut("\n".join(_sight(other)), share - len(head)))
    return ObservationText("".join(parts))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 4].rsplit("\n", 1)[0] + "\n..."


def _sight(view: View) -> list[str]:
    """Returns all lines of a view but its messages."""
    lines: list[str] = []
    _status(view, lines)
    _last(view, lines)
    _map(view, lines)
    _nodes(view, lines)
    _mobs(view, lines)
    _mates(view, lines)
    _places(view, lines)
    return lines


def _status(view: View, lines: list[str]) -> None:
    sim, me, i = view._sim, view._me, view._agent
    place = sim.world.place_at(me.x, me.y)
    where = sim.world.terrain.biome_at(me.x, me.y).replace("_", " ")
    if place is not None:
        where = f"{place.name} ({where})"
    worn = ", ".join([piece[0] for piece in me.worn.values()]) or "nothing"
    bag = ", ".join([f"{me.count(item)} {item}" for item in me.bag]) or "nothing"
    skills = ", ".join([f"{skill} {level}" for skill, level in view.levels().items()]) or "none"
    lines += (
        f"Round {sim.state.round} of {view._max_rounds}. You are {view._name} at ({me.x}, {me.y}), {where}.",
        f"Hit points {me.hp}/{sim.max_hp[i]}, mana {me.mana}/{sim.max_mana[i]}. Skills: {skills}.",
        f"Worn: {worn}. Bag: {bag}.",
    )


def _last(view: View, lines: list[str]) -> None:
    last, sim = view._me.last, view._sim
    if last is None:
        return
    lines.append(f"Your last call: {call_text(last.tool, last.arguments)}")
    lines.append(f"Result: {result_text(sim, view._name, last)}.")
    since = [event_text(event, view._name) for event in _happened(view, last.end)]
    if since:
        lines.append(f"Since then: {'; '.join(since)}.")


def _map(view: View, lines: list[str]) -> None:
    lines.append(_MAP_HEADING)
    lines += view.map


def _happened(view: View, start: int) -> list[ev.Event]:
    """Returns what befell the agent since its own call: damage, gifts, waking, and deaths in its sight."""
    name, sim, me = view._name, view._sim, view._me
    found: list[ev.Event] = []
    for event in sim.whereabouts.befell(view._agent, start):
        kind = type(event)
        if kind is ev.Hurt or kind is ev.Woke:
            if event.agent == name:  # type: ignore[attr-defined]
                found.append(event)
        elif kind is ev.Transferred:
            if event.to == name:  # type: ignore[attr-defined]
                found.append(event)
        elif kind is ev.Died:
            fallen = sim.state.agents[sim.index[event.agent]]  # type: ignore[attr-defined]
            if abs(fallen.x - me.x) + abs(fallen.y - me.y) <= sim.rules.sight_people:
                found.append(event)
    return found


def _nodes(view: View, lines: list[str]) -> None:
    if not view.nodes:
        return
    sim = view._sim
    nodes, labels, kinds = sim.world.nodes, sim.world.node_labels, sim.world.node_kinds
    lines.append("Resources in sight, nearest first:")
    others: list[str] = []
    for seen in view.nodes:
        kind = kinds[seen.kind]
        if sim.level(view._agent, kind.skill) < kind.level:
            # Of what the agent cannot harvest a tile is enough: it may tell the others.
            others.extend([f"{kind.gives} ({nodes[n].x},{nodes[n].y})" for _, n in seen.nearest[:1]])
            continue
        parts = [labels[number] for _, number in seen.nearest[:_NODES]] or ["none now"]
        more = seen.more + max(len(seen.nearest) - _NODES, 0)
        if more:
            parts.append(f"{more} more")
        if seen.depleted:
            parts.append(f"{seen.depleted} depleted")
        lines.append(f"- {kind.gives}: {', '.join(parts)}")
    if others:
        lines.append(f"- beyond your skill: {', '.join(others)}")


def _mobs(view: View, lines: list[str]) -> None:
    if not view.mob_count:
        return
    lines.append("Creatures in sight, with distance, level and hit points:")
    spec, name = view._sim.spec, view._sim.named_from
    listed = [
        mob
        for k, mob in enumerate(view.listed_mobs)
        if k < _PEACEFUL or mob.target or mob.number >= name or spec(mob.number).temper != "no"
    ]
    lines.extend([_mob(view, mob) for mob in listed])
    _rest(lines, view.mob_count - len(listed))


def _mob(view: View, mob: SeenMob) -> str:
    spec = view._sim.spec(mob.number)
    hostile = "" if spec.temper == "no" else ", hostile"
    after = f", fights {'you' if mob.target == view._name else mob.target}" if mob.target else ""
    team = f"; regains everything unless {spec.team} of you strike it every round" if spec.team > 1 else ""
    return (
        f"- {spec.id} ({mob.x},{mob.y}) {mob.distance}, level {spec.level}, "
        f"{mob.hp}/{spec.hp}{hostile}{after}{team}"
    )


def _mates(view: View, lines: list[str]) -> None:
    if not view.mate_rows:
        return
    lines.append("Team-mates in sight:")
    for m in view.nearest_mates(_LISTED):
        worn = f", wears {', '.join(m.worn)}" if m.worn else ""
        lines.append(f"- {m.name} ({m.x},{m.y}) {m.distance}, {m.condition}{worn}")
    _rest(lines, len(view.mate_rows) - _LISTED)


def _places(view: View, lines: list[str]) -> None:
    """People, sites, portals, and things on the ground."""
    me, people, portals, ground = view._me, view._people, view.portals, view.ground
    if people:
        lines.append("People and sites in sight:")
        told = rest = 0
        for distance, person in people:
            # The nearest few, and every site: most tasks turn on theirs. Far price lists would cost most of a text.
            if told >= _PEOPLE and person.role != "site":
                rest += 1
                continue
            trade = _trade(view, person) if told < _PRICES or person.role == "site" else ""
            lines.append(f"- {person.id} ({person.x},{person.y}) {distance}, {person.role}{trade}")
            told += 1
        _rest(lines, rest)
    if portals:
        lines.append("Portals in sight:")
        for distance, portal in portals[:NEAREST]:
            way = compass(portal.x - me.x, portal.y - me.y)
            lines.append(f"- {portal.name} ({portal.x},{portal.y}) {distance}, {way}")
        _rest(lines, len(portals) - NEAREST)
    if ground:
        lines.append("On the ground:")
        lines.extend([f"- {g.id} ({g.x},{g.y}) {g.distance}, {g.units} {g.item}" for g in ground[:_LISTED]])
        _rest(lines, len(ground) - _LISTED)


def _rest(lines: list[str], more: int) -> None:
    if more > 0:
        lines.append(f"- {more} more")


def _trade(view: View, person: Npc) -> str:
    if person.role == "merchant":
        offers = "; ".join([f"{o.give_count} {o.give} for {o.take_count} {o.take}" for o in person.offers])
        return f", gives {offers}"
    if person.wants:
        got = view._sim.state.sites.get(person.id, {})
        still = [f"{n - got.get(item, 0)} {item}" for item, n in person.wants.items() if n > got.get(item, 0)]
        return f", still wants {', '.join(still)}" if still else ", wants nothing more"
    return ""


def _messages(view: View, lines: list[str], limit: int) -> None:
    """Adds the messages, up to the first for which a text of so many characters has no room."""
    messages = view._messages
    if not messages:
        return
    lines.append("Messages from team-mates (their words, between << and >>):")
    first_new = len(messages) - view.new_messages
    room = limit - sum(map(len, lines))
    for k, message in enumerate(messages):
        mark = ", new" if k >= first_new else ""
        aloud = ", aloud" if message.channel == "local" else ""
        line = f"- {message.agent}, round {message.round}{aloud}{mark}: <<{_fenced(message.text)}>>"
        lines.append(line)
        room -= len(line)
        if room < 0:
            # The cut falls into this line or an earlier one.
            return


@lru_cache(maxsize=1_024)
def _fenced(text: str) -> str:
    """Returns a message that can neither open nor close its own fence, nor a tag that a prompt puts around it."""
    text = _TAG.sub("[", text)
    for mark in "<>":
        while mark + mark in text:
            text = text.replace(mark + mark, f"{mark} {mark}")
    # At an end one mark would do, for the fence's own two stand right beside it.
    return f"{' ' * text.startswith('<')}{text}{' ' * text.endswith('>')}"
