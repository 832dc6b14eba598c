"""The event log: what happened, to whom, and because of which earlier actions.

Observation text, rewards, verifiers, metrics and figures all read this one log. An action's number counts
the calls of the episode from 0; -1 stands for the world's own turn. ``causes`` holds pairs (kind of edge,
action number); kinds are ``material``, ``equipment``, ``damage``, ``loot``, ``delivery`` and ``protection``.
Movement and information edges follow from positions and mentions, see ``metrics.causal``.
"""

from __future__ import annotations

from typing import Any

import msgspec

Lot = tuple[int, int, int]
"""Units of one provenance: (origin, via, count).

``origin`` is the action that made the units, or ``-1 - i`` for what agent i held at the start. ``via`` is
the action that last brought them to their holder (harvest, craft, loot, transfer, pick-up), or -1.
"""

Cause = tuple[str, int]


class Event(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="event"):
    """Common part of all events: the action that made it happen, the round (from 1), and its causes."""

    action: int
    round: int
    causes: tuple[Cause, ...]


class Moved(Event, frozen=True, gc=False):
    """An agent walked ``steps`` tiles from (x0, y0) to (x, y).

    ``stopped`` is empty, ``limit``, ``blocked``, or the id of the mob that noticed the agent.
    """

    agent: str
    x0: int
    y0: int
    x: int
    y: int
    steps: int
    stopped: str


class Travelled(Event, frozen=True, gc=False):
    """An agent went through a portal from (x0, y0) to (x, y)."""

    agent: str
    portal: str
    x0: int
    y0: int
    x: int
    y: int


class Harvested(Event, frozen=True, gc=False):
    """An agent took ``count`` units of an item from a node; the units' origin is this action."""

    agent: str
    node: str
    item: str
    count: int
    skill: str
    xp: int


class Struck(Event, frozen=True, gc=False):
    """An agent exchanged blows with a mob: total damage dealt in the call, and what the mob has left.

    ``guarded`` is the id of the team-mate the mob was after, or empty.
    """

    agent: str
    mob: str
    exchanges: int
    damage: int
    hp: int
    guarded: str


class Hurt(Event, frozen=True, gc=False):
    """A mob dealt damage to an agent, which has ``hp`` hit points left."""

    agent: str
    mob: str
    damage: int
    hp: int


class Killed(Event, frozen=True, gc=False):
    """A mob fell.

    ``by`` holds (agent, damage since the mob's last full regeneration) for all who share the credit.
    """

    mob: str
    kind: str
    agent: str
    by: tuple[tuple[str, int], ...]


class Looted(Event, frozen=True, gc=False):
    """The one who struck last took a drop from a fallen mob; the units' origin is this action."""

    agent: str
    mob: str
    item: str
    count: int


class Dropped(Event, frozen=True, gc=False):
    """Items came to lie on the ground as an entity of their own, from a mob or a dead agent."""

    source: str
    ground: str
    item: str
    lots: tuple[Lot, ...]
    x: int
    y: int


class PickedUp(Event, frozen=True, gc=False):
    """An agent picked items up."""

    agent: str
    ground: str
    item: str
    lots: tuple[Lot, ...]


class Crafted(Event, frozen=True, gc=False):
    """An agent made ``count`` units in ``times`` crafts, using up ``inputs``: pairs (item, lots)."""

    agent: str
    skill: str
    item: str
    count: int
    times: int
    xp: int
    inputs: tuple[tuple[str, tuple[Lot, ...]], ...]


class Equipped(Event, frozen=True, gc=False):
    """An agent put an item on; ``origin`` is that of the unit's lot."""

    agent: str
    slot: str
    item: str
    origin: int


class Unequipped(Event, frozen=True, gc=False):
    """An agent took an item off, or swapped it for another."""

    agent: str
    slot: str
    item: str


class Consumed(Event, frozen=True, gc=False):
    """An agent used up units: food and drink with what it regained, or ammunition with no gain."""

    agent: str
    item: str
    count: int
    hp: int
    mana: int


class Transferred(Event, frozen=True, gc=False):
    """Items went from an agent to a team-mate, person or site; ``lots`` are as they were with the giver."""

    agent: str
    to: str
    item: str
    count: int
    lots: tuple[Lot, ...]


class Bartered(Event, frozen=True, gc=False):
    """A merchant gave items in return; the units' origin is this action."""

    agent: str
    npc: str
    item: str
    count: int


class Built(Event, frozen=True, gc=False):
    """A site's list of materials became complete."""

    site: str


class Mention(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Something that a message names.

    Attributes:
        kind: ``entity``, ``item``, ``mob``, ``node``, ``place``, ``agent``, ``tile`` or ``quantity``.
        key: Its id or key; ``"x,y"`` for tiles, digits for quantities.
    """

    kind: str
    key: str


class Said(Event, frozen=True, gc=False):
    """An agent sent a message: ``channel`` is ``team`` or ``local``; ``heard`` holds who received it."""

    agent: str
    channel: str
    text: str
    heard: tuple[str, ...]
    mentions: tuple[Mention, ...]


class Slept(Event, frozen=True, gc=False):
    """An agent lay down for so many rounds."""

    agent: str
    rounds: int


class Woke(Event, frozen=True, gc=False):
    """A sleeper was woken early: ``by`` is the mob or the agent that did."""

    agent: str
    by: str


class Left(Event, frozen=True, gc=False):
    """An agent declared itself done and left the episode."""

    agent: str
    response: str


class Died(Event, frozen=True, gc=False):
    """An agent fell; everything it carried now lies on the ground."""

    agent: str
    mob: str


class Regained(Event, frozen=True, gc=False):
    """A mob regained all its hit points."""

    mob: str


AnyEvent = (
    Moved
    | Travelled
    | Harvested
    | Struck
    | Hurt
    | Killed
    | Looted
    | Dropped
    | PickedUp
    | Crafted
    | Equipped
    | Unequipped
    | Consumed
    | Transferred
    | Bartered
    | Built
    | Said
    | Slept
    | Woke
    | Left
    | Died
    | Regained
)
"""Union of all events, for typed decoding of records."""


class Need(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What an action needed of a position: ``agent`` had to be within ``within`` tiles of (x, y)."""

    agent: str
    x: int
    y: int
    within: int


class Result(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What came of a call.

    Attributes:
        ok: Whether it did what it was for.
        code: Short reason for a failure, such as ``"out_of_sight"``; empty on success.
        reason: One sentence for the policy; empty on success.
        hint: What would work instead; may be empty.
        needs: Positions it depended on, for movement edges.
    """

    ok: bool
    code: str = ""
    reason: str = ""
    hint: str = ""
    needs: tuple[Need, ...] = ()


def fail(code: str, reason: str, hint: str = "") -> Result:
    """Returns a failed result."""
    return Result(False, code, reason, hint)


def to_builtins(event: Any) -> Any:
    """Returns an event, result or tuple of events as plain lists and dicts, for records."""
    return msgspec.to_builtins(event)
