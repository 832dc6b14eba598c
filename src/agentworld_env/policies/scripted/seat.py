"""One agent's seat at the table: its brief, its script, its memory, and the next call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentworld_env.policies.protocol import Brief, Call
from agentworld_env.policies.scripted import talk
from agentworld_env.policies.scripted.load import Step
from agentworld_env.policies.scripted.memory import Memory, Spot

_SHORT = 2
"""An agent eats once it has less than one part in so many of its hit points ..."""

_WALKING = 4
"""... and on the way only with less than one in so many, for walking on is what shakes off a pursuer."""


class Seat:
    """Plays one agent by its script: one step after another, each until it is done.

    Args:
        brief: What the agent is told; the seat knows of nothing else.
        steps: Its script.

    Attributes:
        view: The agent's present view as plain data.
        edible: What it could eat or drink now.
        scratch: What the present step remembers; empty when a step begins.
    """

    def __init__(self, brief: Brief, steps: tuple[Step, ...]) -> None:
        self.brief = brief
        self.facts = brief.facts
        self.memory = Memory(brief)
        self.view: Mapping[str, Any] = {}
        self.edible: tuple[str, ...] = ()
        self.scratch: dict[Any, Any] = {}
        self._steps = steps
        self._next = 0
        self._told: dict[str, Spot] = {}
        tools = {tool["function"]["name"] for tool in brief.tools}
        self._voice = next((tool for tool in ("chat", "send_chat_message") if tool in tools), "")

    def act(self, view: Mapping[str, Any], edible: tuple[str, ...], verbs: Mapping[str, Verb]) -> Call:
        """Returns the agent's call.

        Args:
            view: Its view as plain data.
            edible: What it could eat or drink now.
            verbs: Name of a step -> what plays it.
        """
        self.view, self.edible = view, edible
        self.memory.note(view)
        call = self._answer()
        if call is not None:
            return call
        while self._next < len(self._steps):
            verb, arguments = self._steps[self._next]
            call = verbs[verb](self, **arguments)
            if call is not None:
                # In a joint fight the squad takes turns at eating.
                return call if verb == "boss" or call["tool"] == self._voice else self._fed(call)
            self._next += 1
            self.scratch = {}
        return self._fed(wait())

    def since(self, event: str, item: str, to: str = "") -> int:
        """Returns the units of the agent's own doing since the present step began.

        Args:
            event: Name of the event.
            item: Item or mob.
            to: Receiver, for transfers.
        """
        now = self.memory.done[event, item, to]
        before: int = self.scratch.setdefault((event, item, to), now)
        return now - before

    def held(self, item: str) -> int:
        """Returns how many units of an item are in the bag."""
        count: int = self.view["bag"].get(item, 0)
        return count

    def say(self, text: str) -> Call | None:
        """Returns the call that says something, or None where nobody can talk."""
        return {"tool": self._voice, "arguments": {"message": text}} if self._voice else None

    def tell(self, name: str, spot: Spot) -> Call | None:
        """Returns the call that says where something is; whoever asks later is told again."""
        self._told[name] = spot
        self.memory.asked.discard(name)
        return self.say(talk.place(name, *spot))

    def once(self, text: str) -> Call | None:
        """Returns the call that says something, the first time in this step."""
        if text in self.scratch:
            return None
        self.scratch[text] = True
        return self.say(text)

    def distance(self, spot: Spot) -> int:
        """Returns how far a tile is (tiles)."""
        here: int = abs(self.view["x"] - spot[0]) + abs(self.view["y"] - spot[1])
        return here

    def walk(self, spot: Spot, within: int) -> Call | None:
        """Returns a move towards a tile, or None once it is near enough or the way has ended.

        Args:
            spot: The tile.
            within: How near is near enough (tiles).
        """
        if self.distance(spot) <= within or self._way_ended(spot):
            return None
        return {"tool": "move_character", "arguments": {"x": spot[0], "y": spot[1]}}

    def approach(self, name: str, within: int) -> Call | None:
        """Returns a move towards something by name, asking for it if it is not known, or None once near."""
        spot = self.memory.spots.get(name)
        if spot is None:
            return self.once(talk.where(name)) or wait()
        return self.walk(spot, within)

    def meal(self, share: int = _SHORT) -> Call | None:
        """Returns a call that restores hit points, or None if there is no need or nothing to eat.

        Args:
            share: It eats below one part in so many of its hit points.
        """
        if self.view["hp"] * share >= self.view["max_hp"]:
            return None
        # Nobody is told what restores how much: each kind is tried once, then the best is taken.
        tried = self.memory.food
        best = sorted(self.edible, key=lambda item: -tried[item] if item in tried else -self.view["max_hp"])
        for item in best:
            if tried.get(item) != 0:
                return {"tool": "use_item", "arguments": {"item": item}}
        return None

    def _fed(self, call: Call) -> Call:
        return self.meal(_WALKING if call["tool"] == "move_character" else _SHORT) or call

    def _answer(self) -> Call | None:
        for name, spot in self._told.items():
            if name in self.memory.asked:
                return self.tell(name, spot)
        return None

    def _way_ended(self, spot: Spot) -> bool:
        last = self.view["last"]
        if last is None or last["arguments"] != {"x": spot[0], "y": spot[1]}:
            return False
        return not last["ok"] or any(event.get("stopped") == "blocked" for event in last["events"])


Verb = Callable[..., Call | None]
"""Plays a step: the call for this turn, or None once the step is done."""


def wait() -> Call:
    """Returns the call that lets a round pass."""
    return {"tool": "sleep", "arguments": {"rounds": 1}}
