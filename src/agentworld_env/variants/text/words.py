"""How texts of variants speak of work, of whom they name, of bosses and of places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentworld_env.tasks.schema import (
    Crafted,
    Discovered,
    Gathered,
    HeldForRounds,
    PresentTogether,
    Visited,
)
from agentworld_env.variants.edit import units
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import called, listing, noun, place_name

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


def by_verb(point: Gathered | Crafted, facts: Facts) -> dict[tuple[str, str], dict[str, int]]:
    """Returns how a checkpoint's items are gathered or made -> those of them, with their units."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for item, count in units(point).items():
        verbs = (gathering if isinstance(point, Gathered) else making)(item, facts)
        found.setdefault(verbs, {})[item] = count
    return found


def receiver(key: str, facts: Facts) -> str:
    """Returns a role, a site or a person of the world, in words."""
    if key in facts.spec.sites:
        return the(facts.spec.sites[key].name)
    if key in facts.world.npcs:
        return facts.world.npcs[key].name
    return called(key)


def the(name: str) -> str:
    """Returns the name of a site with its article."""
    return "the " + name.removeprefix("The ").removeprefix("the ")


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
        know = f"{listing(map(called, knowing))} {'knows' if len(knowing) == 1 else 'know'}"
        return f"within {point.area.within} tiles of the meeting point, which {know}"
    found = facts.hideout(point)
    if found is not None:
        return f"within {point.area.within} tiles of {quarry(found, facts)}"
    if point.area.place is not None:
        place = facts.world.places[point.area.place]
        return f"in {place_name(place.name)}, x {place.x0}-{place.x1}, y {place.y0}-{place.y1}"
    return f"within {point.area.within} tiles of {facts.at(facts.tile(point))}"


def of_use(item: str, facts: Facts) -> bool:
    """Returns whether what lies in a bag is part of the work, and no ration that everybody has."""
    if not facts.needs.use.get(item) or facts.world.items[item].tool is not None:
        return False
    return not all(item in role.inventory for role in facts.spec.team.values())


def goods(items: Iterable[str], facts: Facts, most: Mapping[str, int] | None = None) -> str:
    """Returns items as those that the team deals with: "the logs and shafts", in the singular where it is one.

    Args:
        items: The items.
        facts: The variant's facts.
        most: Item -> units that are meant, where these are fewer than the team uses.
    """
    use, most = facts.needs.use, most or {}
    counts = {item: min(use.get(item, 0), most.get(item, use.get(item, 0))) for item in items}
    names = (noun(item, 2 if count > 1 else 1, facts.world) for item, count in counts.items())
    return f"the {listing(dict.fromkeys(names))}"
