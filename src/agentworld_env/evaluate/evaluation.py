"""A whole evaluation from its request to its results: checked first, then played into a folder, then read from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from agentworld_env.errors import AgentWorldError, InvalidValueError, quoted
from agentworld_env.evaluate.beforehand import check_beforehand, describe_cast
from agentworld_env.evaluate.cast import Cast
from agentworld_env.evaluate.executors import play_run, play_run_async
from agentworld_env.evaluate.folder import RunFolder
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import Manifest, make_manifest, read_manifest
from agentworld_env.evaluate.results import RunResults, load_run
from agentworld_env.evaluate.runner import Limits, RunState, Watch
from agentworld_env.evaluate.who import Owns, Players, check_given, read_players
from agentworld_env.models import Prices, parse_model


class Played(NamedTuple):
    """What came of playing.

    Attributes:
        state: Where the run stands: failures of infrastructure, and why it was stopped, if it was.
        results: What its folder holds now.
    """

    state: RunState
    results: RunResults


_LEAST: dict[str, float] = {
    "memory": 0,
    "reasks": 0,
    "temperature": 0,
    "reply_tokens": 1,
    "concurrency": 1,
    "processes": 1,
    "call_seconds": 0.1,
    "turn_seconds": 0.1,
    "episode_seconds": 0.1,
    "retries": 0,
    "max_cost": 0,
    "max_tokens": 0,
    "trials": 1,
    "seed": 0,
}
_FRACTIONS = ("temperature", "call_seconds", "turn_seconds", "episode_seconds", "max_cost")


class Evaluation:
    """An evaluation that can be played: everything that can be found wrong beforehand has been looked at.

    Args:
        players: Who plays; None takes the policies of the run that is resumed.
        sources: Ids of tasks and paths of task files; none takes the tasks of the run that is resumed.
        out: Folder of a new run.
        resume: Folder of a run to go on with.
        trials: Episodes per task; None for 1, or as the run that is resumed has it, and so on for the next.
        seed: Seed of the first trial.
        setting: Name of the setting.
        asking: How models are asked; fields of ``Cast``.
        limits: How to go about it.
        max_cost: Limit in US dollars, over all resumes.
        max_tokens: Limit of tokens, over all resumes.
        prices: CSV file of prices; None takes the package's.
        spelled: Returns how an option is written where this was asked for, for errors.

    Attributes:
        manifest: The run.
        place: Its folder; nothing has been written to it.
        limits: How it is carried out.
        ledger: Counts what it uses.

    Raises:
        AgentWorldError: Something cannot be played as it is asked for.
    """

    def __init__(
        self,
        players: Players | None,
        sources: list[str],
        *,
        out: str | Path | None,
        resume: str | Path | None,
        trials: int | None,
        seed: int | None,
        setting: str | None,
        asking: Mapping[str, Any],
        limits: Limits,
        max_cost: float | None,
        max_tokens: int | None,
        prices: str | Path | None,
        spelled: Callable[[str], str],
    ) -> None:
        place = resume if out is None else out
        if place is None or (out is not None and resume is not None):
            raise AgentWorldError(
                f"say where the run goes: {spelled('out')} for a new one, {spelled('resume')} to go on with one"
            )
        _check_values(
            spelled,
            {
                **asking,
                **msgspec.structs.asdict(limits),
                "max_cost": max_cost,
                "max_tokens": max_tokens,
                "trials": trials,
                "seed": seed,
            },
        )
        self.place = Path(place)
        self._fresh = resume is None
        begun = None if self._fresh else read_manifest(self.place)
        cast, self._owns = _cast(players, begun, asking, self.place)
        if asking and not cast.models:
            named = ", ".join(spelled(name) for name in asking)
            raise AgentWorldError(f"{named} would change nothing: no language model plays in this run")
        _check_limits(limits, self._owns, spelled)
        self.limits = limits
        if not sources and begun is not None:
            sources = [entry.source for entry in begun.tasks]
        self.manifest = make_manifest(
            sources,
            cast,
            describe_cast(cast, self._owns),
            trials=trials if trials is not None else 1 if begun is None else begun.trials,
            seed=seed if seed is not None else 0 if begun is None else begun.seed,
            setting=setting if setting is not None or begun is None else begun.setting,
        )
        self._prices = Prices(prices)
        if self._owns and (max_cost is not None or max_tokens is not None):
            raise AgentWorldError(
                f"{spelled('max_cost')} and {spelled('max_tokens')} count what models by name use, and a policy of "
                "your own may use more: leave them out, or name the model"
            )
        self.ledger = Ledger(
            self._prices,
            [parse_model(name).label for name in cast.models],
            max_cost=max_cost,
            max_tokens=max_tokens,
        )
        check_beforehand(self.manifest, self.limits, self._owns)

    def play(self, watch: Watch | None = None) -> Played:
        """Plays what is left, and returns what came of it.

        A new run that fails before its first record is taken back.

        Args:
            watch: Told about once a second, and after each episode, where the run stands.

        Raises:
            AgentWorldError: The folder cannot be used, holds a run already, or one that was begun otherwise; or an
                event loop is running already.
        """
        with self._folder() as folder:
            return self._read(play_run(self.manifest, folder, self.limits, self.ledger, watch, self._owns))

    async def play_async(self, watch: Watch | None = None) -> Played:
        """Plays what is left in the running event loop; everything else is as for ``play``."""
        with self._folder() as folder:
            return self._read(
                await play_run_async(self.manifest, folder, self.limits, self.ledger, watch, self._owns)
            )

    @property
    def in_this_process(self) -> bool:
        """Whether the episodes are played in this process, which takes an event loop."""
        return self.limits.executor == "local" and (self.limits.processes or 1) == 1

    @contextmanager
    def _folder(self) -> Iterator[RunFolder]:
        with RunFolder(self.place) as folder:
            if self._fresh:
                folder.begin(self.manifest)
            else:
                folder.check(self.manifest)
            try:
                yield folder
            except AgentWorldError:
                if self._fresh:
                    folder.abandon()
                raise

    def _read(self, state: RunState) -> Played:
        return Played(state, load_run(self.place, prices=self._prices))


def _cast(
    players: Players | None, begun: Manifest | None, asking: Mapping[str, Any], place: Path
) -> tuple[Cast, Owns]:
    owns: Owns = {}
    if players is not None:
        members, owns = read_players(players)
        cast = Cast(members=members, **asking)
    elif begun is not None:
        cast = msgspec.structs.replace(begun.cast, **asking)
    else:
        raise AgentWorldError("say who plays: a policy, what makes one, or the name of one")
    check_given(cast.members, owns, place)
    return cast, owns


def _check_limits(limits: Limits, owns: Owns, spelled: Callable[[str], str]) -> None:
    if owns and (limits.executor != "local" or (limits.processes or 1) > 1):
        raise AgentWorldError(
            f"{spelled('executor')} and {spelled('processes')} take policies by name, which other processes can make: "
            "put yours into a file and name it python:FILE.py:NAME"
        )


def _check_values(spelled: Callable[[str], str], values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        least = _LEAST.get(name)
        if least is None or value is None:
            continue
        right = isinstance(value, int) or (isinstance(value, float) and name in _FRACTIONS)
        if isinstance(value, bool) or not right or not value >= least:
            what = "a number" if name in _FRACTIONS else "a whole number"
            raise InvalidValueError(f"{spelled(name)} is {what} from {least:g} on, not {quoted(value)}")
