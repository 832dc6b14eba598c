"""What tests of evaluations share: small runs against a server, and how their records are read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.policies.loopback import calls

from agentworld_env.evaluate.cast import Cast, Company
from agentworld_env.evaluate.executors import play_run
from agentworld_env.evaluate.folder import RunFolder
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import Manifest, make_manifest
from agentworld_env.evaluate.run import described
from agentworld_env.evaluate.runner import Limits, RunState
from agentworld_env.models import Prices
from agentworld_env.tasks import list_tasks

THREE = ["t01_magic_staff", "t02_arrow_production", "t44_messenger_run"]
TWELVE = [info.id for info in list_tasks("main")][:12]
NAP = calls(("sleep", {"rounds": 5}))
FAST = Limits(retries=20, attempts=1)


def manifest_for(model: str, tasks: list[str], **options: Any) -> Manifest:
    cast = Cast(members=(("*", model),))
    chosen = {"trials": 1, "seed": 0, "setting": None, **options}
    return make_manifest(tasks, cast, described(Company(cast).policy()), **chosen)


def play(
    model: str,
    out: Path,
    tasks: list[str],
    limits: Limits = FAST,
    ledger: Ledger | None = None,
    **options: Any,
) -> RunState:
    manifest = manifest_for(model, tasks, **options)
    with RunFolder(out) as folder:
        if (out / "manifest.json").exists():
            folder.check(manifest)
        else:
            folder.begin(manifest)
        return play_run(manifest, folder, limits, ledger or Ledger(Prices(), []))


def records(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.glob("*.jsonl") if ".usage." not in p.name}


def bodies(folder: Path) -> dict[str, bytes]:
    """Returns records without their first line, which names the server's port."""
    return {
        name.split("-local")[0]: data.split(b"\n", 1)[1] for name, data in sorted(records(folder).items())
    }


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "agentworld_env.cli", *arguments]


def readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True
