"""What each role is told in words: what it is for, and its part of the work."""

from __future__ import annotations

from collections.abc import Iterator

from agentworld_env.tasks.schema import (
    Crafted,
    Delivered,
    Discovered,
    Gathered,
    Held,
    HeldForRounds,
    Killed,
    PresentTogether,
    Visited,
    Worn,
)
from agentworld_env.variants.edit import units, waves
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import amount, listing, mobs, noun, people
from agentworld_env.variants.text.objective import (
    area,
    boss_name,
    gathering,
    making,
    quarry,
    receiver,
    search,
)
from agentworld_env.world.geometry import manhattan

_PARTNERS = 4
"""So many partners' starts a role is told at most."""
LONGEST = 2000
"""Characters of a role's notes."""


def about(name: str, facts: Facts) -> str:
    """Returns what a role is for."""
    role = facts.spec.team[name]
    mates = len(facts.groups[role.group])
    group = role.group.replace("_", " ")
    opening = f"You belong to the {group}, {mates} in all." if mates > 1 else ""
    verbs: dict[str, list[str]] = {}
    alone = []
    for item in facts.trades(name):
        verb = (making if item in facts.needs.crafts else gathering)(item, facts)[0]
        verbs.setdefault(verb, []).append(noun(item, 2, facts.world))
        able = facts.needs.crafters(item) if item in facts.needs.crafts else facts.needs.harvesters(item)
        if able == (name,):
            alone.append(noun(item, 2, facts.world))
    doing = [f"{verb} {listing(items)}" for verb, items in verbs.items()]
    kills = facts.prey(name) if facts.fights(name) else [p for p in facts.prey(name) if name in p.by]
    if kills:
        doing.append("fight")
    if doing:
        opening += f" You {listing(doing)}."
    if alone:
        opening += f" Nobody else can make or fetch {listing(alone, 'or')}."
    held = [amount(item, n, facts.world) for item, n in role.inventory.items() if _of_use(item, facts)]
    if held:
        opening += f" You start with {listing(held)} that the team needs."
    if not doing and not held:
        opening += " You have no trade of your own here: carry for the others where it saves them a walk."
    return cut(" ".join(opening.split()), 600)


def _of_use(item: str, facts: Facts) -> bool:
    return bool(facts.needs.use.get(item)) and facts.world.items[item].tool is None


def notes(name: str, facts: Facts) -> Iterator[str]:
    """Yields the sentences of a role's notes."""
    yield from _making(name, facts)
    yield from _passing(name, facts)
    yield from _ending(name, facts)
    for wave in waves(facts.spec):
        yield f"In round {wave.appears}, {mobs(wave.mob, wave.count, facts.world)} come at {facts.at(wave.at)}."
    yield from _partners(name, facts)
    if not any(True for part in (_making, _passing, _ending) for _ in part(name, facts)):
        yield "Ask who is to hand what to whom over a long way, and take it there."


def _making(name: str, facts: Facts) -> Iterator[str]:
    trades = facts.trades(name)
    for point in facts.spec.checkpoints:
        match point:
            case Gathered() | Crafted():
                for item, count in units(point).items():
                    if item not in trades:
                        continue
                    done = (gathering if isinstance(point, Gathered) else making)(item, facts)[1]
                    text = f"{amount(item, count, facts.world)} must be {done} in all"
                    if name in point.by:
                        who = listing(["you", *(n for n in point.by if n != name)], "or")
                        text += f", by {who} and nobody else"
                    elif point.by:
                        continue
                    yield text + "."
            case _:
                pass
    for item in trades:
        crafts = facts.needs.crafts.get(item)
        if crafts:
            parts = [
                amount(k, crafts * n, facts.world) for k, n in facts.world.recipe_of[item].inputs.items()
            ]
            made = facts.needs.make[item]
            yield f"For {amount(item, made, facts.world)} the team uses {listing(parts)}."


