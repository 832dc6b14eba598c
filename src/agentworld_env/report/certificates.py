"""The table of certificates: one task a row, narrow enough for a terminal of 110 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from agentworld_env.certify import Certificate
from agentworld_env.report.tables import Table

_HEADS = {
    "task": "",
    "ok": "certified",
    "won": "seeds on which the planner solves it",
    "rnd": "the planner's rounds (median), - unless it solves all seeds",
    "bnd": "lower bound on anybody's rounds (median)",
    "max": "round budget",
    "slack": "share of the budget that the planner leaves",
    "grp": "role groups that the rest cannot do without",
    "agt": "agents that the rest cannot do without",
    "hand": "hand-overs without which the planner's episode fails",
    "jnt": "joint acts",
    "solo": "why none can alone: C capability, J joint, N named, B budget, - unproven",
    "near": "near misses tried",
    "mut": "slightly wrong copies tried",
}

_RIGHT = frozenset(range(2, len(_HEADS))) - {list(_HEADS).index("solo")}


def certificate_table(certificates: Sequence[Certificate]) -> Table:
    """Returns one row per certificate; what a quick examination leaves out stays empty."""
    rows = tuple(tuple(_row(certificate)) for certificate in certificates)
    return Table(columns=tuple(_HEADS), rows=rows, right=_RIGHT)


def legend() -> str:
    """Returns what the heads of the table mean, one a line."""
    return "\n".join(f"{head:>6}  {meaning}" for head, meaning in _HEADS.items() if meaning)


def _row(it: Certificate) -> list[str]:
    won = sum(1 for rounds in it.rounds.values() if rounds)
    necessary = sum(need.necessary for need in it.groups)
    kinds = Counter(proof.kind[:1].upper() or "-" for proof in it.solo)
    close = it.difficulty is not None
    return [
        it.task,
        "yes" if it.ok else "NO",
        f"{won}/{len(it.rounds)}",
        f"{median(it.rounds.values()):g}" if it.solved else "-",
        f"{median(it.bounds.values()):g}",
        str(it.max_rounds),
        "-" if it.slack is None else f"{it.slack:.2f}",
        f"{necessary}/{len(it.groups)}",
        "" if it.difficulty is None else f"{len(it.difficulty.necessary_agents)}/{len(it.solo)}",
        str(it.handovers),
        str(it.joint),
        " ".join(f"{kind}{count}" for kind, count in sorted(kinds.items())),
        str(it.near_misses) if close else "",
        str(it.mutants) if close else "",
    ]
