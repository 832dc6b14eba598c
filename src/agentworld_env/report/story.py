"""The story of an episode, round by round, told from the turns of its record."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from agentworld_env.env import call_text, event_text
from agentworld_env.episodes import Episode, TurnLine, played_spec
from agentworld_env.sim.events import Said, Slept
from agentworld_env.verifiers import Verdict

WIDTH = 80
"""Columns of a story."""

Kind = Literal["title", "round", "turn", "failed", "said", "asleep", "world", "reached", "broken"]


class StoryLine(NamedTuple):
    """One entry of a story: what it is about, who did it (may be empty), and a sentence."""

    kind: Kind
    who: str
    text: str


_MARKS: dict[str, str] = {"asleep": ".", "world": "~", "reached": "*", "broken": "!"}


class Story:
    """Tells an episode turn by turn.

    Args:
        spec: The task's specification as plain data, as in a record's header.
    """

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._spec = spec
        self._round = 0
        self._reached: set[int] = set()
        self._broken: set[int] = set()
        self._sleepers: list[str] = []
        self._margin = max(len(name) for name in spec["team"])

    def opening(self, policy: str, seed: int, setting: str) -> list[StoryLine]:
        """Returns what the episode is about.

        Args:
            policy: Name of the policy.
            seed: Seed of the episode.
            setting: Name of the setting.
        """
        spec = self._spec
        return [
            StoryLine("title", "", f"{spec['id']}: {spec['title']}"),
            StoryLine("turn", "", str(spec["objective"])),
            StoryLine("turn", "", f"Team: {', '.join(spec['team'])}."),
            StoryLine("turn", "", f"Policy {policy}, seed {seed}, setting {setting}."),
        ]

    def turn(self, line: TurnLine, verdict: Verdict | None = None) -> list[StoryLine]:
        """Returns what happened in a turn.

        Args:
            line: The turn.
            verdict: The verdict right after it; what it says for the first time is told.
        """
        told: list[StoryLine] = []
        if line.round != self._round:
            self._round = line.round
            told += self.closing()
            told.append(StoryLine("round", "", f"Round {line.round} of {self._spec['max_rounds']}"))
        if any(isinstance(event, Slept) and event.action == line.action for event in line.events):
            self._sleepers.append(line.agent)
        else:
            told.append(_own(line))
        told += [
            StoryLine("world", "", text)
            for text in (event_text(event) for event in line.events if event.action != line.action)
            if text
        ]
        if verdict is not None:
            told += self.news(verdict)
        return told

    def closing(self) -> list[StoryLine]:
        """Returns who went to sleep in the round; to be told once more after the last turn."""
        if not self._sleepers:
            return []
        names, self._sleepers = self._sleepers, []
        return [StoryLine("asleep", "", f"asleep: {', '.join(names)}")]

    def news(self, verdict: Verdict, round_: int | None = None) -> list[StoryLine]:
        """Returns what a verdict says was reached or broken and has not been told yet.

        Args:
            verdict: The verdict.
            round_: Leaves out what came after this round.
        """
        told: list[StoryLine] = []
        for i, point in enumerate(verdict.checkpoints):
            if not point.reached:
                self._reached.discard(i)
            elif i not in self._reached and (round_ is None or point.round <= round_):
                self._reached.add(i)
                told.append(StoryLine("reached", "", f"reached: {point.text}"))
        for i, rule in enumerate(verdict.constraints):
            if not rule.held and i not in self._broken and (round_ is None or rule.round <= round_):
                self._broken.add(i)
                by = f" (by {rule.broken_by})" if rule.broken_by else ""
                told.append(StoryLine("broken", "", f"broken: {rule.label}{by}"))
        return told

    def plain(self, line: StoryLine, width: int = WIDTH) -> str:
        """Returns an entry as plain text, wrapped.

        Args:
            line: The entry.
            width: Columns to fill at most.
        """
        if line.kind == "title":
            head, hang = "", ""
        elif line.kind == "round":
            head, hang = "-- ", "   "
        elif line.kind in _MARKS:
            head = f"  {_MARKS[line.kind]} ".rjust(self._margin + 4)
            hang = " " * len(head)
        elif line.who:
            head = f"  {line.who.ljust(self._margin)}  "
            hang = " " * len(head)
        else:
            head = hang = ""
        text = "".join(c if c.isprintable() else "?" for c in line.text)
        if line.kind == "round":
            text = f"{text} ".ljust(max(len(text) + 1, width - len(head)), "-")
        return (
            "\n".join(textwrap.wrap(text, width, initial_indent=head, subsequent_indent=hang))
            or head.rstrip()
        )


def tell_episode(episode: Episode) -> Iterator[tuple[Story, StoryLine]]:
    """Tells a recorded episode.

    Yields:
        The story, which knows how to lay its lines out, and the next line.
    """
    header = episode.header
    story = Story(played_spec(header))
    for entry in story.opening(str(header.policy.get("name", "")), header.seed, header.setting):
        yield story, entry
    for i, line in enumerate(episode.lines):
        for entry in story.turn(line):
            yield story, entry
        if i + 1 == len(episode.lines) or episode.lines[i + 1].round != line.round:
            news = [] if episode.footer is None else story.news(episode.footer.verdict, line.round)
            for entry in (*story.closing(), *news):
                yield story, entry


def _own(line: TurnLine) -> StoryLine:
    own = [event for event in line.events if event.action == line.action]
    said = next((event for event in own if isinstance(event, Said)), None)
    if said is not None:
        verb = "says aloud" if said.channel == "local" else "tells the team"
        heard = "" if said.heard else " (nobody hears it)"
        return StoryLine("said", line.agent, f'{verb}: "{said.text}"{heard}')
    what = "; ".join(text for text in map(event_text, own) if text)
    if line.result.ok:
        return StoryLine("turn", line.agent, what or _call(line))
    but = f"; but {what}" if what else ""
    return StoryLine("failed", line.agent, f"fails at {_call(line)}: {line.result.reason}{but}")


def _call(line: TurnLine) -> str:
    arguments = line.call.get("arguments")
    text = call_text(str(line.call.get("tool") or ""), arguments if isinstance(arguments, dict) else {})
    return text if len(text) <= 2 * WIDTH else text[: 2 * WIDTH - 3] + "..."
