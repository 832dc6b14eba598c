"""A directory of variants: a task file for each, and a list of all of them."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

from agentworld_env.errors import AgentWorldError
from agentworld_env.files import read_whole, write_whole
from agentworld_env.tasks.load import load_task
from agentworld_env.variants.digests import fingerprint
from agentworld_env.variants.generator import Variant
from agentworld_env.variants.write import to_yaml, write_task

LIST = "variants.csv"
COLUMNS = ("file", "source", "seed", "mutations", "fingerprint", "rounds", "budget", "handovers", "joint")
_MOST_BYTES = 64 * 1024 * 1024


def held(folder: Path) -> dict[str, str]:
    """Returns the fingerprints of the tasks in a directory -> their ids; files that are no tasks have none."""
    found = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            task = load_task(path)
        except AgentWorldError:
            # Not a task, and so no twin of one. Where it stands in the way of a variant, `keep` says so.
            continue
        found[fingerprint(task.spec)] = task.id
    return found


def keep(variant: Variant, folder: Path) -> Path:
    """Writes a variant's file, or leaves an equal one that is there; another one is never replaced.

    Raises:
        AgentWorldError: Another file is there.
        OSError: It cannot be written.
    """
    path = folder / f"{variant.task.id}.yaml"
    remark = f"Variant of {variant.source}: seed {variant.seed}, {', '.join(variant.mutations)}."
    if not os.path.lexists(path):
        write_task(variant.task.spec, path, remark)
    elif not path.is_file():
        raise AgentWorldError(f"{path} exists and is no regular file; expected a directory without it")
    elif read_whole(path) != to_yaml(variant.task.spec, remark).encode():
        raise AgentWorldError(f"{path} exists and is another task; expected a directory without it")
    return path


def row(variant: Variant) -> dict[str, Any]:
    """Returns what the list says of a variant."""
    certificate = variant.certificate
    return {
        "file": f"{variant.task.id}.yaml",
        "source": variant.source,
        "seed": variant.seed,
        "mutations": " ".join(variant.mutations),
        "fingerprint": variant.fingerprint,
        "rounds": next(iter(certificate.rounds.values())),
        "budget": certificate.max_rounds,
        "handovers": certificate.handovers,
        "joint": certificate.joint,
    }


def listed(folder: Path) -> list[dict[str, Any]]:
    """Returns the rows of a directory's list whose files are still there.

    Raises:
        AgentWorldError: The list is none that ``write_list`` wrote, or cannot be read.
    """
    path = folder / LIST
    if not path.exists():
        return []
    expected = f"expected the columns {','.join(COLUMNS)}; move it away to go on"
    try:
        text = read_whole(path, _MOST_BYTES).decode("utf-8")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        rows = list(reader)
    except OSError as error:
        raise AgentWorldError(f"{path} is no list of variants ({error.strerror}); {expected}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise AgentWorldError(f"{path} is no list of variants ({error}); {expected}") from None
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise AgentWorldError(f"{path} is no list of variants; {expected}")
    for number, entry in enumerate(rows, 2):
        if tuple(entry) != COLUMNS or None in entry.values():
            raise AgentWorldError(f"{path}:{number}: no row of a list of variants; {expected}")
    return [entry for entry in rows if (folder / Path(entry["file"]).name).is_file()]


def write_list(rows: list[dict[str, Any]], before: list[dict[str, Any]], folder: Path) -> None:
    """Writes the list of a directory's variants: those of before, and new ones in place of rows of the same file.

    Args:
        rows: What ``row`` says of the variants made now.
        before: What ``listed`` returned.
        folder: The directory.

    Raises:
        OSError: It cannot be written.
    """
    merged = {str(entry["file"]): entry for entry in (*before, *rows)}
    if not merged:
        return
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(merged.values())
    write_whole(folder / LIST, text.getvalue())
