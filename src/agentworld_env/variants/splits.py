"""Train, validation and test: ranges of seeds whose variants have nothing in common.

A range of seeds alone would promise little, since two seeds may draw the same variant. Here every errand, that is what
must be done whatever the quantities and starts, belongs to one split by its own digest, and the generator takes for a
seed only variants whose errand belongs to that seed's split. So no fingerprint occurs in two splits, however many are
made. Parts of an errand, such as the thing that is made, do occur in several.

Some sources have so few errands that a split would get none that makes sense. Theirs are listed (``narrow.json``); the
demands of a listed errand are dealt out by their own digests, so that there two splits may differ in starts alone. As
the list holds errands, what decides is what a task asks for and not which source it was made from: a demand belongs to
one split wherever it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import msgspec

from agentworld_env.errors import AgentWorldError

SPLITS = {"train": (0, 999_999), "validation": (1_000_000, 1_999_999), "test": (2_000_000, 2_999_999)}
"""Split -> its first and last seed."""
_SHARES = ("train", "train", "validation", "test")
"""Splits of the remainders of digests modulo four."""


def split_of_seed(seed: int) -> str:
    """Returns the split that a seed belongs to.

    Raises:
        AgentWorldError: It lies in no split.
    """
    for split, (first, last) in SPLITS.items():
        if first <= seed <= last:
            return split
    ranges = ", ".join(f"{first}-{last} ({split})" for split, (first, last) in SPLITS.items())
    raise AgentWorldError(f"expected a variant's seed in {ranges}, got {seed}")


def last_of_split(seed: int) -> int:
    """Returns the last seed of the split that a seed belongs to.

    Raises:
        AgentWorldError: It lies in no split.
    """
    return SPLITS[split_of_seed(seed)][1]


def check_seeds(seed: int, count: int) -> None:
    """Refuses seeds that are not all of one split.

    Args:
        seed: The first seed.
        count: How many there are.

    Raises:
        AgentWorldError: They leave the first one's split, or that lies in none.
    """
    split = split_of_seed(seed)
    first, last = SPLITS[split]
    if seed + count - 1 > last:
        latest = last - count + 1
        choices = (
            [f"seed {latest} at the latest"] if latest >= first else [f"at most {last - first + 1} seeds"]
        )
        following = [f"seed {start} for {name}" for name, (start, _) in SPLITS.items() if start == last + 1]
        raise AgentWorldError(
            f"seeds {seed}-{seed + count - 1} leave {split} ({first}-{last}); "
            f"expected {' or '.join(choices + following)}"
        )


def only_for(splits: Sequence[str]) -> str:
    """Returns in words which splits a source has errands for, with their seeds."""
    ranges = (f"{split} (seeds {SPLITS[split][0]}-{SPLITS[split][1]})" for split in splits)
    return f"this source has errands only for {' and '.join(ranges)}"


def split_of(errand: str, demand: str) -> str:
    """Returns the split that a task belongs to.

    Args:
        errand: Digest of its errand.
        demand: Digest of its demand, which decides where the errand is one of the few of a narrow source.
    """
    return split_of_digest(demand if errand in _narrow() else errand)


def split_of_digest(digest: str) -> str:
    """Returns the split to which a digest deals out what it stands for."""
    return _SHARES[int(digest[:8], 16) % len(_SHARES)]


@cache
def narrow() -> dict[str, tuple[str, ...]]:
    """Returns the narrow sources: id -> digests of the errands that can be made from it."""
    packed = resources.files("agentworld_env.variants").joinpath("narrow.json").read_bytes()
    return msgspec.json.decode(packed, type=dict[str, tuple[str, ...]])


@cache
def _narrow() -> frozenset[str]:
    return frozenset(errand for errands in narrow().values() for errand in errands)
