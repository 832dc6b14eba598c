"""What calls that do not contribute had an effect on: the half of the laws of CCE that says which calls are useless.

An episode is compared with one in which such calls were not made. They had an effect if something that contributes in
one of the two did otherwise in the other, or rested on something else: on other wounds, on a mob that had gone home
meanwhile, or on another word. docs/cce.md, Laws, says it in full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from agentworld_env.episodes import Episode, TurnLine
from agentworld_env.metrics import Method, Trace
from agentworld_env.metrics.causal import Briefing, Log, homes_of
from agentworld_env.metrics.causal.enmity import counts, fights
from agentworld_env.metrics.causal.information import hearings
from agentworld_env.metrics.causal.log import noticed_by, rounds_asleep
from agentworld_env.metrics.causal.loops import changes
from agentworld_env.sim.events import Consumed, Hurt, Moved, Regained, Struck, Transferred
from agentworld_env.verifiers import Verdict

Slot = tuple[int, str]
"""Round and agent: a turn of an episode."""


class Played(NamedTuple):
    """An episode that was played again, and what contributed.

    Attributes:
        episode: The episode.
        contributing: The turns whose calls contributed.
        lines: Its lines; without success, also those that were played on to tell what contributed.
        trace: What contributed, by the numbers of lines.
        verdict: The verdict after them.
    """

    episode: Episode
    contributing: frozenset[Slot]
    lines: Sequence[TurnLine]
    trace: Trace
    verdict: Verdict

    @property
    def counted(self) -> frozenset[int]:
        """Numbers of the lines whose calls contributed."""
        return frozenset(self.trace.contributing)

    @property
    def share(self) -> float:
        """CCE, or ``partial`` without success."""
        footer = self.episode.footer
        assert footer is not None
        return len(self.contributing) / max(1, sum(footer.turns.values()))

    def place(self, number: int) -> Slot:
        """Returns the turn of a line."""
        return self.lines[number].round, self.lines[number].agent

    @property
    def success(self) -> bool:
        """Whether it is a success."""
        return self.episode.verdict.success


def effects(fat: Played, without: Played, method: Method = "events") -> list[str]:
    """Returns what calls that did not contribute had an effect on.

    That is a call that contributes with them, or would without them, and does not do the same in the same place
    either way; what checkpoints counted, which constraints held, and how many turns everybody had; which other
    hand-overs of the things that such calls dealt with were for nothing because units came back; the wounds and
    the sleep of somebody who ate or drank for it, quarrels picked for nothing aside; when a mob went home that
    such a call had set on somebody; and, with ``events+chat``, what had been said of what such a call dealt
    with.

    Args:
        fat: The episode with these calls.
        without: The episode without them.
        method: How it was decided what contributes.
    """
    found = []
    for one, other in ((fat, without), (without, fat)):
        there, counted = dict(_placed(other.lines)), one.counted
        for place, line in _placed(one.lines):
            if line.action in counted:
                twin = there.get(place)
                if twin is None or _did(twin) != _did(line):
                    found.append(f"{line.agent} in round {line.round}")
    if _counted(fat) != _counted(without):
        found.append("what checkpoints counted")
    if _lasted(fat) != _lasted(without):
        found.append("how many turns there were, or which constraints held")
    items = _items(fat) | _items(without)
    if _undone(fat, without, items) != _undone(without, fat, items):
        found.append("which hand-overs were for nothing")
    if not found:
        with_, bare = _Behind(fat), _Behind(without)
        found += with_.differences(bare)
        if method == "events+chat" and with_.heard() != bare.heard():
            found.append("what had been said")
    return list(dict.fromkeys(found))


class _Behind:
    """What contributing calls rest on though it is no call: wounds, the whereabouts of mobs, and words.

    Args:
        played: The episode.
    """

    def __init__(self, played: Played) -> None:
        self._played, self._counted = played, played.counted
        own = len(played.episode.lines)
        resumed = own if len(played.lines) > own else None
        self._log = homes_of(played.episode.header).told(Log(played.lines), resumed)
        self._last = max((self._log.acts[number].round for number in self._counted), default=0)
        self._eaters: set[str] = set()
        self._drawn: set[str] = set()
        for _, event in self._log.events:
            if event.action in self._counted:
                if isinstance(event, Consumed) and (event.hp or event.mana):
                    self._eaters.add(event.agent)
                elif isinstance(event, Struck):
                    self._drawn.add(event.mob)
                elif isinstance(event, Moved):
                    self._drawn.add(noticed_by(event))

    def differences(self, other: _Behind) -> Iterator[str]:
        """Yields whose wounds, and which mob's whereabouts, differ from those of another such episode."""
        last = max(self._last, other._last)
        for agent in sorted(self._eaters | other._eaters):
            if self._wounds(agent, last) != other._wounds(agent, last):
                yield f"the wounds of {agent}"
        for mob in sorted(self._drawn | other._drawn):
            if self._homecomings(mob, last) != other._homecomings(mob, last):
                yield f"when {mob} went home"

    def _wounds(self, agent: str, last: int) -> list[object]:
        """Returns an agent's fights until a round, without those it had picked for nothing, and when it slept."""
        slept = {round_ for round_ in rounds_asleep(self._log).get(agent, ()) if round_ <= last}
        return [slept] + [
            (event.round, event.mob, event.damage, isinstance(event, Hurt) or event.exchanges)
            for _, event, own, _ in fights(self._log)
            if event.agent == agent and event.round <= last and counts(own, self._counted)
        ]

    def _homecomings(self, mob: str, last: int) -> list[int]:
        return [
            event.round
            for _, event in self._log.events
            if isinstance(event, Regained) and event.mob == mob and event.round < last
        ]

    def heard(self) -> set[tuple[Any, ...]]:
        """Returns, for every contributing call, what had been said of what it dealt with, by whom and when."""
        played, slots = self._played, [(line.round, line.agent) for line in self._played.lines]
        own = len(played.episode.lines)
        return {
            (slots[action], mention, slots[word.source] if word.source >= 0 else None, news)
            for action, mention, word, news in hearings(self._log, Briefing(played.episode.header))
            if action in self._counted and action < own
        }


