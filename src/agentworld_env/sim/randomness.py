"""Counter-based randomness: every draw is a pure function of its key.

A key names the seed, the stream, the actor, the target, the round and the exchange. No draw depends on how
many draws came before, so that leaving one action out of an episode leaves the luck of unrelated events as
it was. Only integer arithmetic is used, so that all machines agree. The finaliser has the structure of
SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_WORD = 0xD1342543DE82EF95
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB

HIT = 1
DAMAGE = 2
MOB_HIT = 3
MOB_DAMAGE = 4
LOOT = 5
NODE = 6
MOB_HOME = 7
AGENT_START = 8
POLICY = 9
SCATTER = 10


def draw(seed: int, stream: int, actor: int, target: int, round_: int = 0, exchange: int = 0) -> int:
    """Returns 64 uniform bits for a key.

    Args:
        seed: Seed of the episode.
        stream: One of this module's stream numbers.
        actor: Index of who acts.
        target: Index of what is acted on.
        round_: Round, or 0.
        exchange: Exchange within the call, or any further counter.
    """
    return spin(stem(seed, stream, actor, target, round_), exchange)


def stem(seed: int, stream: int, actor: int, target: int, round_: int = 0) -> int:
    """Returns what all draws of a key share but for the last counter: ``draw`` is ``spin`` of it.

    A fight draws many times under one key; the stem is then mixed only once.

    Args:
        seed: Seed of the episode.
        stream: One of this module's stream numbers.
        actor: Index of who acts.
        target: Index of what is acted on.
        round_: Round, or 0.
    """
    return spin(stem_of_pair(seed, stream, actor, target), round_)


def stem_of_pair(seed: int, stream: int, actor: int, target: int) -> int:
    """Returns what all draws of an actor and a target share: ``stem`` is ``spin`` of it with the round.

    Args:
        seed: Seed of the episode.
        stream: One of this module's stream numbers.
        actor: Index of who acts.
        target: Index of what is acted on.
    """
    h = (seed ^ (stream * _STEP)) & _MASK
    # Twice ``spin``, written out: drawing where every mob lives calls this often.
    for word in (actor, target):
        h = (h + _STEP + word * _WORD) & _MASK
        h = ((h ^ (h >> 30)) * _FIRST) & _MASK
        h = ((h ^ (h >> 27)) * _SECOND) & _MASK
        h ^= h >> 31
    return h


def spin(h: int, word: int) -> int:
    """Returns 64 bits with one more word of a key mixed in.

    Args:
        h: 64 bits.
        word: An integer.
    """
    h = (h + _STEP + word * _WORD) & _MASK
    h = ((h ^ (h >> 30)) * _FIRST) & _MASK
    h = ((h ^ (h >> 27)) * _SECOND) & _MASK
    return h ^ (h >> 31)


def below(limit: int, bits: int) -> int:
    """Returns a number in 0..limit-1 from 64 bits by multiplication; the bias is below limit / 2**64.

    Args:
        limit: Number of outcomes, at least 1.
        bits: 64 uniform bits.
    """
    return (limit * bits) >> 64


def mark(chance: int) -> int:
    """Returns where success ends: 64 bits lie below it if and only if ``below(1000, bits)`` lies below the chance.

    Args:
        chance: Chance (thousandths).
    """
    return -((-chance << 64) // 1000)


def draw_each(seed: int, stream: int, actors: npt.NDArray[np.uint64], target: int) -> npt.NDArray[np.uint64]:
    """Returns ``draw(seed, stream, actor, target)`` for many actors at once.

    Args:
        seed: Seed of the episode.
        stream: One of this module's stream numbers.
        actors: Indices of who acts.
        target: Index of what is acted on.
    """
    h = np.full(len(actors), (seed ^ (stream * _STEP)) & _MASK, dtype=np.uint64)
    words = (actors * np.uint64(_WORD), np.uint64((target * _WORD) & _MASK), np.uint64(0), np.uint64(0))
    for word in words:
        h = h + np.uint64(_STEP) + word
        h ^= h >> np.uint64(30)
        h *= np.uint64(_FIRST)
        h ^= h >> np.uint64(27)
        h *= np.uint64(_SECOND)
        h ^= h >> np.uint64(31)
    return h


def below_each(limit: int, bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Returns ``below(limit, bits)`` for many bits at once.

    Args:
        limit: Number of outcomes, at most 2**32.
        bits: 64 uniform bits each.
    """
    # The product has up to 96 bits: its two halves are multiplied apart.
    low = (bits & np.uint64(0xFFFFFFFF)) * np.uint64(limit)
    return ((bits >> np.uint64(32)) * np.uint64(limit) + (low >> np.uint64(32))) >> np.uint64(32)
