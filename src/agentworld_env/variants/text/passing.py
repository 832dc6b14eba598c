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
    inward: dict[tuple[str, ...], list[str]] = {}
    for item in facts.needs.items:
        givers = facts.handing.givers(name, item)
        if givers:
            inward.setdefault(tuple(givers), []).append(item)
    for givers_, items in inward.items():
        yield f"You get {goods(items, facts)} from {_from(name, givers_, items, facts)}."
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
        yield f"Bring {goods(items, facts)} to {receiver(site, facts)}{where}."


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
        what = goods(items, facts)
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
        yield items[0], f"Hand {goods(items, facts)} to {listing(rest, 'or')}."
        return
    for item in items:
        if _suffices(name, item, len(must), facts):
            left = f"what is left to {listing(rest, 'or')}"
            yield item, f"Hand {goods([item], facts)} to {listing(must)}, and {left}."
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


def _from(name: str, givers: tuple[str, ...], items: list[str], facts: Facts) -> str:
    """Returns whom a role gets items from: any of those who make them, and all in whose bags different ones lie."""
    if set(givers) == set(facts.team) - {name}:
        return "any of the others"
    needed = max(facts.needs.use.get(item, 0) for item in items)
    lying = [facts.spec.team[giver].inventory.get(item, 0) for giver in givers for item in items]
    stocks = all(not facts.makers(item) for item in items) and max(lying) < needed
    mates = [other for other in facts.team if other != name]
    said = people(givers, facts.groups, mates, "and" if stocks else "or")
    return said.replace("any of you", "any of the others").replace("all of you", "all the others")
