"""Settings: small changes of task or environment under which an experiment is run, composable with ``+``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import msgspec

from agentworld_env.env import transforms
from agentworld_env.errors import AgentWorldError, InvalidValueError, UnknownNameError, quoted
from agentworld_env.tasks import Task
from agentworld_env.tools import TOOLS, Tool

TALK = frozenset({"chat", "send_chat_message"})
"""The tools that carry messages."""

DISCUSSION_TOOLS = TALK | {"sleep"}
"""The tools that exist while a team only discusses."""

DISCUSSION = "discussion_rounds"

_MOST_DISCUSSION = 999
_WITH_NUMBER = re.compile(rf"{DISCUSSION}\((.*)\)", re.DOTALL)

_UNSAID_IN_SILENCE = {"sleep": (" or a message wakes", " wakes")}
_UNSAID_ALONE = {
    "attack_entity": (", and team-mates can join it", ""),
    "transfer_items": ("to a team-mate, person or site", "to a person or site"),
}
"""Tool -> words of its description, and what stands in their place."""


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting, or several together.

    Attributes:
        name: Its name, as given to ``make(setting=...)``; parts stand in a fixed order, joined by ``+``.
        about: One sentence for people.
        without: Tools that do not exist under it: they are in no schema and no prompt, and a call to one
            fails.
        parts: Names of the single settings that it consists of.
        discussion: So many rounds at the start are for talking only; they count towards the budget.
    """

    name: str
    about: str
    without: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()
    discussion: int = 0

    def tools(self, round_: int | None = None) -> dict[str, Tool]:
        """Returns the tools that exist under the setting.

        Args:
            round_: Round, counted from 1; None for all tools of the episode.
        """
        tools = {name: self._described(tool) for name, tool in TOOLS.items() if name not in self.without}
        if round_ is None or round_ > self.discussion:
            return tools
        return {name: tool for name, tool in tools.items() if name in DISCUSSION_TOOLS}

    def _described(self, tool: Tool) -> Tool:
        """Returns a tool without words about what does not exist under the setting: messages, or team-mates."""
        unsaid: list[tuple[str, str]] = []
        if self.without >= TALK and tool.name in _UNSAID_IN_SILENCE:
            unsaid.append(_UNSAID_IN_SILENCE[tool.name])
        if self.has("single_agent") and tool.name in _UNSAID_ALONE:
            unsaid.append(_UNSAID_ALONE[tool.name])
        for words, instead in unsaid:
            tool = msgspec.structs.replace(tool, about=tool.about.replace(words, instead))
        return tool

    def task(self, task: Task) -> Task:
        """Returns the task as it is played under the setting; the task itself if nothing changes.

        Raises:
            AgentWorldError: The task cannot be played under it.
        """
        for part in self.parts:
            change = _CHANGES.get(part)
            if change is not None:
                task = change(task)
        if self.discussion >= task.spec.max_rounds:
            raise AgentWorldError(
                f"setting {self.name} leaves no round to act: {task.id} has {task.spec.max_rounds} rounds"
            )
        return task

    def has(self, part: str) -> bool:
        """Returns whether a single setting is part of this one."""
        return part in self.parts


_SETTINGS = (
    Setting(name="default", about="The benchmark as published: blackbox agents that can talk."),
    Setting(
        name="no_roles",
        about="Agents are agent_1, agent_2, ...; all are told the same facts and none is told a role.",
    ),
    Setting(
        name="single_agent",
        about="One agent with everybody's skills and things, at the first one's place, within the same budget.",
        without=TALK,
    ),
    Setting(
        name="no_communication",
        about="Neither chat nor speech; items can still change hands.",
        without=TALK,
    ),
    Setting(
        name="local_talk",
        about="Only speech that carries 16 tiles; no team channel.",
        without=frozenset({"chat"}),
    ),
    Setting(
        name="shared_plan",
        about="Every agent is given the planner's plan at the start; nobody can talk.",
        without=TALK,
    ),
    Setting(
        name="oracle_view",
        about="The first agent sees what every agent sees and carries, and every message.",
    ),
    Setting(name="short_horizon", about=f"At most {transforms.SHORT} rounds."),
    Setting(
        name="random_spawn",
        about="Agents start on random tiles around their team's starts, connected to their own.",
    ),
    Setting(name="no_docs", about="Guides show nothing but the general rules."),
)

_CHANGES: dict[str, Callable[[Task], Task]] = {
    "no_roles": transforms.no_roles,
    "single_agent": transforms.single_agent,
    "oracle_view": transforms.oracle_view,
    "short_horizon": transforms.short_horizon,
    "no_docs": transforms.no_docs,
}
"""Setting -> what it makes of a task. The order of ``SETTINGS`` is the order in which changes are made."""

SETTINGS = {setting.name: setting for setting in _SETTINGS}
"""Name -> single setting. ``discussion_rounds(N)`` comes beside them."""


def setting_names() -> tuple[str, ...]:
    """Returns the names of all single settings; ``N`` stands for a number of rounds."""
    return (*SETTINGS, f"{DISCUSSION}(N)")


def setting_by_name(name: str | None) -> Setting:
    """Returns a setting; None means ``default``.

    Args:
        name: A name of ``setting_names()``, or several joined by ``+`` in any order.

    Raises:
        UnknownNameError: If there is none of that name.
        InvalidValueError: If it is no name at all.
        AgentWorldError: If parts contradict each other.
    """
    if name is not None and not isinstance(name, str):
        raise InvalidValueError(f"a setting is a name, or several joined by +, not {quoted(name)}")
    return _named(name)


@cache
def _named(name: str | None) -> Setting:
    wanted = {part.strip() for part in (name or "default").split("+")}
    discussion = 0
    singles = set()
    for part in wanted:
        found = _WITH_NUMBER.fullmatch(part)
        if found is None:
            if part not in SETTINGS:
                raise UnknownNameError("setting", part, setting_names())
            singles.add(part)
        elif discussion:
            raise AgentWorldError(f"setting {name}: {DISCUSSION} can be given once")
        else:
            discussion = _rounds(found.group(1))
    return _compose([part for part in SETTINGS if part in singles and part != "default"], discussion)


def _rounds(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,2}", text):
        raise AgentWorldError(
            f"setting {DISCUSSION}(N): expected 1 to {_MOST_DISCUSSION} rounds, as in {DISCUSSION}(3), not {text!r:.40}"
        )
    return int(text)


def _compose(parts: list[str], discussion: int) -> Setting:
    names = [*parts, *([f"{DISCUSSION}({discussion})"] if discussion else [])]
    if not names:
        return SETTINGS["default"]
    without = frozenset().union(*(SETTINGS[part].without for part in parts))
    if discussion and without >= TALK:
        raise AgentWorldError(f"setting {'+'.join(names)}: nobody can discuss without tools to talk")
    abouts = [SETTINGS[part].about for part in parts]
    if discussion:
        abouts.append(f"In rounds 1 to {discussion} agents can only talk and wait.")
    return Setting(
        name="+".join(names),
        about=" ".join(abouts),
        without=without,
        parts=tuple(parts),
        discussion=discussion,
    )
