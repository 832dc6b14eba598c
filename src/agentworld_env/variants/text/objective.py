"""The objective, the labels of checkpoints and the title, rendered from what a variant asks for."""

from __future__ import annotations

from collections.abc import Iterator

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
from agentworld_env.variants.edit import units
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import amount, listing, mobs, noun, people, place_name

GATHER = {
    "tree": ("cut", "cut"),
    "rock": ("mine", "mined"),
    "fish": ("catch", "caught"),
    "plant": ("pick", "picked"),
}
"""Family of resources -> verb and participle."""
CRAFT = {
    "smelting": ("smelt", "smelted"),
    "smithing": ("forge", "forged"),
    "fletching": ("make", "made"),
    "cooking": ("prepare", "prepared"),
    "crafting": ("make", "made"),
}
"""Production skill -> verb and participle."""
CARVED = frozenset({"stick", "bowlsmall", "bowlmedium"})
"""Products of wood alone."""
TAKE = ("take", "taken")
LONGEST = 600


def gathering(item: str, facts: Facts) -> tuple[str, str]:
    """Returns how an item is gathered: verb and participle."""
    if item in facts.spec.sources and not facts.needs.harvesters(item):
        return TAKE
    families = {kind.family for kind in facts.world.node_kinds.values() if kind.gives == item}
    return GATHER[sorted(families)[0]] if families else TAKE


def making(item: str, facts: Facts) -> tuple[str, str]:
    """Returns how an item is crafted: verb and participle."""
    if item in CARVED:
        return ("carve", "carved")
    return CRAFT[facts.world.recipe_of[item].skill]


def objective(facts: Facts) -> str | None:
    """Returns the objective, at most 600 characters; None if it cannot be said so shortly."""
    for keys in (True, False):
        text = _sentence(facts, keys)
        if len(text) <= LONGEST:
            return text
    return None


def _sentence(facts: Facts, keys: bool) -> str:
    clauses = list(_merged(facts, keys))
    text = "; ".join(clauses)
    text = text[:1].upper() + text[1:] + "."
    if any(isinstance(rule, AllAlive) and not rule.by for rule in facts.spec.constraints):
        text += " Nobody may die."
    for rule in facts.spec.constraints:
        if isinstance(rule, AllAlive) and rule.by:
            text += f" {people(rule.by, facts.groups, facts.team)} must stay alive."
        elif not isinstance(rule, AllAlive):
            text += f" Nobody may make {noun(rule.item, 2, facts.world)}."
    return text


def _merged(facts: Facts, keys: bool) -> Iterator[str]:
    """Yields the clauses of all checkpoints; neighbours that differ only in the things are said at once."""
    said: set[str] = set()
    open_: tuple[str, list[str], str] | None = None
    for point in facts.spec.checkpoints:
        head, things, tail = _clause(point, facts, keys, said)
        if not head:
            continue
        if open_ is not None and things and open_[0] == head and open_[2] == tail:
            open_[1].extend(things)
            continue
        if open_ is not None:
            yield _joined(open_)
        open_ = (head, things, tail)
    if open_ is not None:
        yield _joined(open_)


def _joined(clause: tuple[str, list[str], str]) -> str:
    head, things, tail = clause
    return " ".join(part for part in (head, listing(things), tail) if part)


def _clause(point: Checkpoint, facts: Facts, keys: bool, said: set[str]) -> tuple[str, list[str], str]:
    """Returns a checkpoint in words as what comes before the things, the things, and what comes behind."""
    who = people(getattr(point, "by", None) or (), facts.groups, facts.team) if _many(point) else ""
    match point:
        case Gathered() | Crafted():
            wanted = units(point)
            first = next(iter(wanted))
            verb = (gathering if isinstance(point, Gathered) else making)(first, facts)[0]
            head = verb if not point.by else f"let {who} {verb}"
            return head, _things(wanted, facts, keys, said), ""
        case Delivered():
            if _listed(point, facts):
                return "", [], ""  # said with all that the site takes
            verb = "bring" if point.to in facts.spec.sites else "hand"
            return verb, _things(units(point), facts, keys, said), f"to {receiver(point.to, facts)}"
        case Held():
            return (
                "leave",
                _things(units(point), facts, keys, said),
                f"with {point.by or 'the team'} in the end",
            )
        case Worn():
            new = "a new " if point.origin == "made" else "a "
            thing = noun(point.item, 1, facts.world, key=keys and point.item not in said)
            said.add(point.item)
            return f"have {point.by} put on", [new + thing], ""
        case Killed():
            share = f"with {people(point.by, facts.groups, facts.team, 'or')} taking part" if point.by else ""
            return "kill", [prey(point, facts)], share
        case Built():
            wants = facts.spec.sites[point.site].wants
            things = _things(dict(wants), facts, keys, said)
            fresh = _freshly(point.site, facts)
            marked = [
                f"{t} newly made" if item in fresh else t for item, t in zip(wants, things, strict=True)
            ]
            return "bring", marked, f"to {receiver(point.site, facts)}"
        case Discovered():
            finder = _finder(point, facts)
            if point.target in said:
                return f"{finder} {quarry(point, facts)} too", [], ""
            said.add(point.target)
            return f"{finder} {quarry(point, facts)}, hidden {search(point, facts)}", [], ""
        case Visited():
            return f"{_finder(point, facts, 'reach')} {area(point, facts)}", [], ""
        case PresentTogether():
            return f"end a round with {who or 'all of you'} {area(point, facts)}", [], ""
        case HeldForRounds():
            after = _after(point.after, facts)
            return (
                f"keep {who or 'all of you'} {area(point, facts)} for {point.rounds} rounds in a row{after}",
                [],
                "",
            )
        case SurvivedUntil():
            return f"have {who or 'all of you'} alive at the end of round {point.round}", [], ""
        case _:
            return point.label, [], ""


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


