"""Settings: small changes of the environment under which an experiment is run."""

from __future__ import annotations

import msgspec

from agentworld_env.errors import UnknownNameError
from agentworld_env.tools import TOOLS, Tool


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting.

    Attributes:
        name: Its name, as given to ``make(setting=...)``.
        about: One sentence for people.
        without: Tools that do not exist under it: they are in no schema and no prompt, and a call to one
            fails.
    """

    name: str
    about: str
    without: frozenset[str] = frozenset()

    def tools(self) -> dict[str, Tool]:
        """Returns the tools that exist under the setting."""
        return {name: tool for name, tool in TOOLS.items() if name not in self.without}


_SETTINGS = (
    Setting(name="default", about="The benchmark as published: blackbox agents that can talk."),
    Setting(
        name="no_communication",
        about="Neither chat nor speech; items can still change hands.",
        without=frozenset({"chat", "send_chat_message"}),
    ),
    Setting(
        name="local_talk",
        about="Only speech that carries 16 tiles; no team channel.",
        without=frozenset({"chat"}),
    ),
)

SETTINGS = {setting.name: setting for setting in _SETTINGS}
"""Setting name -> setting."""


def setting_by_name(name: str | None) -> Setting:
    """Returns a setting; None means ``default``.

    Raises:
        UnknownNameError: If there is none of that name.
    """
    found = SETTINGS.get(name or "default")
    if found is None:
        raise UnknownNameError("setting", str(name), SETTINGS)
    return found
