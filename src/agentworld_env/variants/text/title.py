"""A variant's title: what it is about, in a few words."""

from __future__ import annotations

from agentworld_env.tasks.schema import Discovered, HeldForRounds, Killed, PresentTogether
from agentworld_env.variants.edit import units
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.labels import where
from agentworld_env.variants.text.nouns import article, called, listing, noun, place_name
from agentworld_env.variants.text.words import quarry, receiver

LONGEST = 67
"""Characters of a title at the most, as in the main tasks; a table of tasks then fits a wide terminal."""
_MOST_WARES = 3
_SMALL = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "near", "of", "on", "the", "to", "or"})


def title(facts: Facts) -> str:
    """Returns a title: fights, searches, wares, sites and meetings, the first two of these, as fully as there is room.

    Titles of main tasks are bare nouns, such as "Magic Staff", by which scripts are found; none of these is one.
    """
    fitting = []
    for brief in (False, True):
        for most in range(_MOST_WARES, 0, -1):
            parts = [
                _fights(facts, brief),
                _search(facts),
                _wares(facts, most, brief),
                _sites(facts),
                _stand(facts),
            ]
            parts = [part for part in parts if part]
            word = "; " if parts and " and " in parts[0] else " and "
            fitting.append(word.join(parts[:2]))
        # Bosses say enough; what else there is comes along where it can be said in full.
        fitting += parts[:1] if not brief and _fights(facts, brief) else []
    fitting += [
        *parts,
        f"{facts.spec.category} in {place_name(facts.place(facts.spec.team[facts.team[0]].start).name)}",
    ]
    return next(text for part in fitting if len(text := _capitals(part)) <= LONGEST)


def _fights(facts: Facts, brief: bool) -> str:
    world = facts.world
    kills = [point.mob for point in facts.spec.checkpoints if isinstance(point, Killed)]
    bosses = list(dict.fromkeys(world.named_spawns[key].name for key in kills if key in world.named_spawns))
    kinds = list(dict.fromkeys(world.mob_kinds[key].name for key in kills if key in world.mob_kinds))
    if not bosses:
        return f"{listing(kinds)} hunt" if kinds else ""
    names = listing(f"the {name}" for name in bosses)
    if brief:
        return names
    return (
        f"the fall of {names}, {article(kinds[0])} hunt"
        if kinds and len(bosses) == 1
        else f"the fall of {names}"
    )


def _search(facts: Facts) -> str:
    found = [quarry(point, facts) for point in facts.spec.checkpoints if isinstance(point, Discovered)]
    bosses = [key for key in facts.hidden if key in facts.world.named_spawns]
    sought = list(dict.fromkeys(found))
    if not sought or (bosses and len(sought) == 1):
        return ""
    return f"the search for {sought[-1]}"


def _wares(facts: Facts, most: int, brief: bool) -> str:
    """Returns what is made, or else gathered, and, unless it is to be brief, for whom, by whom or where."""
    spec, needs = facts.spec, facts.needs
    taken = {item for site in spec.sites.values() for item in site.wants}
    counts: dict[str, int] = {}
    receivers: dict[str, set[str]] = {}
    for point in spec.checkpoints:
        for item, count in units(point).items():
            if item in taken or facts.users(item):
                continue
            counts[item] = max(count, counts.get(item, 0))
            to = getattr(point, "to", None) or getattr(point, "by", None)
            receivers.setdefault(item, set()).update({to} if isinstance(to, str) else ())
    ends = [item for item in counts if item in needs.crafts] or list(counts)
    if not ends:
        return ""
    # Several who are to have one each have several.
    text = listing(_some(item, max(counts[item], needs.use.get(item, 0)), facts) for item in ends[:most])
    if (
        all(needs.harvesters(item) for item in ends if item not in needs.crafts)
        and ends[0] not in needs.crafts
    ):
        text = f"a load of {text}"
    if brief:
        return text
    to = [receivers[item] for item in ends]
    by = [set(facts.makers(item)) for item in ends]
    for word, who in (("for", to), ("from", by)):
        name = called(next(iter(who[0]))) if len(who[0]) == 1 else ""
        if name.startswith("the ") and all(names == who[0] for names in who):
            return f"{text} {word} {name}"
    makers = facts.makers(ends[0]) or tuple(facts.team)
    return f"{text} from {place_name(facts.place(spec.team[makers[0]].start).name)}"


def _some(item: str, count: int, facts: Facts) -> str:
    """Returns an item as one or several, without its key."""
    one, many = (noun(item, n, facts.world).split(" (")[0] for n in (1, 2))
    return many if count > 1 or one == many else article(one)


def _sites(facts: Facts) -> str:
    sites = [key for key in facts.spec.sites if key not in facts.hidden]
    return f"supplies for {listing(receiver(key, facts) for key in sites)}" if sites else ""


def _stand(facts: Facts) -> str:
    for point in facts.areas:
        if isinstance(point, HeldForRounds):
            return f"the watch {where(point, facts)}"
        if isinstance(point, PresentTogether):
            return "a secret meeting" if facts.secret(point) else f"a meeting {where(point, facts)}"
    return ""


def _capitals(text: str) -> str:
    """Returns a text with the capitals of a title."""
    words = [
        word if i and word in _SMALL else "-".join(part[:1].upper() + part[1:] for part in word.split("-"))
        for i, word in enumerate(text.split())
    ]
    return " ".join(words)