def _many(point: Checkpoint) -> bool:
    return isinstance(getattr(point, "by", None), tuple)


def _things(wanted: dict[str, int], facts: Facts, keys: bool, said: set[str]) -> list[str]:
    things = []
    for item, count in wanted.items():
        things.append(amount(item, count, facts.world, key=keys and item not in said))
        said.add(item)
    return things


def _finder(point: Discovered | Visited, facts: Facts, verb: str = "find") -> str:
    names = point.by
    if point.need == "all":
        return f"have {people(names, facts.groups, facts.team)} each {verb}"
    if not names:
        return verb
    return f"have {people(names, facts.groups, facts.team, 'or')} {verb}"


def receiver(key: str, facts: Facts) -> str:
    """Returns a role, a site or a person of the world, in words."""
    if key in facts.spec.sites:
        return the(facts.spec.sites[key].name)
    if key in facts.world.npcs:
        return facts.world.npcs[key].name
    return key


def the(name: str) -> str:
    """Returns the name of a site with its article."""
    return "the " + name.removeprefix("The ").removeprefix("the ")


def prey(point: Killed, facts: Facts) -> str:
    """Returns what is to be killed, with the team rule of a boss."""
    spawn = facts.world.named_spawns.get(point.mob)
    if spawn is None:
        return mobs(point.mob, point.count, facts.world)
    rule = f" (it takes {spawn.team} of you striking in every round)" if spawn.team > 1 else ""
    return f"the {boss_name(point.mob, facts)}{rule}"


def boss_name(key: str, facts: Facts) -> str:
    """Returns the name of a named spawn, with its id where the task has several of the name."""
    name = facts.world.named_spawns[key].name
    names = [facts.world.named_spawns[other].name for other in facts.spec.spawns]
    return f"{name} {key}" if names.count(name) > 1 else name


def quarry(point: Discovered, facts: Facts) -> str:
    """Returns what is to be found."""
    world = facts.world
    if point.target in facts.spec.sites:
        return the(facts.spec.sites[point.target].name)
    if point.target in world.named_spawns:
        return f"the {boss_name(point.target, facts)}"
    if point.target in world.places:
        return place_name(world.places[point.target].name)
    if point.target in world.npcs:
        return world.npcs[point.target].name
    return the(world.portals[point.target].name)


def search(point: Discovered, facts: Facts) -> str:
    """Returns where to look for what no guide places."""
    x, y = _hiding(point, facts)
    place = facts.place((x, y))
    if place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1:
        return f"somewhere in {place_name(place.name)}, x {place.x0}-{place.x1}, y {place.y0}-{place.y1}"
    apart = abs(x - place.x) + abs(y - place.y)
    return f"somewhere within {-(-apart // 20) * 20} tiles of {place_name(place.name)} ({place.x}, {place.y})"


def _hiding(point: Discovered, facts: Facts) -> tuple[int, int]:
    if point.target in facts.spec.sites:
        return facts.spec.sites[point.target].at
    for known in (facts.world.named_spawns, facts.world.places, facts.world.npcs, facts.world.portals):
        if point.target in known:
            return known[point.target].x, known[point.target].y
    raise ValueError(f"nothing called {point.target!r} is there to be discovered")


def area(point: Visited | PresentTogether | HeldForRounds, facts: Facts) -> str:
    """Returns where the team must be; without the tile if only some know it."""
    if facts.secret(point):
        knowing = sorted(facts.informed or ())
        know = f"{listing(knowing)} {'knows' if len(knowing) == 1 else 'know'}"
        return f"within {point.area.within} tiles of the meeting point, which {know}"
    if point.area.place is not None:
        place = facts.world.places[point.area.place]
        return f"in {place_name(place.name)}, x {place.x0}-{place.x1}, y {place.y0}-{place.y1}"
    return f"within {point.area.within} tiles of {facts.at(facts.tile(point))}"


def _after(label: str | None, facts: Facts) -> str:
    if label is None:
        return ""
    before = next((point for point in facts.spec.checkpoints if point.label == label), None)
    if isinstance(before, Killed) and before.mob in facts.world.named_spawns:
        return f" after the {boss_name(before.mob, facts)} has fallen"
    return " after that"
