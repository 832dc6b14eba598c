"""How environments are copied and pickled: made anew from their options, and led to the moment of their episode."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium


class Remade:
    """What all environments share that are copied and pickled as their options and a snapshot.

    Action spaces are copied as they are, since they hold the state of their random numbers.
    """

    action_spaces: dict[str, gymnasium.Space[Any]]

    def _options(self) -> dict[str, Any]:
        """Returns the arguments from which the same environment is made."""
        raise NotImplementedError

    def _moment(self) -> Any:
        """Returns what ``restore`` takes, or None before the first ``reset``."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (type(self), self._options(), self._moment(), self.action_spaces)

    def __copy__(self) -> Any:
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        action_spaces = copy.deepcopy(self.action_spaces, memo)
        return _remake(type(self), self._options(), self._moment(), action_spaces)


def _remake(kind: type[Any], options: dict[str, Any], moment: Any, action_spaces: dict[str, Any]) -> Any:
    env = kind(**options)
    env.action_spaces = action_spaces
    if moment is not None:
        env.restore(moment)
    return env
