"""Which records in the folder of a run are its own: every one is held against the manifest before it counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from agentworld_env.episodes import Header, is_usage, read_header
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.manifest import Manifest
from agentworld_env.evaluate.place import record_path

Key = tuple[str, int]
"""Task id and seed: what tells the episodes of a run apart."""


def records_of(folder: str | Path, manifest: Manifest) -> dict[Key, Path]:
    """Returns the records of a run by task and seed; those of which not even the header was written are left out.

    Args:
        folder: Folder of the run.
        manifest: Its manifest.

    Raises:
        AgentWorldError: The folder holds a record that is none of the run's episodes, or the same episode twice; the
            message names the file and what differs.
        EpisodeFileError: A file is no record.
    """
    folder = Path(folder)
    hashes = {entry.id: entry.hash for entry in manifest.tasks}
    found: dict[Key, Path] = {}
    for path in sorted(p for p in folder.glob("*.jsonl") if not is_usage(p)):
        header = read_header(path)
        if header is None:
            continue  # a process was killed before it had written anything
        differs = _differs(header, manifest, hashes)
        if differs:
            raise AgentWorldError(f"{path} does not belong to the run in {folder}: {differs}")
        key = (header.task, header.seed)
        named = record_path(folder, header).name
        if path.name != named:
            other = "a copy of" if (folder / named).exists() else "not called"
            raise AgentWorldError(
                f"{path} does not belong to the run in {folder}: it is {other} {named}, "
                f"the record of {header.task} with seed {header.seed}"
            )
        found[key] = path
    return found


def _differs(header: Header, manifest: Manifest, hashes: dict[str, str]) -> str:
    """Returns in what a record differs from the episodes of a run, or an empty text."""
    if header.task not in hashes:
        return f"the run has no task {header.task}"
    last = manifest.seed + manifest.trials - 1
    if not manifest.seed <= header.seed <= last:
        return f"its seed is {header.seed}, the run's are {manifest.seed} to {last}"
    pairs: tuple[tuple[str, Any, Any], ...] = (
        ("rules", header.rules, manifest.rules),
        ("package", header.package, manifest.package),
        ("task hash", header.task_hash, hashes[header.task]),
        ("setting", header.setting, manifest.setting),
        ("policy", header.policy.get("name"), manifest.policy.get("name")),
        ("policy settings", header.policy.get("settings"), manifest.policy.get("settings")),
    )
    for what, its, runs in pairs:
        if its != runs:
            its, runs = (v if isinstance(v, str) else msgspec.json.encode(v).decode() for v in (its, runs))
            return f"its {what} is {its:.300}, the run's is {runs:.300}"
    return ""
