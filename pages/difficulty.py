"""How hard the tasks are, from their certificates and without any model: figures, a score, and a picture.

``python -m pages.difficulty CERTIFICATES`` reads the directory that ``agentworld-env certify --out``
filled and writes ``docs/difficulty.csv`` and ``docs/difficulty.png`` for the main tasks, and ``docs/practice.csv`` for
those of the practice suite; without a directory it draws the picture anew. Only the picture needs pillow (extra
``draw``).
"""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec

from agentworld_env.certify import Certificate
from agentworld_env.errors import AgentWorldError
from agentworld_env.files import read_whole

TABLE = Path("docs/difficulty.csv")
PRACTICE_TABLE = Path("docs/practice.csv")
PICTURE = Path("docs/difficulty.png")
_USAGE = f"""usage: python -m pages.difficulty [CERTIFICATES]

Writes, from the directory that agentworld-env certify --out filled,
{TABLE} and {PICTURE} (main tasks) and
{PRACTICE_TABLE} (practice tasks). Without a directory it draws the picture
anew. The picture needs pillow: pip install pillow, or pip install '.[draw]' in
a checkout.
"""

LEVELS = (("easy", 0), ("moderate", 40), ("hard", 55))
"""Names of the levels, with the lowest score of each. Own choice: about a third of the main tasks in each."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What the certificate of a task says about its difficulty; a row of ``docs/difficulty.csv``.

    Attributes:
        task: Task id.
        content_hash: Content hash of the task that was measured.
        rounds: The planner's rounds, in the median over seeds.
        bound: Lower bound on anybody's rounds, in the median over seeds.
        use: Share of the round budget that the planner uses.
        groups: Role groups that the rest cannot do without.
        agents: Agents that the rest cannot do without.
        smallest: Agents of the smallest team found with which the planner still solves it.
        handovers: Hand-overs of items without which the planner's episode fails.
        joint: Joint acts: kills that take several attackers, standing together.
        tiles: Tiles that the whole team walks in the planner's episode.
    """

    task: str
    content_hash: str
    rounds: float
    bound: int
    use: float
    groups: int
    agents: int
    smallest: int
    handovers: int
    joint: int
    tiles: int


class Parts(NamedTuple):
    """The parts of the score, each from 0 to 1."""

    time: float
    team: float
    talk: float
    way: float


PART_MEANINGS = {
    "time": "share of the round budget that the planner uses; full at three quarters",
    "team": "role groups that the rest cannot do without; nothing at one, full at eight",
    "talk": "hand-overs and joint acts, on a logarithmic scale; full at 31",
    "way": "tiles that the team walks, on a logarithmic scale; nothing at 10, full at 10,000",
}
"""What each part measures. The scales are own choices that span the main tasks."""


def parts(figures: Figures) -> Parts:
    """Returns the parts of a task's score."""
    return Parts(
        time=_clip(figures.use / 0.75),
        team=_clip((figures.groups - 1) / 7),
        talk=_clip(math.log2(1 + figures.handovers + figures.joint) / 5),
        way=_clip((math.log10(max(figures.tiles, 1)) - 1) / 3),
    )


def score(figures: Figures) -> int:
    """Returns the difficulty from 0 to 100: the mean of the four parts."""
    return round(100 * sum(parts(figures)) / len(Parts._fields))


def level(points: int) -> str:
    """Returns the name of the level of a score."""
    return [name for name, least in LEVELS if points >= least][-1]


def figures_of(certificate: Certificate) -> Figures:
    """Returns the figures of a certificate.

    Raises:
        AgentWorldError: The task is not certified, or was looked at only quickly.
    """
    difficulty = certificate.difficulty
    if difficulty is None or not certificate.ok:
        raise AgentWorldError(f"{certificate.task}: expected the full certificate of a sound task")
    return Figures(
        task=certificate.task,
        content_hash=certificate.content_hash,
        rounds=median(certificate.rounds.values()),
        bound=round(median(certificate.bounds.values())),
        use=difficulty.use,
        groups=difficulty.necessary_groups,
        agents=len(difficulty.necessary_agents),
        smallest=len(difficulty.smallest_team),
        handovers=difficulty.handovers,
        joint=difficulty.joint,
        tiles=difficulty.distance,
    )


def read_certificates(folder: Path) -> list[Figures]:
    """Returns the figures of all certificates in a directory, by number of the task.

    Raises:
        AgentWorldError: There are none, or one is unsound or cannot be read.
    """
    if not folder.is_dir():
        raise AgentWorldError(f"{folder}: expected a directory of certificates, there is none")
    found = []
    for path in folder.glob("*.json"):
        try:
            certificate = msgspec.json.decode(read_whole(path), type=Certificate)
        except msgspec.DecodeError as error:
            raise AgentWorldError(f"{path}: expected a certificate ({error})") from error
        found.append(figures_of(certificate))
    if not found:
        raise AgentWorldError(
            f"{folder}: expected certificates; make them with: agentworld-env certify --out {folder}"
        )
    return sorted(found, key=lambda figures: (len(figures.task.split("_")[0]), figures.task))


def to_csv(rows: Iterable[Figures]) -> str:
    """Returns figures as a CSV table."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Figures.__struct_fields__)
    writer.writerows(msgspec.structs.astuple(row) for row in rows)
    return out.getvalue()


def from_csv(text: str) -> dict[str, Figures]:
    """Returns task id -> figures of a CSV table."""
    rows: Iterable[Mapping[str, str]] = csv.DictReader(io.StringIO(text))
    found = [msgspec.convert(row, Figures, strict=False) for row in rows]
    return {figures.task: figures for figures in found}


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def main(arguments: list[str]) -> None:
    """Writes the tables of the suites that certificates are given of, and the picture of the main one: all, or none.

    Raises:
        AgentWorldError: There are no certificates, table or directory for them, too many arguments, or pillow is
            missing for the picture.
    """
    if arguments[:1] in (["-h"], ["--help"]):
        sys.stdout.write(_USAGE)
        return
    if len(arguments) > 1 or (arguments[:1] and arguments[0].startswith("-")):
        raise AgentWorldError(f"expected one directory of certificates, got: {' '.join(arguments)}")
    from agentworld_env.tasks import list_tasks
    from pages.difficulty_plot import draw

    if not TABLE.parent.is_dir():
        raise AgentWorldError(
            f"{TABLE.parent}: expected this directory in the working directory, to write to"
        )
    if arguments:
        found = read_certificates(Path(arguments[0]))
        tables = {
            table: [figures for figures in found if figures.task in {info.id for info in list_tasks(suite)}]
            for table, suite in ((TABLE, "main"), (PRACTICE_TABLE, "practice"))
        }
        tables = {table: rows for table, rows in tables.items() if rows}
    elif TABLE.is_file():
        tables = {}
    else:
        raise AgentWorldError(
            f"{TABLE}: expected the table; give the directory of certificates to make it from"
        )
    # The picture is of the main tasks: figures of others leave it as it is.
    drawn = tables.get(TABLE) if arguments else list(from_csv(TABLE.read_text(encoding="utf-8")).values())
    if drawn is not None:
        draw(drawn, PICTURE)
    for table, rows in tables.items():
        table.write_text(to_csv(rows), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except AgentWorldError as problem:
        sys.stderr.write(f"error: {problem}\n")
        sys.exit(2)