def _passing(name: str, facts: Facts) -> Iterator[str]:
    outward: dict[str, list[str]] = {}
    inward: dict[tuple[str, ...], list[str]] = {}
    for item in facts.needs.items:
        providers, receivers = facts.providers(item), facts.receivers(item)
        if not facts.needs.use.get(item):
            continue
        if name in providers:
            for other in receivers:
                if other != name and other not in providers:
                    outward.setdefault(other, []).append(noun(item, 2, facts.world))
        elif name in receivers and providers:
            inward.setdefault(tuple(providers), []).append(noun(item, 2, facts.world))
    alike: dict[tuple[str, ...], list[str]] = {}
    for other, items in outward.items():
        if other in facts.spec.sites:
            where = "" if other not in facts.hidden else ", once it is found"
            yield f"Bring {listing(dict.fromkeys(items))} to {receiver(other, facts)}{where}."
        else:
            alike.setdefault(tuple(dict.fromkeys(items)), []).append(receiver(other, facts))
    for goods, others in alike.items():
        yield f"Hand {listing(goods)} to {listing(others)}."
    for givers, items in inward.items():
        yield f"You get {listing(dict.fromkeys(items))} from {people(givers, facts.groups, facts.team, 'or')}."
    for point in facts.spec.checkpoints:
        match point:
            case Delivered() if point.to == name:
                things = [amount(item, count, facts.world) for item, count in units(point).items()]
                new = "; only what is made in this task counts" if point.origin == "made" else ""
                yield f"{listing(things)} must be handed to you{new}."
            case Held() if point.by == name:
                things = [amount(item, count, facts.world) for item, count in units(point).items()]
                yield f"In the end {listing(things)} must be in your bag: keep what you get."
            case Worn() if point.by == name:
                yield f"Put the {noun(point.item, 1, facts.world)} on with equip_item."
            case _:
                pass


def _ending(name: str, facts: Facts) -> Iterator[str]:
    role = facts.spec.team[name]
    for point in facts.spec.checkpoints:
        match point:
            case Killed() if name in point.by or (not point.by and facts.fights(name)):
                yield from _kill(name, point, facts)
            case Discovered() if not point.by or name in point.by:
                yield f"Look for {quarry(point, facts)} {search(point, facts)}: come within {point.within} tiles of it."
            case Visited() if not point.by or name in point.by:
                alone = (
                    "You" if point.by == (name,) else "Each of you" if point.need == "all" else "One of you"
                )
                yield f"{alone} must be {area(point, facts)} once."
            case PresentTogether() if not point.by or name in point.by:
                if facts.secret(point) and name in (facts.informed or ()):
                    x, y = facts.tile(point)
                    yield f"The meeting point is {facts.at((x, y))}; the others do not know it, so tell them at once."
                    yield f"End a round within {point.area.within} tiles of it, together with the others."
                    continue
                if facts.secret(point):
                    yield "You have not been told where the meeting point is: ask."
                yield f"End a round {area(point, facts)}, together with the others."
            case HeldForRounds() if not point.by or name in point.by:
                yield f"Stay {area(point, facts)} for {point.rounds} rounds in a row, together with the others."
            case _:
                pass
    spoils = [
        item
        for item in facts.spec.sources
        if facts.needs.make.get(item) and role.guide.mobs and not facts.needs.harvesters(item)
    ]
    for item in spoils:
        yield f"{noun(item, 2, facts.world).capitalize()} come from the mobs that your guide names."


def _kill(name: str, point: Killed, facts: Facts) -> Iterator[str]:
    spawn = facts.world.named_spawns.get(point.mob)
    share = ""
    if point.by == (name,):
        share = " You must take part."
    elif point.by:
        share = f" One of {listing(point.by)} must take part."
    if spawn is None:
        x, y = facts.home(point.mob, facts.spec.team[name].start)
        yield f"Kill {mobs(point.mob, point.count, facts.world)}; the nearest live around ({x}, {y}).{share}"
    elif point.mob in facts.hidden:
        yield f"Kill the {boss_name(point.mob, facts)} together, at least {spawn.team} of you in every round.{share}"
    else:
        rule = f", at least {spawn.team} of you striking in every round" if spawn.team > 1 else ""
        yield f"Kill the {boss_name(point.mob, facts)} at ({spawn.x}, {spawn.y}){rule}.{share}"


def _partners(name: str, facts: Facts) -> Iterator[str]:
    """Yields where those start whom a role has to meet."""
    found: dict[str, None] = {}
    for item in facts.needs.items:
        if not facts.needs.use.get(item):
            continue
        providers, receivers = facts.providers(item), facts.receivers(item)
        if name in providers:
            found.update(dict.fromkeys(r for r in receivers if r in facts.spec.team and r not in providers))
        elif name in receivers:
            found.update(dict.fromkeys(providers))
    found.pop(name, None)
    start = facts.spec.team[name].start
    near = sorted(found, key=lambda other: (manhattan(*start, *facts.spec.team[other].start), other))
    told = []
    for other in near[:_PARTNERS]:
        x, y = facts.spec.team[other].start
        # Whoever alone knows where to meet may stand there.
        if other not in (facts.informed or ()):
            told.append(f"{other} at ({x}, {y})")
    if told:
        yield f"At the start you find {listing(told)}."


def cut(text: str, longest: int = LONGEST) -> str:
    """Returns whole sentences up to a length."""
    while len(text) > longest:
        text = text[: text.rstrip(".").rfind(". ") + 1]
    return text
