"""Train, validation and test: ranges of seeds whose variants have nothing in common.

A range of seeds alone would promise little, since two seeds may draw the same variant. Here every demand, that is what
must be done whatever the quantities, belongs to one split by its own digest, and the generator takes for a seed only
variants whose demand belongs to that seed's split. So no fingerprint occurs in two splits, however many are made.
"""

from __future__ import annotations

from agentworld_env.errors import AgentWorldError

SPLITS = {"train": (0, 999_999), "validation": (1_000_000, 1_999_999), "test": (2_000_000, 2_999_999)}
"""Split -> its first and last seed."""
GREATEST = 2_999_999
"""Greatest seed of a variant."""
_SHARES = ("train", "train", "validation", "test")
"""Splits of the remainders of demands modulo four."""


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


def split_of_demand(demand: str) -> str:
    """Returns the split that a demand (a digest) belongs to."""
    return _SHARES[int(demand[:8], 16) % len(_SHARES)]
