"""Narrow sources: their few errands are listed, so that all splits get something.

``python -m agentworld_env.variants.narrow`` lists them anew from the main tasks as they are now; drawing the augmented
suite does so first. The list is data (``narrow.json``): finding the errands takes seconds for each source, and what
split a task belongs to must not depend on which drafts somebody has looked at.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from agentworld_env.tasks import Task, get_task
from agentworld_env.variants.digests import errand
from agentworld_env.variants.draft import draft

SOURCES = {
    "t07_pickaxe_crafting": "one errand: grounds, starts, quantities and the budget are all that can change",
    "t08_bronze_alloy": "sixteen errands, of which validation would get one that hardly ever certifies",
    "t09_topaz_ring": "one errand: grounds, starts and the budget are all that can change",
    "t13_bucket_crafting": "three errands, of which validation would get none",
    "t29_castle_siege": "seven errands, of which validation would get one, a fight that luck decides",
}
"""Narrow source -> why it is one."""
ATTEMPTS = 240
"""Attempts of seed 0 of which the drafts are looked at; two more seeds show no other errand."""
_LIST = Path(__file__).parent / "narrow.json"


def errands(source: Task) -> list[str]:
    """Returns the digests of the errands that drafts of a source come to, sorted."""
    drawn = (draft(source, 0, attempt, anywhere=True) for attempt in range(ATTEMPTS))
    return sorted({errand(found[0], source.world) for found in drawn if found is not None})


def record() -> None:
    """Writes the errands of all narrow sources."""
    found = {name: errands(get_task(name)) for name in SOURCES}
    _LIST.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


if __name__ == "__main__":
    record()
