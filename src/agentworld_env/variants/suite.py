"""The augmented suite: one harder variant for every main task, drawn from a fixed seed and checked in.

``python -m agentworld_env.variants.suite CERTIFICATES`` draws it anew from the main tasks as they are now and writes
the task files, their certificates into the directory that is named, the index of all tasks, the fingerprints that
fresh variants must not have, and before all that the errands of narrow sources. Certificates of the very same tasks
that the directory holds are taken over: after a change of the rules or the planner it must be an empty one. The files
are never edited by hand: what reads badly is mended in the templates.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from agentworld_env.certify import Certificate, certify_task
from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import Task, get_task, list_tasks
from agentworld_env.tasks.index import build_index
from agentworld_env.tasks.load import load_task
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.variants.digests import fingerprint
from agentworld_env.variants.generator import Variant, find_variant, standard, use
from agentworld_env.variants.narrow import record as record_errands
from agentworld_env.variants.write import write_task
from agentworld_env.workers import WorkerPool

SEED = 1_500_000
"""Seed of the suite's first candidate for each task; it lies in the validation split."""
AIMS = ((0.15, 2), (0.05, 2), (1e-9, 2), (0.0, 12))
"""By which fraction a task is to use more of its budget than its source, and how many seeds are tried for that.

The next aim is taken where one is not reached, or lies beyond ``MOST_USE``.
"""
MOST_USE = 0.8
"""Share of the budget that the planner may use where a budget is cut."""
CANDIDATES = 12
"""Candidates of a seed that are examined at the most."""
PROVEN_ON = tuple(range(10))
"""Seeds on which a task must be certified in full to be taken."""
SUITE = "augmented"
REMARK = "Drawn by python -m agentworld_env.variants.suite; not edited by hand."
_TASKS = Path(__file__).parents[1] / "tasks"
_KNOWN = Path(__file__).parent / "known.json"


def augmented(source: Task, proven: Path | None = None) -> Variant:
    """Returns the augmented task of a main task: the first variant that reaches an aim and passes the full certificate.

    Args:
        source: The main task.
        proven: Directory of certificates; those of the very same task are taken over.

    Raises:
        AgentWorldError: None of the seeds gives one.
    """
    for harder, seeds in AIMS:
        if harder and use(standard(source)) * (1 + harder) > MOST_USE:
            continue
        for seed in range(SEED, SEED + seeds):
            # Not the fingerprints of the suite itself, or it could not be drawn a second time.
            found = find_variant(
                source, seed, harder=harder, shipped=fingerprints("main"), candidates=CANDIDATES
            )
            if found.variant is None:
                continue
            spec = found.variant.task.spec.model_copy(update={"id": f"{source.id}_aug", "suite": SUITE})
            task = Task(spec, source.world)
            certificate = _kept(task, proven) or certify_task(task, PROVEN_ON)
            if certificate.ok:
                return msgspec.structs.replace(found.variant, task=task, certificate=certificate)
    raise AgentWorldError(f"{source.id}: no seed gives an augmented task")


def _kept(task: Task, folder: Path | None) -> Certificate | None:
    """Returns the certificate of a task that a directory holds, if it holds one on the seeds wanted."""
    path = None if folder is None else folder / f"{task.id}.json"
    if path is None or not path.exists():
        return None
    certificate = msgspec.json.decode(path.read_bytes(), type=Certificate)
    fits = certificate.content_hash == task.content_hash and tuple(certificate.rounds) == PROVEN_ON
    return certificate if fits else None


def build(names: Sequence[str], proven: Path | None = None, jobs: int | None = None) -> Iterator[Variant]:
    """Yields the augmented tasks of some main tasks, in any order; each depends on its own source alone."""
    from concurrent.futures import as_completed

    jobs = jobs or os.cpu_count() or 1
    # Large teams take longest; begun last, one of them would keep the other processes waiting.
    sources = sorted((get_task(name) for name in names), key=lambda task: len(task.team))
    with WorkerPool(jobs) as pool:  # without one of them there is no suite: a mistake ends the processes
        for future in as_completed([pool.submit(augmented, source, proven) for source in sources]):
            yield future.result()


def write(spec: TaskSpec) -> Path:
    """Writes the file of an augmented task and returns its path."""
    folder = _TASKS / SUITE
    folder.mkdir(exist_ok=True)
    path = folder / f"{spec.id}.yaml"
    write_task(spec, path, REMARK)
    return path


@cache
def fingerprints(suite: str) -> frozenset[str]:
    """Returns the fingerprints of the tasks of a suite, as their files are now."""
    paths = sorted((_TASKS / suite).glob("*.yaml"))
    found = {path.stem: fingerprint(load_task(path).spec) for path in paths}
    if len(set(found.values())) < len(found):
        raise AgentWorldError(f"two tasks of the suite {suite} play alike")
    return frozenset(found.values())


def known_fingerprints() -> list[str]:
    """Returns the fingerprints of all main and augmented tasks, sorted."""
    return sorted(fingerprints("main") | fingerprints(SUITE))


def record() -> None:
    """Writes the index of the task files and the fingerprints of all main and augmented tasks."""
    (_TASKS / "index.json").write_bytes(build_index())
    _KNOWN.write_bytes(msgspec.json.format(msgspec.json.encode(known_fingerprints()), indent=1) + b"\n")


def main(arguments: Sequence[str]) -> None:
    """Draws the suite anew, or only the tasks whose main tasks are named behind the directory of certificates.

    Says on the standard error what is done.
    """
    if not arguments:
        raise SystemExit("usage: python -m agentworld_env.variants.suite CERTIFICATES [MAIN_TASK ...]")
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    names = list(arguments[1:]) or [info.id for info in list_tasks("main")]
    record_errands()  # before any process reads them
    for done, variant in enumerate(build(names, folder), 1):
        write(variant.task.spec)
        proof = msgspec.json.encode(msgspec.to_builtins(variant.certificate, str_keys=True))
        (folder / f"{variant.task.id}.json").write_bytes(proof + b"\n")
        made = ", ".join(variant.mutations)
        sys.stderr.write(f"[{done}/{len(names)}] {variant.task.id} (seed {variant.seed}: {made})\n")
    record()


if __name__ == "__main__":
    main(sys.argv[1:])
