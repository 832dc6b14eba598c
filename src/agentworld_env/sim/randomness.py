"""Counter-based randomness: every draw is a pure function of its key.

A key names the seed, the stream, the actor, the target, the round and the exchange. No draw depends on how
many draws came before, so that leaving one action out of an episode leaves the luck of unrelated events as
it was. Only integer arithmetic is used, so that all machines agree. The finaliser has the structure of
SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
"""

from __future__ import annotations

_MASK = (1 << 64) - 1

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
    h = (seed ^ (stream * 0x9E3779B97F4A7C15)) & _MASK
    for word in (actor, target, round_, exchange):
        h = (h + 0x9E3779B97F4A7C15 + word * 0xD1342543DE82EF95) & _MASK
        h ^= h >> 30
        h = (h * 0xBF58476D1CE4E5B9) & _MASK
        h ^= h >> 27
        h = (h * 0x94D049BB133111EB) & _MASK
        h ^= h >> 31
    return h


def below(limit: int, bits: int) -> int:
    """Returns a number in 0..limit-1 from 64 bits by multiplication; the bias is below limit / 2**64.

    Args:
        limit: Number of outcomes, at least 1.
        bits: 64 uniform bits.
    """
    return (limit * bits) >> 64