def _items(played: Played) -> set[str]:
    """Returns the items that contributing calls got, gave or used up."""
    counted = played.counted
    lines = [line for line in played.lines if line.action in counted]
    return {change.item for line in lines for event in line.events for change in changes(event)}


def _undone(played: Played, other: Played, items: Container[str]) -> set[tuple[Slot, int]]:
    """Returns the hand-overs of some items for nothing that were tried in another episode as well, with their units."""
    there = dict(_placed(other.lines))
    calls = {line.action: (place, line) for place, line in _placed(played.lines)}
    found = set()
    for number, units in played.trace.undone:
        place, line = calls[number]
        moved = any(isinstance(event, Transferred) and event.item in items for event in line.events)
        if moved and place in there and there[place].call == line.call:
            found.add((place[:2], units))
    return found


def _lasted(played: Played) -> tuple[Mapping[str, int], list[bool]]:
    """Returns the turns that agents had in an episode, and which constraints held."""
    footer = played.episode.footer
    assert footer is not None
    return footer.turns, [rule.held for rule in played.episode.verdict.constraints]


def _counted(played: Played) -> list[tuple[bool, int]]:
    """Returns what checkpoints had counted at the end of an episode, and after what was played on."""
    points = (*played.episode.verdict.checkpoints, *played.verdict.checkpoints)
    return [(point.reached, point.have) for point in points]


def _placed(lines: Sequence[TurnLine]) -> Iterator[tuple[tuple[int, str, int], TurnLine]]:
    """Yields lines with their round, agent and place among the lines of that turn.

    There may be several in one turn where an episode was played on: the fallen take up their things at once.
    """
    seen: Counter[Slot] = Counter()
    for line in lines:
        slot = line.round, line.agent
        yield (*slot, seen[slot]), line
        seen[slot] += 1


def _did(line: TurnLine) -> tuple[Any, ...]:
    """Returns what a call did, wherever its agent came from and however much was left of those who fought."""
    events = []
    for event in line.events:
        if event.action == line.action:
            fields = msgspec.structs.asdict(event)
            passing = ("x0", "y0", "steps") if isinstance(event, Moved) else ("hp",)
            if isinstance(event, Moved | Hurt | Struck):
                fields = {name: value for name, value in fields.items() if name not in passing}
            events.append((type(event), fields))
    return line.result, events
