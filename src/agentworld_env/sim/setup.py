"""What an episode starts from, apart from the seed: the team, its things, and what stands there for it."""

from __future__ import annotations

from numbers import Integral

import msgspec

from agentworld_env.errors import InvalidValueError, quoted
from agentworld_env.world.catalogue import Npc

GREATEST_SEED = 2**63 - 1
"""Greatest seed of an episode."""


def checked_seed(seed: object) -> int:
    """Returns a seed that somebody gave, as a plain whole number.

    Args:
        seed: What was given.

    Raises:
        ValueError: It is no whole number from 0 to ``GREATEST_SEED``.
    """
    if isinstance(seed, Integral) and not isinstance(seed, bool) and 0 <= int(seed) <= GREATEST_SEED:
        return int(seed)
    raise InvalidValueError(f"a seed is a whole number from 0 to {GREATEST_SEED}, not {quoted(seed)}")


class AgentSetup(msgspec.Struct, frozen=True, kw_only=True):
    """One agent at the start.

    Attributes:
        name: Agent id.
        x: Column of its place (tiles); the seed moves it by up to ``Rules.jitter``.
        y: Row of its place.
        skills: Skill -> level.
        bag: Item key -> units.
        worn: Item keys worn.
    """

    name: str
    x: int
    y: int
    skills: dict[str, int]
    bag: dict[str, int]
    worn: tuple[str, ...]


class Raider(msgspec.Struct, frozen=True, kw_only=True):
    """One creature of a wave: absent at first, then out for the team, and gone for good once it falls.

    Attributes:
        id: Entity id.
        kind: Key of its kind, whose figures it has; it carries nothing.
        x: Column of its home (tiles); the seed moves it by up to ``Rules.jitter``.
        y: Row of its home.
        appears: Round from whose start on it stands there, counted from 1.
        seeks: How near to its home an agent must end a round for it to go for that agent (tiles).
    """

    id: str
    kind: str
    x: int
    y: int
    appears: int
    seeks: int


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """The start of an episode.

    Attributes:
        agents: The team, in turn order.
        spawns: Ids of the named spawns that stand in this episode.
        raiders: Creatures that come in waves in this episode.
        sites: Sites and people that stand only in this episode.
        growth: Whether experience raises the levels that gate tools and recipes within the episode.
    """

    agents: tuple[AgentSetup, ...]
    spawns: tuple[str, ...] = ()
    raiders: tuple[Raider, ...] = ()
    sites: tuple[Npc, ...] = ()
    growth: bool = False
