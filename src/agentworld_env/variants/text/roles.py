"""What each role is told in words of its part of the work."""

from __future__ import annotations

from collections.abc import Iterator

from agentworld_env.tasks.schema import (
    Crafted,
    Discovered,
    Gathered,
    HeldForRounds,
    Killed,
    PresentTogether,
    Visited,
)
from agentworld_env.variants.edit import units, waves
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import amount, listing, mob_name, mobs
from agentworld_env.variants.text.passing import passing
from agentworld_env.variants.text.words import (
    area,
    boss_name,
    gathering,
    making,
    quarry,
    search,
)
from agentworld_env.world.geometry import manhattan

_PARTNERS = 4
"""So many partners' starts a role is told at most."""


def notes(name: str, facts: Facts) -> Iterator[str]:
    """Yields the sentences of a role's notes."""
    work = [said for part in (_making, _looting, passing, _ending) for said in part(name, facts)]
    yield from work
    for wave in waves(facts.spec):
        come = "comes" if wave.count == 1 else "come"
        yield f"In round {wave.appears}, {mobs(wave.mob, wave.count, facts.world)} {come} from {facts.at(wave.at)}."
    if waves(facts.spec):
        yield "They hunt whoever is nearest."
    yield from _partners(name, facts)
    if not work:
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
                    made = 0 if point.by else _more(item, facts)
                    yield f"{text}; the work takes {made}." if made else f"{text}."
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


def _more(item: str, facts: Facts) -> int:
    """Returns how many units of an item the work takes, if checkpoints do not count as many; else 0."""
    quotas = [point for point in facts.spec.checkpoints if isinstance(point, Gathered | Crafted)]
    counted = sum(units(point).get(item, 0) for point in quotas)
    made = facts.needs.make[item]
    # What somebody is handed and passes on is counted twice among what is used.
    return made if made > counted and not any(facts.handing.passes(name, item) for name in facts.team) else 0


def _ending(name: str, facts: Facts) -> Iterator[str]:
    hunted: set[str] = set()
    for point in facts.spec.checkpoints:
        match point:
            case Killed() if name in facts.hunters(point) and point.mob not in hunted:
                hunted.add(point.mob)
                yield from _kill(name, point.mob, facts)
            case Discovered() if not point.by or name in point.by:
                sought = quarry(point, facts)
                it = sought if point.target in facts.world.npcs else "it"
                yield f"Look for {sought} {search(point, facts)}: come within {point.within} tiles of {it}."
            case Visited() if not point.by or name in point.by:
                others = [n for n in point.by if n != name]
                who = (
                    listing(["you", *others], "and" if point.need == "all" else "or")
                    if point.by
                    else "one of you"
                )
                each = " each" if point.need == "all" and others else ""
                yield f"{who[:1].upper() + who[1:]} must{each} be {area(point, facts)} once."
            case PresentTogether() if not point.by or name in point.by:
                if facts.secret(point) and name in (facts.informed or ()):
                    x, y = facts.tile(point)
                    yield f"The meeting point is {facts.at((x, y))}; the others do not know it, so tell them at once."
                    mates = _mates(name, point.by, facts)
                    yield f"End a round within {point.area.within} tiles of it, together with {mates}."
                    continue
                if facts.secret(point):
                    yield "You have not been told where the meeting point is: ask."
                yield f"End a round {area(point, facts)}, together with {_mates(name, point.by, facts)}."
            case HeldForRounds() if not point.by or name in point.by:
                mates = _mates(name, point.by, facts)
                yield f"Stay {area(point, facts)} for {point.rounds} rounds in a row, together with {mates}."
            case _:
                pass


def _mates(name: str, by: tuple[str, ...], facts: Facts) -> str:
    """Returns the others of some roles, in words."""
    mates = [other for other in by or facts.team if other != name]
    if len(mates) == len(facts.team) - 1:
        return "all the others"
    rest = [other for other in facts.team if other not in (name, *mates)]
    return f"the others but {listing(rest)}" if len(mates) > _PARTNERS and len(rest) < 3 else listing(mates)


def _kill(name: str, mob: str, facts: Facts) -> Iterator[str]:
    points = [p for p in facts.spec.checkpoints if isinstance(p, Killed) and p.mob == mob]
    count = max(point.count for point in points)
    spawn = facts.world.named_spawns.get(mob)
    shares = []
    for point in points:
        who = "You" if point.by == (name,) else f"One of {listing(point.by, 'and')}"
        if name in point.by and point.count == count:
            shares.append(f" {who} must take part.")
        elif name in point.by:
            shares.append(f" {who} must take part in at least {point.count} of these kills.")
    share = "".join(shares)
    if spawn is None:
        x, y = facts.home(mob, facts.spec.team[name].start)
        yield f"Kill {mobs(mob, count, facts.world)}; the nearest live around ({x}, {y}).{share}"
    elif mob in facts.hidden:
        yield f"Kill the {boss_name(mob, facts)} together, at least {spawn.team} of you in every round.{share}"
    else:
        rule = f", at least {spawn.team} of you striking in every round" if spawn.team > 1 else ""
        yield f"Kill the {boss_name(mob, facts)} at ({spawn.x}, {spawn.y}){rule}.{share}"


def _looting(name: str, facts: Facts) -> Iterator[str]:
    """Yields what a role is to take from mobs, and from which."""
    for item in facts.spoils(name):
        wanted = amount(item, facts.needs.make[item], facts.world)
        prey = [
            f"the {boss_name(key, facts)}"
            for key in facts.spec.spawns
            if isinstance(key, str) and item in {drop.item for drop in facts.world.named_spawns[key].drops}
        ]
        kinds = facts.droppers(name, item)
        near = ""
        if kinds and not prey:
            x, y = facts.home(kinds[0], facts.spec.team[name].start)
            near = f"; the nearest live around ({x}, {y})"
            prey = [mob_name(key, 2, facts.world) for key in kinds]
        yield f"{wanted} must be taken from {listing(prey, 'or')}{near}."


def _partners(name: str, facts: Facts) -> Iterator[str]:
    """Yields where those start whom a role has to meet."""
    found: dict[str, None] = {}
    for item in facts.needs.items:
        found.update(dict.fromkeys(other for other in facts.handing.gives(name, item) if other in facts.team))
        found.update(dict.fromkeys(facts.handing.givers(name, item)))
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
