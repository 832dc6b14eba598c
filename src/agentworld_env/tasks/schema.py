"""What a task file may say. Files that people write are checked with pydantic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from agentworld_env.sim.rules import RULES

Category = Literal[
    "combat", "crafting", "trading", "gathering", "exploration", "survival", "construction", "coordination"
]
CATEGORIES: tuple[str, ...] = Category.__args__  # type: ignore[attr-defined]
ChangeKind = Literal["place", "source", "recipe", "skill", "gear", "checkpoint", "constraint", "quantity"]


def _one_line(text: str) -> str:
    if "\n" in text:
        raise ValueError("one line")
    return text


Line = Annotated[str, AfterValidator(_one_line)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,31}$")]
Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,47}$")]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Level = Annotated[int, Field(ge=0, le=135)]
Number = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,31}(\.[A-Za-z0-9_-]{1,48}){1,2}$")]
Tile = Annotated[tuple[int, int], Field(description="[x, y] in tiles")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Area(_Model):
    """Where something must happen: a tile and how near (Manhattan tiles), or a named place of the world."""

    at: Tile | None = None
    within: int = Field(default=8, ge=0, le=200)
    place: Key | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Area:
        if (self.at is None) == (self.place is None):
            raise ValueError("either 'at: [x, y]' or 'place: key'")
        return self


class _Checkpoint(_Model):
    label: Line = Field(min_length=1, max_length=80)


class _Units(_Checkpoint):
    """Units of one item (``item`` and ``count``), or of several, each of which has to be complete (``items``)."""

    item: str = Field(default="", pattern=r"^([a-z0-9][a-z0-9_-]{0,47})?$")
    count: int = Field(default=0, ge=0, le=1_000_000)
    items: dict[Key, Count] = Field(default={}, max_length=25)

    @model_validator(mode="after")
    def _one_or_several(self) -> Self:
        single = bool(self.item) and self.count > 0
        if single == bool(self.items) or (self.items and (self.item or self.count or len(self.items) < 2)):
            raise ValueError(
                "'item' and 'count' (1 or more), or else 'items' (two or more, each with its count)"
            )
        return self


class Gathered(_Units):
    """Units harvested in the episode, by anyone or by the named roles."""

    kind: Literal["gathered"]
    by: tuple[Name, ...] = ()


class Crafted(_Units):
    """Units crafted in the episode, by anyone or by the named roles."""

    kind: Literal["crafted"]
    by: tuple[Name, ...] = ()


class Killed(_Checkpoint):
    """Kills of a mob kind, or of one named spawn, since the start.

    With ``by``, a kill counts if one of the named roles dealt some of the damage.
    """

    kind: Literal["killed"]
    mob: Key
    count: Count = 1
    by: tuple[Name, ...] = ()


class Delivered(_Units):
    """Units that reached an agent or a site by transfer.

    A unit counts once, and never for its own maker. ``origin: made`` (default) counts only units gathered,
    crafted or looted in the episode; ``any`` also counts what others held at the start.

    Passing through is delivery: units that the receiver hands on count for the next receiver as well, so that one
    unit can satisfy a chain of checkpoints. Where each of several roles is to have one of its own, use ``held``.
    """

    kind: Literal["delivered"]
    to: Key | Name
    origin: Literal["made", "any"] = "made"


class Held(_Units):
    """Units in the bag (or worn) of one role, or of the whole team, right now. It can be lost again."""

    kind: Literal["held"]
    by: Name | None = None


class Worn(_Checkpoint):
    """An item that a role has put on in the episode, other than what it wore at the start.

    ``origin: made`` counts only an item gathered, crafted or looted in the episode; ``any`` (default) also one that
    somebody held at the start.
    """

    kind: Literal["worn"]
    item: Key
    by: Name
    origin: Literal["made", "any"] = "any"


class Visited(_Checkpoint):
    """The named roles have each been in an area (``all``), or any one of them has (``any``)."""

    kind: Literal["visited"]
    area: Area
    by: tuple[Name, ...] = ()
    need: Literal["all", "any"] = "any"


class Discovered(_Checkpoint):
    """The named roles (``all``), or any one of them (``any``), have come near a thing that has to be found.

    ``target`` is a person, site, portal, named spawn or place. No guide may list it: at most the area to search.
    """

    kind: Literal["discovered"]
    target: Key
    within: int = Field(default=8, ge=0, le=64)
    by: tuple[Name, ...] = ()
    need: Literal["all", "any"] = "any"


class PresentTogether(_Checkpoint):
    """The named roles (all if empty) stand in an area at the end of one round."""

    kind: Literal["present_together"]
    area: Area
    by: tuple[Name, ...] = ()


class HeldForRounds(_Checkpoint):
    """The named roles (all if empty) stand in an area at the end of so many rounds running.

    With ``after``, the label of a checkpoint above, only rounds at whose end that one is reached count. A place with a
    creature of a wave in it is not held.
    """

    kind: Literal["held_for_rounds"]
    area: Area
    rounds: int = Field(ge=1, le=200)
    after: str | None = None
    by: tuple[Name, ...] = ()


class SurvivedUntil(_Checkpoint):
    """The end of a round, with the named roles (all if empty) alive, after a checkpoint above is reached.

    ``after`` names that checkpoint by its label, so that an idle team does not pass by waiting.
    """

    kind: Literal["survived_until"]
    round: int = Field(ge=1, le=500)
    after: str
    by: tuple[Name, ...] = ()


class Built(_Checkpoint):
    """A site whose list of materials is complete."""

    kind: Literal["built"]
    site: Key


class PythonCheckpoint(_Checkpoint):
    """A function ``module:name`` for a rule that no kind expresses.

    It gets the simulation and returns whether the checkpoint holds; it latches. Only for installed code:
    files from strangers that name one are refused unless the caller allows it.
    """

    kind: Literal["python"]
    function: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")


Checkpoint = Annotated[
    Gathered
    | Crafted
    | Killed
    | Delivered
    | Held
    | Worn
    | Visited
    | Discovered
    | PresentTogether
    | HeldForRounds
    | SurvivedUntil
    | Built
    | PythonCheckpoint,
    Field(discriminator="kind"),
]


def parts_of(points: Iterable[Checkpoint]) -> Iterator[Checkpoint]:
    """Yields checkpoints of which none counts more than one item.

    One that counts several yields one for each of its items, in their order, labelled as ``part_label`` says; all
    others come as they are.

    Args:
        points: The checkpoints.
    """
    for point in points:
        if isinstance(point, _Units) and point.items:
            for item, count in point.items.items():
                label = part_label(point.label, item)
                yield point.model_copy(update={"label": label, "item": item, "count": count, "items": {}})
        else:
            yield point


def part_label(label: str, item: str) -> str:
    """Returns the label of one item's part of a checkpoint that counts several, such as ``"Rings made: goldring"``."""
    return f"{label}: {item}"


