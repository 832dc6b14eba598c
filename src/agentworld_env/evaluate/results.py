"""What a run has come to: scores of its finished episodes, what they used, and what is unfinished and why."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agentworld_env.episodes import read_episode, usage_path
from agentworld_env.evaluate.belonging import records_of
from agentworld_env.evaluate.folder import failures_in
from agentworld_env.evaluate.ledger import Spent, spent_on, total
from agentworld_env.evaluate.manifest import Manifest, read_manifest
from agentworld_env.evaluate.score import Score, score_of, score_record
from agentworld_env.markup import html_block, html_table
from agentworld_env.models import Prices
from agentworld_env.policies.reading import is_unusable, surplus_in

_SHOWN = 60
"""So many episodes are listed in a notebook; the rest are counted."""


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A finished episode.

    Attributes:
        score: Its score.
        category: Category of its task.
        spent: What it used.
        by_agent: The same, by agent.
        reasks: Replies that had to be asked for again.
        unusable: Replies that were no legal call.
        surplus: Tool calls beyond the first in a reply, which were left out.
    """

    score: Score
    category: str
    spent: Spent
    by_agent: dict[str, Spent]
    reasks: int
    unusable: int
    surplus: int


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """An episode that is not over; it counts neither as success nor as failure.

    Attributes:
        task: Task id.
        seed: Seed.
        turns: Turns recorded.
        reason: The last failure of infrastructure, or empty.
    """

    task: str
    seed: int
    turns: int
    reason: str


class RunResults(msgspec.Struct, frozen=True, kw_only=True):
    """A run.

    Attributes:
        name: Name of its folder.
        manifest: Its manifest.
        finished: Its finished episodes, by task and seed.
        unfinished: The others.
        spent: What all its episodes used, unfinished ones included.
        verified: Whether every record was re-simulated.
        damaged: One line per usage file of which something cannot be read and is not counted.
    """

    name: str
    manifest: Manifest
    finished: tuple[Finished, ...]
    unfinished: tuple[Unfinished, ...]
    spent: Spent
    verified: bool
    damaged: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Policy and setting, for a row of a table."""
        policy = str(self.manifest.policy.get("name", ""))
        return policy if self.manifest.setting == "default" else f"{policy}, {self.manifest.setting}"

    def _outcome(self) -> str:
        won = sum(one.score.success for one in self.finished)
        return f"{won} of {len(self.finished)} finished episodes are successes, {len(self.unfinished)} unfinished"

    def __repr__(self) -> str:
        return f"<RunResults of {self.name} ({self.label}): {self._outcome()}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                s.task,
                s.seed,
                "yes" if s.success else "no",
                f"{s.psr:.2f}",
                f"{s.rounds}/{s.max_rounds}",
                s.actions,
            )
            for s in (one.score for one in self.finished)
        ]
        columns = ("task", "seed", "success", "PSR", "rounds", "calls")
        table = html_table(columns, rows[:_SHOWN], right=(1, 3, 4, 5))
        listed = f"The first {_SHOWN} are listed." if len(rows) > _SHOWN else ""
        return html_block(f"{self.name}: {self.label}", self._outcome(), listed, body=table)


def load_run(folder: str | Path, *, prices: Prices | None = None, verify: bool = False) -> RunResults:
    """Reads a run.

    Args:
        folder: Its folder.
        prices: Prices of models; the package's own if None.
        verify: Whether to re-simulate and re-verify every record, which takes its time.

    Raises:
        AgentWorldError: The folder holds no run, or a record that is none of its episodes, or one of them twice.
        EpisodeFileError: A record is malformed or, with ``verify``, does not come out as recorded.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    prices = Prices() if prices is None else prices
    entries = {entry.id: entry for entry in manifest.tasks}
    reasons = {(failure.task, failure.seed): failure.reason for failure in failures_in(folder)}
    wanted = {(task, manifest.seed + k) for task in entries for k in range(manifest.trials)}
    turns: dict[tuple[str, int], int] = {}
    finished: list[Finished] = []
    damaged: list[str] = []
    used = Spent()
    for key, path in records_of(folder, manifest).items():
        episode = read_episode(path)
        lost: list[int] = []
        by_agent = spent_on(path, manifest.cast, prices, lost)
        if lost:
            damaged.append(
                f"{usage_path(path)}: line {', '.join(map(str, lost[:_SHOWN]))} cannot be read and is not counted"
            )
        spent = total(by_agent.values())
        used.add(spent)
        turns[key] = len(episode.lines)
        if episode.footer is None:
            continue
        replies = [reply for line in episode.lines for reply in line.replies]
        finished.append(
            Finished(
                score=score_record(path) if verify else score_of(episode),
                category=entries[key[0]].category,
                spent=spent,
                by_agent=by_agent,
                reasks=sum(max(0, len(line.replies) - 1) for line in episode.lines),
                unusable=sum(map(is_unusable, replies)),
                surplus=sum(map(surplus_in, replies)),
            )
        )
    done = {(one.score.task, one.score.seed) for one in finished}
    unfinished = tuple(
        Unfinished(
            task=task, seed=seed, turns=turns.get((task, seed), 0), reason=reasons.get((task, seed), "")
        )
        for task, seed in sorted(wanted - done)
    )
    finished.sort(key=lambda one: (one.score.task, one.score.seed))
    return RunResults(
        name=folder.resolve().name,
        manifest=manifest,
        finished=tuple(finished),
        unfinished=unfinished,
        spent=used,
        verified=verify,
        damaged=tuple(damaged),
    )
