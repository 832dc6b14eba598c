"""Names of roles and groups that would say something untrue about what they do in a variant."""

from __future__ import annotations

from collections.abc import Mapping

from agentworld_env.tasks.schema import AllAlive, Checkpoint, Killed, TaskSpec
from agentworld_env.variants.edit import fresh_name, groups, with_points
from agentworld_env.variants.text.facts import Facts

_WORDS = """
alloy baker beryl berry blueberry bow bucket coal coalminer coast coastal copper corn crab emerald farm fire fish forest
gem gold goldminer harbour harbor ice icelogger iron ironminer jewel lava lightning lily log lumber marine mountain
orchard peach ring ruby sea seafood shrimp silver stick string sword timber tin tomato topaz tuna underwater volcanic
water west wood
"""
SUBJECTS = frozenset(_WORDS.split())
"""Words of names that say with what, where or against whom somebody works."""
_COUNT = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
TRADES = {
    "lumberjacking": "logger",
    "mining": "miner",
    "fishing": "fisher",
    "foraging": "forager",
    "smelting": "smelter",
    "smithing": "smith",
    "fletching": "fletcher",
    "cooking": "cook",
    "crafting": "crafter",
}
"""Skill -> what somebody who uses it is called."""


def truthful(spec: TaskSpec, source: TaskSpec, facts: Facts, before: Facts) -> dict[str, str]:
    """Returns new names for roles whose names speak of what they no longer do, old name -> new name.

    Args:
        spec: The variant.
        source: Its source.
        facts: Facts of the variant.
        before: Facts of the source.
    """
    stale = [
        name
        for name in spec.team
        if name in source.team
        and _speaks(name)
        and (
            set(facts.trades(name)) != set(before.trades(name))
            or _prey(spec, name) != _prey(source, name)
            or facts.place(spec.team[name].start).key != before.place(source.team[name].start).key
        )
    ]
    taken = {*spec.team, *spec.sites, *facts.world.npcs} - set(stale)
    names: dict[str, str] = {}
    for name in stale:
        names[name] = fresh_name({*taken, *names.values()}, _called(name, spec, facts) + "1")
    return names


def renamed(spec: TaskSpec, names: Mapping[str, str]) -> TaskSpec:
    """Returns a task with other names for some roles, and for groups whose names spoke of the old ones."""
    if not names:
        return spec
    labels: dict[str, str] = {}
    for group, members in groups(spec).items():
        if _speaks(group) and any(name in names for name in members):
            stem = names.get(members[0], members[0]).rstrip("0123456789") + "s"
            labels[group] = next(
                name
                for name in (stem, *(f"{count}_{stem}" for count in _COUNT))
                if name not in groups(spec) and name not in labels.values()
            )
    team = {
        names.get(name, name): role.model_copy(update={"group": labels.get(role.group, role.group)})
        for name, role in spec.team.items()
    }

    def follow(point: Checkpoint) -> Checkpoint | None:
        update: dict[str, object] = {}
        by, to = getattr(point, "by", None), getattr(point, "to", None)
        if isinstance(by, tuple):
            update["by"] = tuple(names.get(name, name) for name in by)
        elif by is not None:
            update["by"] = names.get(by, by)
        if to is not None:
            update["to"] = names.get(to, to)
        return point.model_copy(update=update)

    constraints = tuple(
        rule.model_copy(update={"by": tuple(names.get(name, name) for name in rule.by)})
        if isinstance(rule, AllAlive)
        else rule
        for rule in spec.constraints
    )
    return with_points(spec, follow).model_copy(update={"team": team, "constraints": constraints})


def _speaks(name: str) -> bool:
    words = name.lower().rstrip("0123456789").split("_")
    return any(word.rstrip("0123456789").removesuffix("s") in SUBJECTS or word in SUBJECTS for word in words)


def _prey(spec: TaskSpec, name: str) -> set[str]:
    return {
        point.mob for point in spec.checkpoints if isinstance(point, Killed) and name in (point.by or (name,))
    }


def _called(name: str, spec: TaskSpec, facts: Facts) -> str:
    """Returns what a role is called after what it does: the first of its trades, fighting, or helping."""
    for item in facts.trades(name):
        if item in facts.needs.crafts:
            return TRADES[facts.world.recipe_of[item].skill]
        kinds = facts.needs.kinds(name, item)
        return TRADES[facts.world.node_kinds[kinds[0]].skill]
    return "fighter" if _prey(spec, name) else "helper"
