"""A variant's title: what it is about, in a few words."""

from __future__ import annotations

from agentworld_env.tasks.schema import Built, Discovered, HeldForRounds, Killed, PresentTogether
from agentworld_env.variants.edit import units
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.labels import where
from agentworld_env.variants.text.nouns import article, called, listing, noun, place_name
from agentworld_env.variants.text.words import quarry, receiver

LONGEST = 80
_MOST_WARES = 3
_SMALL = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "the", "to", "or"})


def title(facts: Facts) -> str:
    """Returns a title of at most 80 characters: fights, searches, wares, sites and meetings, the first two of these.

    Titles of main tasks are bare nouns, such as "Magic Staff", by which scripts are found; none of these is one.
    """
    parts = [
        part for part in (_fights(facts), _search(facts), _wares(facts), _sites(facts), _stand(facts)) if part
    ]
    fitting = [" and ".join(parts[:2]), *parts, facts.spec.category]
    return next(text for part in fitting if len(text := _capitals(part)) <= LONGEST)


def _fights(facts: Facts) -> str:
    world = facts.world
    kills = [point.mob for point in facts.spec.checkpoints if isinstance(point, Killed)]
    bosses = list(dict.fromkeys(world.named_spawns[key].name for key in kills if key in world.named_spawns))
    kinds = list(dict.fromkeys(world.mob_kinds[key].name for key in kills if key in world.mob_kinds))
    if not bosses:
        return f"{listing(kinds)} hunt" if kinds else ""
    fall = f"the fall of {listing(f'the {name}' for name in bosses)}"
    return f"{fall}, {article(kinds[0])} hunt" if kinds and len(bosses) == 1 else fall


def _search(facts: Facts) -> str:
    found = [quarry(point, facts) for point in facts.spec.checkpoints if isinstance(point, Discovered)]
    bosses = [key for key in facts.hidden if key in facts.world.named_spawns]
    sought = list(dict.fromkeys(found))
    if not sought or (bosses and len(sought) == 1):
        return ""
    return f"the search for {sought[-1]}"


def _wares(facts: Facts) -> str:
    """Returns what is made or brought, and for whom or where."""
    spec, needs = facts.spec, facts.needs
    taken = {item for site in spec.sites.values() for item in site.wants}
    ends: dict[str, int] = {}
    receivers: list[str] = []
    for made in (True, False):
        for point in spec.checkpoints:
            for item, count in units(point).items():
                if item in taken or needs.users(item) or (item in needs.crafts) != made:
                    continue
                ends[item] = max(count, ends.get(item, 0))
                to = getattr(point, "to", None) or getattr(point, "by", None)
                if isinstance(to, str):
                    receivers.append(to)
        if ends:
            break
    if not ends:
        return ""
    things = [
        noun(k, 2 if n > 1 else 1, facts.world).split(" (")[0] for k, n in list(ends.items())[:_MOST_WARES]
    ]
    text = listing(
        article(thing) if n == 1 and item in needs.crafts else thing
        for thing, (item, n) in zip(things, ends.items(), strict=False)
    )
    if len(set(receivers)) == 1 and not receivers[0][-1].isdigit():
        return f"{text} for {receiver(receivers[0], facts)}"
    makers = list(dict.fromkeys(name for item in ends for name in facts.makers(item)))
    if len(makers) == 1 and not makers[0][-1].isdigit():
        return f"{text} from {called(makers[0])}"
    start = spec.team[makers[0] if makers else facts.team[0]].start
    return f"{text} from {place_name(facts.place(start).name)}"


def _sites(facts: Facts) -> str:
    sites = [point.site for point in facts.spec.checkpoints if isinstance(point, Built)]
    sites = [key for key in dict.fromkeys(sites) if key not in facts.hidden]
    return f"supplies for {listing(receiver(key, facts) for key in sites)}" if sites else ""


def _stand(facts: Facts) -> str:
    for point in facts.areas:
        if isinstance(point, HeldForRounds):
            return f"the watch at {where(point, facts)}"
        if isinstance(point, PresentTogether):
            return "a secret meeting" if facts.secret(point) else f"a meeting at {where(point, facts)}"
    return ""


def _capitals(text: str) -> str:
    """Returns a text with the capitals of a title."""
    words = [
        word if i and word in _SMALL else "-".join(part[:1].upper() + part[1:] for part in word.split("-"))
        for i, word in enumerate(text.split())
    ]
    return " ".join(words)
