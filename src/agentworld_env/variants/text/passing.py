"""What each role is told of whom to hand what, and from whom it gets what."""

from __future__ import annotations

from collections.abc import Iterator

from agentworld_env.tasks.schema import Delivered, Discovered, Held, Worn
from agentworld_env.variants.edit import units
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import amount, listing, noun, people
from agentworld_env.variants.text.words import goods, of_use, receiver


def passing(name: str, facts: Facts) -> Iterator[str]:
    """Yields the sentences of a role's notes about what goes from hand to hand."""
    yield from _bringing(name, facts)
    yield from _handing(name, facts)
    inward: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for item in facts.needs.items:
        givers = tuple(facts.handing.givers(name, item))
        if givers:
            inward.setdefault((givers, _in_parts(name, givers, item, facts)), []).append(item)
    for (givers, parts), items in inward.items():
        most = {item: _wanted(name, item, facts) for item in items}
        yield f"You get {goods(items, facts, most)} from {_from(name, givers, parts, facts)}."
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


def _bringing(name: str, facts: Facts) -> Iterator[str]:
    """Yields what a role brings to which site."""
    sites: dict[str, list[str]] = {}
    for item in facts.needs.items:
        for site in facts.handing.gives(name, item):
            if site not in facts.team and _brings(name, site, item, facts):
                sites.setdefault(site, []).append(item)
    for site, items in sites.items():
        where = "" if site not in facts.hidden else ", once it is found"
        yield f"Bring {goods(items, facts, _has(name, items, facts))} to {receiver(site, facts)}{where}."


def _handing(name: str, facts: Facts) -> Iterator[str]:
    """Yields to whom a role hands what: to all who must get some of it, or to any of those who may."""
    certain: dict[str, list[str]] = {}
    choice: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for item in facts.needs.items:
        mates = [other for other in facts.handing.gives(name, item) if other in facts.team]
        must = tuple(other for other in mates if facts.handing.must(other, item))
        rest = tuple(other for other in mates if other not in must)
        if len(mates) == 1 or (mates and not rest and _suffices(name, item, len(must), facts)):
            for other in mates:
                certain.setdefault(other, []).append(item)
        elif mates:
            choice.setdefault((must, rest), []).append(item)
    alike: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for other, items in certain.items():
        what = goods(items, facts, _has(name, items, facts))
        alike.setdefault(what, []).append(other)
        first.setdefault(what, items[0])
    said = [(first[what], f"Hand {what} to {listing(others)}.") for what, others in alike.items()]
    for (must, rest), items in choice.items():
        said += _either(name, must, rest, items, facts)
    said.sort(key=lambda sentence: facts.needs.items.index(sentence[0]))
    yield from (sentence for _, sentence in said)


def _either(
    name: str, must: tuple[str, ...], rest: tuple[str, ...], items: list[str], facts: Facts
) -> Iterator[tuple[str, str]]:
    """Yields sentences, each with its first item, on items that not all receivers get, or not from this role."""
    if not must:
        yield items[0], f"Hand {goods(items, facts, _has(name, items, facts))} to {listing(rest, 'or')}."
        return
    for item in items:
        if _suffices(name, item, len(must), facts):
            left = f"what is left to {listing(rest, 'or')}"
            yield (
                item,
                f"Hand {goods([item], facts, _has(name, [item], facts))} to {listing(must)}, and {left}.",
            )
        else:
            thing = noun(item, facts.spec.team[name].inventory.get(item, 0), facts.world)
            yield item, f"Hand the {thing} to {listing(must, 'or')}, whoever has none yet."


def _suffices(name: str, item: str, receivers: int, facts: Facts) -> bool:
    """Returns whether a role makes an item or holds at least one unit for each of its receivers."""
    if name in facts.makers(item) or facts.handing.passes(name, item):
        return True
    return facts.spec.team[name].inventory.get(item, 0) >= receivers


def _brings(name: str, site: str, item: str, facts: Facts) -> bool:
    """Returns whether a role is to bring an item to a site: of a ration that all have, only who is sent there."""
    if of_use(item, facts) or item in facts.trades(name):
        return True
    sent = [n for p in facts.spec.checkpoints if isinstance(p, Discovered) and p.target == site for n in p.by]
    source = facts.source.team.get(name)
    return name in sent if sent else source is not None and bool(source.guide.sites)


def _has(name: str, items: list[str], facts: Facts) -> dict[str, int]:
    """Returns how many units a role has of those items that it starts with, and neither makes nor gets."""
    bag = facts.spec.team[name].inventory
    return {
        item: bag[item]
        for item in items
        if item in bag and name not in facts.makers(item) and not facts.handing.givers(name, item)
    }


def _wanted(name: str, item: str, facts: Facts) -> int:
    """Returns how many units a role is to get at the most: those that it is to have, or all if it works on them."""
    use = facts.needs.use.get(item, 0)
    if name in facts.users(item) or facts.handing.passes(name, item):
        return use
    counts = [
        units(point).get(item, 0)
        for point in facts.spec.checkpoints
        if name in (getattr(point, "to", None), getattr(point, "by", None))
    ]
    return max(counts, default=0) or use


def _in_parts(name: str, givers: tuple[str, ...], item: str, facts: Facts) -> bool:
    """Returns whether a role gets an item that nobody makes from several, of whom none has as much as it is to get."""
    lying = max(facts.spec.team[giver].inventory.get(item, 0) for giver in givers)
    return len(givers) > 1 and not facts.makers(item) and lying < _wanted(name, item, facts)


def _from(name: str, givers: tuple[str, ...], parts: bool, facts: Facts) -> str:
    """Returns whom a role gets items from: any of those who have them, or all in whose bags parts of them lie."""
    if set(givers) == set(facts.team) - {name} and not parts:
        return "any of the others"
    mates = [other for other in facts.team if other != name]
    said = people(givers, facts.groups, mates, "and" if parts else "or")
    return said.replace("any of you", "any of the others").replace("all of you", "all the others")
