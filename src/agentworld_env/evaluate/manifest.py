"""The manifest of a run: everything that decides its results, so that a resumed run is the same run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from agentworld_env._version import RULES_VERSION, __version__
from agentworld_env.env import setting_by_name
from agentworld_env.episodes.opening import suite_of
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.cast import Cast
from agentworld_env.files import read_whole, write_whole
from agentworld_env.sim.setup import GREATEST_SEED
from agentworld_env.tasks import Task
from agentworld_env.variants import resolve

NAME = "manifest.json"
FORMAT = 1

MAX_EPISODES = 100_000
"""Most episodes of one run: every command that reads the run lists them all."""


class TaskEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One task of a run.

    Attributes:
        id: Task id.
        hash: Its content hash.
        category: Its category.
        source: The id, or the path of the task file, that it is loaded by.
    """

    id: str
    hash: str
    category: str
    source: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a run consists of. Deadlines, limits and concurrency do not decide results and are not part of it.

    Attributes:
        format: Version of the manifest's format.
        package: Version of the package.
        rules: Version of the rules.
        suite: Names of the suites that its tasks belong to, with the version if they are the package's; ``user`` for
            tasks of one's own, changed copies of the package's among them.
        cast: Who plays.
        policy: Name and settings of the policy, prompt hash included.
        tasks: The tasks.
        trials: Episodes per task.
        seed: Seed of the first trial; the next has the next seed.
        setting: Name of the setting.
    """

    format: int
    package: str
    rules: int
    suite: str
    cast: Cast
    policy: dict[str, Any]
    tasks: tuple[TaskEntry, ...]
    trials: int
    seed: int
    setting: str

    @property
    def episodes(self) -> int:
        """Number of episodes."""
        return len(self.tasks) * self.trials

    def load_tasks(self) -> list[Task]:
        """Loads the tasks.

        Raises:
            AgentWorldError: One is missing or is not what it was.
        """
        tasks = []
        for entry in self.tasks:
            task = resolve(entry.source)
            if task.content_hash != entry.hash:
                raise AgentWorldError(
                    f"task {entry.id} has changed since the run began: it is another task now"
                )
            tasks.append(task)
        return tasks


def make_manifest(
    sources: list[str], cast: Cast, policy: dict[str, Any], *, trials: int, seed: int, setting: str | None
) -> Manifest:
    """Returns the manifest of a new run.

    Args:
        sources: Ids of tasks, or paths of task files.
        cast: Who plays.
        policy: Name and settings of the policy.
        trials: Episodes per task.
        seed: Seed of the first trial.
        setting: Name of the setting.

    Raises:
        AgentWorldError: A task or setting cannot be used, or there is nothing to play.
    """
    for path in (*sources, *(name for _, name in cast.members), cast.templates or ""):
        if not _is_text(path):
            raise AgentWorldError(f"a run remembers the path {path!a}, which must be text in UTF-8")
    if not sources:
        raise AgentWorldError("say which tasks to play: --tasks or --suite")
    if trials < 1 or not 0 <= seed <= GREATEST_SEED - trials:
        raise AgentWorldError(f"trials must be at least 1 and seeds lie in 0..{GREATEST_SEED}")
    if trials * len(sources) > MAX_EPISODES:
        raise AgentWorldError(
            f"a run has at most {MAX_EPISODES:,} episodes: {trials:,} trials of {len(sources)} tasks are more"
        )
    chosen = setting_by_name(setting)
    entries: dict[str, TaskEntry] = {}
    suites: set[str] = set()
    for source in sources:
        task = resolve(source)
        chosen.task(task)  # refuses at once what cannot be played under the setting
        if task.id in entries:
            raise AgentWorldError(f"task {task.id} is named twice")
        suites.add(suite_of(task))
        kept = source if not Path(source).is_file() else str(Path(source).resolve())
        entries[task.id] = TaskEntry(
            id=task.id, hash=task.content_hash, category=task.spec.category, source=kept
        )
    return Manifest(
        format=FORMAT,
        package=__version__,
        rules=RULES_VERSION,
        suite=", ".join(sorted(suites)),
        cast=cast,
        policy=msgspec.json.decode(msgspec.json.encode(policy)),
        tasks=tuple(entries.values()),
        trials=trials,
        seed=seed,
        setting=chosen.name,
    )


def _is_text(path: str) -> bool:
    """Returns whether a path can be written to a manifest; bytes of another encoding cannot."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_manifest(folder: str | Path) -> Manifest:
    """Returns the manifest of a run.

    Raises:
        AgentWorldError: The folder holds no run, or its manifest is malformed.
    """
    path = Path(folder) / NAME
    try:
        found = msgspec.json.decode(read_whole(path), type=Manifest)
    except OSError as error:
        raise AgentWorldError(f"{folder} holds no run: no readable {NAME} ({error.strerror})") from error
    except msgspec.DecodeError as error:
        raise AgentWorldError(f"{path}: expected the manifest of a run ({error})") from error
    if found.trials < 1 or found.episodes > MAX_EPISODES:
        raise AgentWorldError(f"{path}: expected 1 trial or more and at most {MAX_EPISODES:,} episodes")
    return found


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes a manifest so that it is there either whole or not at all."""
    content = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
    write_whole(folder / NAME, content, lasting=True)


def manifest_differences(begun: Manifest, now: Manifest) -> list[str]:
    """Returns one line per field in which a run differs from what it was begun with."""
    found: list[str] = []
    _compare("", msgspec.to_builtins(begun), msgspec.to_builtins(now), found)
    return found


def _compare(place: str, begun: Any, now: Any, found: list[str]) -> None:
    if begun == now:
        return
    if isinstance(begun, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*begun, *now)):
            _compare(f"{place}.{key}" if place else str(key), begun.get(key), now.get(key), found)
    elif isinstance(begun, list | tuple) and isinstance(now, list | tuple) and len(begun) == len(now):
        for i, (one, other) in enumerate(zip(begun, now, strict=True)):
            _compare(f"{place}[{i}]", one, other, found)
    else:
        shown = [msgspec.json.encode(value).decode()[:120] for value in (begun, now)]
        found.append(f"{place}: begun with {shown[0]}, now {shown[1]}")
