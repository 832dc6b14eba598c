"""The objective, rendered from what a variant asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentworld_env.tasks.schema import (
    AllAlive,
    Built,
    Checkpoint,
    Crafted,
    Delivered,
    Discovered,
    Gathered,
    Held,
    HeldForRounds,
    Killed,
    PresentTogether,
    SurvivedUntil,
    Visited,
    Worn,
)
from agentworld_env.variants.edit import units, waves
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import amount, article, called, listing, mob_name, mobs, noun, people
from agentworld_env.variants.text.order import in_order
from agentworld_env.variants.text.words import (
    area,
    boss_name,
    by_verb,
    quarry,
    receiver,
    search,
)

LONGEST = 600
_RULE = "team rule"


def objective(facts: Facts) -> str | None:
    """Returns the objective, at most 600 characters; None if it cannot be said so shortly."""
    for keys in (True, False):
        text = _sentence(facts, keys)
        if len(text) <= LONGEST:
            return text
    return None


def _sentence(facts: Facts, keys: bool) -> str:
    text = "; ".join(_clauses(facts, keys))
    text = text[:1].upper() + text[1:] + "."
    for mob, rounds in _raids(facts).items():
        text += (
            f" {mob[:1].upper() + mob[1:]} come in {listing(f'round {number}' for number in sorted(rounds))}."
        )
    if any(isinstance(rule, AllAlive) and not rule.by for rule in facts.spec.constraints):
        text += " Nobody may die."
    for rule in facts.spec.constraints:
        if isinstance(rule, AllAlive) and rule.by:
            text += f" {_who(rule.by, facts)} must stay alive."
        elif not isinstance(rule, AllAlive):
            text += f" Nobody may make {noun(rule.item, 2, facts.world)}."
    return text


def _raids(facts: Facts) -> dict[str, set[int]]:
    """Returns what comes by itself, in the plural -> in which rounds."""
    found: dict[str, set[int]] = {}
    for wave in waves(facts.spec):
        found.setdefault(mob_name(wave.mob, 2, facts.world), set()).add(wave.appears)
    return found


class _Clause(NamedTuple):
    """A clause: what comes before the things, the things, and what comes behind.

    Attributes:
        head: Words before the things.
        things: The things.
        tail: Words behind them.
        points: Checkpoints that it says.
    """

    head: str
    things: list[str]
    tail: str
    points: list[Checkpoint]

    def __str__(self) -> str:
        return " ".join(part for part in (self.head, listing(self.things), self.tail) if part)


def _clauses(facts: Facts, keys: bool) -> list[str]:
    """Returns the clauses of all checkpoints; what neighbours have in common is said once."""
    said: set[str] = set()
    clauses: list[_Clause] = []
    points = in_order(facts)
    while points:
        point = points.pop(0)
        last = clauses[-1] if clauses else None
        if isinstance(point, Worn) and last is not None and _fresh(point, last):
            # "have the wizard make 1 staff and put it on"
            same = last.head.startswith(f"have {called(point.by)} ")
            tail = "and put it on" if same else f"and have {called(point.by)} put it on"
            clauses[-1] = last._replace(tail=f"{last.tail} {tail}".strip(), points=[])
            continue
        together = [point]
        while points and _one_breath(point, points[0]):
            together.append(points.pop(0))
        for clause in _said(together, facts, keys, said):
            last = clauses[-1] if clauses else None
            if (
                last
                and last.points
                and clause.things
                and (last.head, last.tail) == (clause.head, clause.tail)
            ):
                last.things.extend(clause.things)
                last.points.extend(clause.points)
            else:
                clauses.append(clause)
    return [str(clause) for clause in clauses]


def _fresh(point: Worn, last: _Clause) -> bool:
    """Returns whether what is to be worn is the one thing that was spoken of last."""
    return (
        len(last.points) == 1
        and last.points[0].kind in ("crafted", "delivered")
        and units(last.points[0]) == {point.item: 1}
    )


def _one_breath(point: Checkpoint, other: Checkpoint) -> bool:
    """Returns whether a checkpoint differs from the one before it only in who, or in the share in a kill."""
    if isinstance(point, Killed) and isinstance(other, Killed):
        return point.mob == other.mob
    if isinstance(point, Held) and isinstance(other, Held):
        return units(point) == units(other) and bool(point.by and other.by)
    if isinstance(point, Worn) and isinstance(other, Worn):
        return point.item == other.item and point.origin == other.origin
    return False


def _said(points: list[Checkpoint], facts: Facts, keys: bool, said: set[str]) -> Iterator[_Clause]:
    """Yields the clauses of checkpoints that are said in one breath; most have one, and most are one."""
    point = points[0]
    match point:
        case Gathered() | Crafted():
            for (verb, _), wanted in by_verb(point, facts).items():
                head = verb if not point.by else f"have {_who(point.by, facts)} {verb}"
                yield _Clause(head, _things(wanted, facts, keys, said), "", [point])
        case Delivered():
            if not _listed(point, facts):  # else it is said with all that the site takes
                verb = "bring" if point.to in facts.spec.sites else "hand"
                to = f"to {receiver(point.to, facts)}"
                yield _Clause(verb, _things(units(point), facts, keys, said), to, [point])
        case Held():
            who = listing(called(p.by) for p in points if isinstance(p, Held) and p.by)
            head = f"have {who}{' each' if len(points) > 1 else ''} hold" if who else "hold"
            yield _Clause(head, _things(units(point), facts, keys, said), "in the end", list(points))
        case Worn():
            thing = noun(point.item, 1, facts.world, key=keys and point.item not in said)
            said.add(point.item)
            who = listing(called(p.by) for p in points if isinstance(p, Worn))
            head = f"have {who}{' each' if len(points) > 1 else ''} put on"
            yield _Clause(
                head, [f"a new {thing}" if point.origin == "made" else article(thing)], "", list(points)
            )
        case Killed():
            yield _hunt([p for p in points if isinstance(p, Killed)], facts, said)
        case Built():
            wants = facts.spec.sites[point.site].wants
            things = _things(dict(wants), facts, keys, said)
            fresh = _freshly(point.site, facts)
            marked = [
                f"{t} newly made" if item in fresh else t for item, t in zip(wants, things, strict=True)
            ]
            yield _Clause("bring", marked, f"to {receiver(point.site, facts)}", [point])
        case Discovered():
            finder = _finder(point, facts)
            if point.target in said:
                text = f"{finder} {quarry(point, facts)} too"
            else:
                text = f"{finder} {quarry(point, facts)}, hidden {search(point, facts)}"
            said.add(point.target)
            yield _Clause(text, [], "", [point])
        case Visited():
            yield _Clause(f"{_finder(point, facts, 'come')} {area(point, facts)}", [], "", [point])
        case PresentTogether():
            yield _Clause(f"end a round with {_who(point.by, facts)} {area(point, facts)}", [], "", [point])
        case HeldForRounds():
            after = _after(point.after, facts)
            rounds = f"for {point.rounds} rounds in a row{after}"
            yield _Clause(f"keep {_who(point.by, facts)} {area(point, facts)} {rounds}", [], "", [point])
        case SurvivedUntil():
            yield _Clause(
                f"have {_who(point.by, facts)} alive at the end of round {point.round}", [], "", [point]
            )
        case _:
            yield _Clause(point.label, [], "", [point])


def _who(names: tuple[str, ...], facts: Facts, word: str = "and") -> str:
    return people(names, facts.groups, facts.team, word, called)


def _hunt(points: list[Killed], facts: Facts, said: set[str]) -> _Clause:
    """Returns the clause of kills of one kind: how many, and who is to have a share in them."""
    point = max(points, key=lambda p: (p.count, not p.by))
    others = [p for p in points if p is not point]
    thing = prey(point, facts, said)
    share = f"with {_who(point.by, facts, 'or')} taking part" if point.by else ""
    if not others:
        return _Clause("kill", [thing], share, list(points))
    if point.mob in facts.world.named_spawns:
        who = listing(_who(p.by, facts, "or") for p in points if p.by)
        return _Clause("kill", [thing], f"with {who} each taking part", [])
    shares = [f"{p.count} of them with {_who(p.by, facts, 'or')}" for p in others]
    thing = f"{thing} {share}".strip()
    return _Clause("kill", [f"{thing}, at least {listing(shares)} taking part"], "", [])


def _listed(point: Delivered, facts: Facts) -> bool:
    """Returns whether a site takes, as part of its list, all that a checkpoint wants brought there."""
    built = any(isinstance(other, Built) and other.site == point.to for other in facts.spec.checkpoints)
    wants = facts.spec.sites[point.to].wants if built else {}
    return all(wants.get(item, 0) >= count for item, count in units(point).items())


def _freshly(site: str, facts: Facts) -> set[str]:
    """Returns what must have been made in the episode of all that a site takes."""
    return {
        item
        for point in facts.spec.checkpoints
        if isinstance(point, Delivered) and point.to == site and point.origin == "made"
        for item in units(point)
    }


def _things(wanted: dict[str, int], facts: Facts, keys: bool, said: set[str]) -> list[str]:
    things = []
    for item, count in wanted.items():
        things.append(amount(item, count, facts.world, key=keys and item not in said))
        said.add(item)
    return things


def _finder(point: Discovered | Visited, facts: Facts, verb: str = "find") -> str:
    names = point.by
    if point.need == "all":
        return f"have {_who(names, facts)} each {verb}"
    if not names:
        return verb
    return f"have {_who(names, facts, 'or')} {verb}"


def prey(point: Killed, facts: Facts, said: set[str]) -> str:
    """Returns what is to be killed, with the team rule of a boss, which is said in full once."""
    spawn = facts.world.named_spawns.get(point.mob)
    if spawn is None:
        return mobs(point.mob, point.count, facts.world)
    rule = f" ({spawn.team} of you)" if spawn.team > 1 else ""
    if rule and _RULE not in said:
        said.add(_RULE)
        rule = f" (it takes {spawn.team} of you striking in every round)"
    return f"the {boss_name(point.mob, facts)}{rule}"


def _after(label: str | None, facts: Facts) -> str:
    if label is None:
        return ""
    before = next((point for point in facts.spec.checkpoints if point.label == label), None)
    if isinstance(before, Killed) and before.mob in facts.world.named_spawns:
        return f" after the {boss_name(before.mob, facts)} has fallen"
    if isinstance(before, Delivered):
        things = [noun(item, count, facts.world) for item, count in units(before).items()]
        return f" after the {listing(things)} {'has' if _single(before) else 'have'} been handed over"
    return " after that"


def _single(point: Checkpoint) -> bool:
    """Returns whether a checkpoint counts one unit of one item."""
    return list(units(point).values()) == [1]
