"""What one seat remembers: its own doings, what it has seen, and what it was told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from agentworld_env.policies.protocol import Brief
from agentworld_env.policies.scripted import talk

Spot = tuple[int, int]


class Memory:
    """One agent's memory. It learns from the agent's brief and views, and from nothing else.

    Args:
        brief: What the agent is told before its first turn.

    Attributes:
        spots: Where things, places and team-mates are, as last read, seen or told.
        done: Units per (event, item or mob, receiver) of the agent's own calls.
        needs: Item -> who asked for it last, and for how many units.
        shares: Item -> units that fell to the agent by word of a team-mate.
        kills: Mob -> kills that others reported.
        ready: Mob -> who stands ready for it.
        strikes: Mob -> round from which everybody strikes.
        search: Box to be searched, (columns, rows), once somebody has named it.
        asked: Places that somebody has asked for since they were last told.
        food: Item -> hit points that it restored when it was last used.
        avoid: Nodes that turned out to be out of reach.
    """

    def __init__(self, brief: Brief) -> None:
        self.agent = brief.agent
        self.spots: dict[str, Spot] = {}
        for group in ("places", "sites", "mobs"):
            for key, fact in brief.facts[group].items():
                if fact["at"] is not None:
                    self.spots[key] = (fact["at"][0], fact["at"][1])
        self.done: Counter[tuple[str, str, str]] = Counter()
        self.needs: dict[str, tuple[str, int]] = {}
        self.shares: dict[str, int] = {}
        self.kills: Counter[str] = Counter()
        self.ready: dict[str, set[str]] = {}
        self.strikes: dict[str, int] = {}
        self.search: tuple[Spot, Spot] | None = None
        self.asked: set[str] = set()
        self.food: dict[str, int] = {}
        self.avoid: set[str] = set()
        self._heard: set[tuple[int, str]] = set()

    def note(self, view: Mapping[str, Any]) -> None:
        """Takes in a view: what came of the last call, who is in sight, what was said.

        Args:
            view: The agent's view as plain data.
        """
        self._own_call(view["last"])
        for seen in view["mates"]:
            self.spots[seen["name"]] = (seen["x"], seen["y"])
        for seen in view["people"]:
            self.spots[seen["id"]] = (seen["x"], seen["y"])
        for message in view["messages"]:
            # An agent speaks at most once a round, and older messages are shown again.
            key = (message["round"], message["from"])
            if key not in self._heard:
                self._heard.add(key)
                for kind, words in talk.sentences(message["text"]):
                    self.learn(message["from"], kind, words)

    def learn(self, speaker: str, kind: str, words: tuple[str, ...]) -> None:
        """Takes in one sentence of the protocol.

        Args:
            speaker: Who said it.
            kind: Kind of sentence.
            words: What it names.
        """
        match kind:
            case "place":
                self.spots[words[0]] = (int(words[1]), int(words[2]))
            case "where":
                self.asked.add(words[0])
            case "need":
                self.needs[words[1]] = (speaker, int(words[0]))
            case "share" if words[0] == self.agent:
                self.shares[words[2]] = int(words[1])
            case "killed":
                self.kills[words[0]] += 1
            case "ready":
                self.ready.setdefault(words[0], set()).add(speaker)
            case "strike":
                self.strikes[words[0]] = int(words[1])
            case "search":
                x0, x1, y0, y1 = (int(word) for word in words)
                self.search = ((x0, x1), (y0, y1))

    def _own_call(self, last: Mapping[str, Any] | None) -> None:
        if last is None:
            return
        if not last["ok"]:
            if last["reason"].endswith("tiles of path away"):
                self.avoid.add(last["arguments"].get("target", ""))
            return
        for event in last["events"]:
            match event["event"]:
                case "Harvested" | "Crafted" as kind:
                    self.done[kind, event["item"], ""] += event["count"]
                case "Transferred" as kind:
                    self.done[kind, event["item"], event["to"]] += event["count"]
                case "Killed" as kind:
                    # A named creature is known by its id, any other by its kind.
                    for mob in {event["mob"], event["mob"].rsplit("-", 1)[0]}:
                        self.done[kind, mob, ""] += 1
                case "Consumed":
                    self.food[event["item"]] = event["hp"]