class AllAlive(_Model):
    """Nobody of the named roles (all if empty) dies."""

    kind: Literal["all_alive"]
    by: tuple[Name, ...] = ()


class NeverCrafted(_Model):
    """Nobody crafts an item."""

    kind: Literal["never_crafted"]
    item: Key


Constraint = Annotated[AllAlive | NeverCrafted, Field(discriminator="kind")]


class Guide(_Model):
    """Which facts a role's guide shows. The facts themselves are rendered from the world's catalogue."""

    recipes: tuple[Key, ...] = ()
    nodes: tuple[Key, ...] = ()
    mobs: tuple[Key, ...] = ()
    places: tuple[Key, ...] = ()
    sites: tuple[Key, ...] = ()
    notes: str = Field(default="", max_length=2000)


class Role(_Model):
    """One agent of the team; its name is the agent's id.

    Attributes:
        group: Role group, such as ``miners``; necessity is proven per group.
        about: What the role is for, one or two sentences, shown to that agent only.
        start: Start tile; the seed moves it by up to three tiles.
        skills: Skill -> level. A gathering or production skill that is absent is 0 and cannot be used; an
            absent combat skill is 1.
        inventory: Item key -> units at the start.
        worn: Item keys worn at the start.
        guide: Facts for this role.
    """

    group: Name
    about: str = Field(min_length=1, max_length=600)
    start: Tile
    skills: dict[str, Level] = {}
    inventory: dict[Key, Count] = {}
    worn: tuple[Key, ...] = ()
    guide: Guide = Guide()


class Site(_Model):
    """A building site or a collector that stands only in this task's episodes and takes materials."""

    name: Line = Field(min_length=1, max_length=60)
    at: Tile
    wants: dict[Key, Count] = Field(min_length=1)
    about: str = Field(default="", max_length=300)


class Wave(_Model):
    """Creatures of one kind that come in this task only, and for good: once fallen they do not return.

    From the start of round ``appears`` on they stand around a tile, moved by the seed by up to three tiles. At the end
    of every round, one that is after nobody goes for the nearest agent within ``seeks`` tiles of where it stood first,
    however strong, and follows it as far from there. They have the figures of their kind and carry nothing.
    """

    mob: Key
    count: int = Field(default=1, ge=1, le=20)
    at: Tile
    appears: int = Field(ge=2, le=500)
    seeks: int = Field(default=40, ge=1, le=RULES.pursuit)


class Change(_Model):
    """One deviation from the published task.

    Attributes:
        kind: What it is about.
        what: What is different.
        why: Why it had to be.
        numbers: Every published number that it changes -> (published, here). The number of units that a goal asks for
            is ``gathered.ITEM``, ``crafted.ITEM``, ``killed.MOB`` or ``delivered.RECEIVER.ITEM``; what a role starts
            with is ``ROLE.ITEM`` (units, worn ones included) or ``ROLE.SKILL`` (level).
    """

    kind: ChangeKind
    what: str = Field(min_length=1, max_length=400)
    why: str = Field(min_length=1, max_length=400)
    numbers: dict[Number, tuple[int, int]] = Field(default={}, max_length=100)


class TaskSpec(_Model):
    """A whole task file."""

    id: Key
    number: int = Field(default=0, ge=0)
    title: Line = Field(min_length=1, max_length=80)
    category: Category
    suite: str = "user"
    max_rounds: int = Field(ge=1, le=500)
    objective: str = Field(min_length=1, max_length=600)
    team: dict[Name, Role] = Field(min_length=1, max_length=1000)
    spawns: tuple[Key, ...] = ()
    waves: tuple[Wave, ...] = Field(default=(), max_length=20)
    sites: dict[Key, Site] = {}
    sources: tuple[Key, ...] = ()
    growth: bool = False
    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1, max_length=12)
    constraints: tuple[Constraint, ...] = ()
    changes: tuple[Change, ...] = ()
    canary: str = ""

    @property
    def parts(self) -> tuple[Checkpoint, ...]:
        """The checkpoints, with one for each item instead of each that counts several items."""
        return tuple(parts_of(self.checkpoints))
