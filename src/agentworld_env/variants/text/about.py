"""What each role is told that it is for."""

from __future__ import annotations

from collections.abc import Iterator

from agentworld_env.tasks.schema import Discovered, Visited
from agentworld_env.variants.edit import has_fights, units
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import amount, listing, noun
from agentworld_env.variants.text.words import gathering, goods, making, of_use

LONGEST = 2000
"""Characters of a role's notes."""


def about(name: str, facts: Facts) -> str:
    """Returns what a role is for."""
    role = facts.spec.team[name]
    mates = len(facts.groups[role.group])
    said = [f"You belong to the {role.group.replace('_', ' ')}, {mates} in all."] if mates > 1 else []
    crafts = facts.needs.crafts
    verbs: dict[str, list[str]] = {}
    alone: dict[str, list[str]] = {}
    for item in facts.trades(name):
        verb = (making if item in crafts else gathering)(item, facts)[0]
        verbs.setdefault(verb, []).append(noun(item, 2, facts.world))
        able = facts.needs.crafters(item) if item in crafts else facts.needs.harvesters(item)
        if able == (name,):
            alone.setdefault(verb, []).append(noun(item, 2, facts.world))
    doing = [f"{verb} {listing(items)}" for verb, items in verbs.items()]
    if facts.prey(name):
        doing.append("fight")
    if facts.spoils(name):
        doing.append(f"take {goods(facts.spoils(name), facts)}")
    if doing:
        said.append(f"You {listing(doing)}.")
    if alone:
        only = listing((f"{verb} {listing(items, 'or')}" for verb, items in alone.items()), "or")
        said.append(
            "Nobody else can." if alone == verbs and len(doing) == len(verbs) else f"Nobody else can {only}."
        )
    held = [_held(item, n, facts) for item, n in role.inventory.items() if of_use(item, facts)]
    if held:
        said.append(f"You start with {listing(held)} for the team.")
    if not doing:
        said.extend(_besides(name, facts))
    if len(said) == (mates > 1):
        said.append("You have no trade of your own here: carry for the others where it saves them a walk.")
    return cut(" ".join(said), 600)


def _besides(name: str, facts: Facts) -> Iterator[str]:
    """Yields what somebody without a trade is there for."""
    spec = facts.spec
    if name in (facts.informed or ()):
        yield "You know where the team is to meet."
    if any(isinstance(p, Discovered | Visited) and name in p.by for p in spec.checkpoints):
        yield "You scout."
    ends = [
        item
        for point in spec.checkpoints
        for item in units(point)
        if name in (getattr(point, "to", None), getattr(point, "by", None)) and name not in facts.users(item)
    ]
    if ends:
        yield f"You are to get {listing(dict.fromkeys(goods([item], facts) for item in ends))}."
    if has_fights(spec) and facts.armed(name):
        yield "You carry a weapon: help where there is fighting."


def _held(item: str, count: int, facts: Facts) -> str:
    """Returns what lies in a bag for the team, and how much of it is needed in all, if less."""
    use = facts.needs.use[item]
    needed = f" ({use} {'is' if use == 1 else 'are'} needed)" if use < count else ""
    return amount(item, count, facts.world) + needed


def cut(text: str, longest: int = LONGEST) -> str:
    """Returns whole sentences up to a length."""
    while len(text) > longest:
        text = text[: text.rstrip(".").rfind(". ") + 1]
    return text
