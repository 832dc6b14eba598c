"""What a plan is made of: who gathers, makes, carries, fights, goes where."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

Tile = tuple[int, int]


class Gather(msgspec.Struct, kw_only=True):
    """One agent harvests ``left`` more units of an item.

    Attributes:
        agent: Who.
        item: What.
        left: Units still to be harvested.
        kinds: Kinds of nodes that will do.
        site: A node of these kinds.
        told: Whether the guides let the team know of that node.
    """

    agent: int
    item: str
    left: int
    kinds: tuple[str, ...]
    site: Tile
    told: bool = False


class Craft(msgspec.Struct, kw_only=True):
    """One agent makes a recipe ``left`` more times."""

    agent: int
    item: str
    left: int


class Give(msgspec.Struct, kw_only=True):
    """One agent brings ``left`` more units of an item to a team-mate or a person.

    Attributes:
        agent: Who brings them.
        to: Agent id, site or person.
        item: What.
        left: Units still to be handed over.
    """

    agent: int
    to: str
    item: str
    left: int


class Kill(msgspec.Struct, kw_only=True):
    """Some agents bring down ``left`` more mobs: one named spawn, or any of a kind.

    Attributes:
        agents: Who fights.
        mob: Spawn id or kind key.
        left: Kills still needed.
        team: Different attackers needed in every round.
        site: Where the mobs are.
        by: Whose share makes a kill count; anybody's if empty.
        go: Round from which all attack; 0 until enough are in place.
        since: Round since which enough have been in place, or 0.
    """

    agents: tuple[int, ...]
    mob: str
    left: int
    team: int
    site: Tile
    by: tuple[int, ...] = ()
    go: int = 0
    since: int = 0


class Barter(msgspec.Struct, kw_only=True):
    """One agent buys ``left`` more deals of an item from a merchant."""

    agent: int
    npc: str
    take: str
    take_count: int
    give: str
    left: int


class Visit(msgspec.Struct, kw_only=True):
    """One agent goes to within ``within`` tiles of a tile once."""

    agent: int
    site: Tile
    within: int
    done: bool = False


class Wear(msgspec.Struct, kw_only=True):
    """One agent puts an item on."""

    agent: int
    item: str
    done: bool = False


class Stay(msgspec.Struct, kw_only=True):
    """Some agents stay in an area from when their other work is done until the episode ends."""

    agents: tuple[int, ...]
    site: Tile
    within: int


Job = Gather | Craft | Give | Kill | Barter | Visit | Wear | Stay


class Gap(NamedTuple):
    """What a plan could not provide for.

    Attributes:
        text: What is missing, in words.
        item: The item that is missing, or empty.
        label: Label of the checkpoint that cannot be reached, or empty.
    """

    text: str
    item: str = ""
    label: str = ""


class Plan(msgspec.Struct, kw_only=True):
    """All jobs of an episode.

    Attributes:
        jobs: The jobs, products before what they are made from.
        hubs: Receiving agent -> tile where it takes deliveries.
        gaps: What the plan could not provide for; empty for a plan that covers the task.
    """

    jobs: list[Job]
    hubs: dict[int, Tile]
    gaps: list[Gap]

    def of(self, agent: int) -> list[Job]:
        """Returns the jobs in which an agent has a part."""
        return [
            job
            for job in self.jobs
            if (agent in job.agents if isinstance(job, Kill | Stay) else job.agent == agent)
        ]
