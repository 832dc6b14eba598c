"""Train, validation and test: ranges of seeds whose variants have nothing in common.

A range of seeds alone would promise little, since two seeds may draw the same variant. Here every errand, that is what
must be done whatever the quantities and starts, belongs to one split by its own digest, and the generator takes for a
seed only variants whose errand belongs to that seed's split. So no fingerprint occurs in two splits, however many are
made. Parts of an errand, such as the thing that is made, do occur in several.
"""

from __future__ import annotations

from agentworld_env.errors import AgentWorldError

SPLITS = {"train": (0, 999_999), "validation": (1_000_000, 1_999_999), "test": (2_000_000, 2_999_999)}
"""Split -> its first and last seed."""
GREATEST = 2_999_999
"""Greatest seed of a variant."""
_SHARES = ("train", "train", "validation", "test")
"""Splits of the remainders of errands modulo four."""


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
        raise AgentWorldError(f"seeds {seed}-{seed + count - 1} leave {split} ({first}-{last})")


def split_of_errand(errand: str) -> str:
    """Returns the split that an errand (a digest) belongs to."""
    return _SHARES[int(errand[:8], 16) % len(_SHARES)]
