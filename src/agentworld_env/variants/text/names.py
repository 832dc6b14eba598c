"""Names of roles and groups that would say something untrue about what they do in a variant."""

from __future__ import annotations

from collections.abc import Mapping

from agentworld_env.tasks.schema import AllAlive, Checkpoint, Killed, TaskSpec
from agentworld_env.variants.edit import fresh_name, groups, with_points
from agentworld_env.variants.text.facts import Facts

_WORDS = """
alloy baker beryl berry beverage blueberry bow bucket coal coast coastal copper corn crab emerald farm fire fish forest
frost gem gold grill harbour harbor ice iron jewel lava lightning lily log lumber marine mountain orchard peach ring
ruby sea seafood shrimp silver stick string sushi sword timber tin tomato topaz tuna underwater volcanic water west wood
"""
SUBJECTS = frozenset(_WORDS.split())
"""Words of names that say with what, where or against whom somebody works."""
_STRINGS, _BARS, _FISH = ("string",), ("goldbar", "goldring"), ("shrimp", "tuna", "clam", "jellyfish")
WARES = {
    "armourers": ("hilt",),
    "bead": ("bead",),
    "container": ("bowl", "bucket"),
    "fishmongers": _FISH,
    "fuel": ("logs", "coal"),
    "palm": ("palm",),
    "pendants": ("pendant",),
    "riggers": _STRINGS,
    "rope": _STRINGS,
    "staff": ("staff",),
    "treasurers": _BARS,
}
"""Word of a name that speaks of wares -> parts of the keys of such items."""
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


_PRACTICE = {
    ("lumberjack", "jack", "woodcutter", "logger", "lumber", "timber"): ("lumberjacking",),
    ("miner", "prospector", "extractor"): ("mining",),
    ("fisher", "fisherman", "angler"): ("fishing",),
    ("forager", "picker", "farmer"): ("foraging",),
    ("gatherer", "collector", "harvester"): ("lumberjacking", "mining", "fishing", "foraging"),
    ("smelter",): ("smelting",),
    ("smith", "weaponsmith", "blacksmith", "forger"): ("smithing", "crafting"),
    ("fletcher", "bowyer"): ("fletching",),
    ("woodworker",): ("lumberjacking", "fletching", "crafting"),
    ("cook", "chef"): ("cooking",),
    ("crafter", "jeweler", "artisan", "maker", "enchanter"): ("crafting", "fletching", "smithing", "cooking"),
}
PRACTICE = {word: skills for words, skills in _PRACTICE.items() for word in words}
"""Word of a name that speaks of a trade -> skills of which whoever is called so uses one."""


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
        and (
            _gone(name, facts, before)
            or (
                _speaks(name)
                and (
                    set(facts.trades(name)) != set(before.trades(name))
                    or _prey(spec, name) != _prey(source, name)
                    or facts.place(spec.team[name].start).key != before.place(source.team[name].start).key
                )
            )
        )
    ]
    taken = {*spec.team, *spec.sites, *facts.world.npcs} - set(stale)
    names: dict[str, str] = {}
    stems = {name: _called(name, facts) for name in stale}
    for name, stem in stems.items():
        # Numbers are for several of a trade.
        first = stem if list(stems.values()).count(stem) == 1 else stem + "1"
        names[name] = fresh_name({*taken, *names.values()}, first)
    return names


def outdated(spec: TaskSpec, source: TaskSpec, facts: Facts, before: Facts) -> frozenset[str]:
    """Returns the groups whose names speak of what their members no longer do; arguments as for ``truthful``."""
    found = set()
    old = groups(source)
    for group, members in groups(spec).items():
        if group not in old:
            continue
        was = {item for name in old[group] for item in before.trades(name)}
        now = {item for name in members for item in facts.trades(name)}
        skills_were = {skill for name in old[group] for skill in used_skills(name, before)}
        skills_are = {skill for name in members for skill in used_skills(name, facts)}
        gone = any(skills_were & set(skills) and not skills_are & set(skills) for skills in practices(group))
        sold_out = _sold_out(group, old[group], facts, before)
        if gone or sold_out or (_speaks(group) and (was - now or _elsewhere(members, facts, before))):
            found.add(group)
    return frozenset(found)


def _elsewhere(members: list[str], facts: Facts, before: Facts) -> bool:
    """Returns whether the fighters of a group all come from elsewhere than in the source, against something else."""
    spec, source = facts.spec, before.spec
    sent = [name for name in members if name in source.team and _sent(source, name)]
    return bool(sent) and all(
        not _sent(spec, name) & _sent(source, name)
        and facts.place(spec.team[name].start).key != before.place(source.team[name].start).key
        for name in sent
    )


def _stem(members: list[str], names: Mapping[str, str], spec: TaskSpec) -> str:
    """Returns a group's name after its first member, or after what they do if they are fighters of several kinds."""
    stems = [names.get(name, name).rstrip("0123456789") for name in members]
    mixed = len(set(stems)) > 1 and all(_sent(spec, name) for name in members)
    return ("fighter" if mixed else stems[0]) + "s"


def renamed(spec: TaskSpec, names: Mapping[str, str], stale: frozenset[str] = frozenset()) -> TaskSpec:
    """Returns a task with other names for some roles, groups whose names spoke of these, and stale groups.

    Args:
        spec: The task.
        names: Old name of a role -> its new name.
        stale: Groups that get another name in any case.
    """
    if not names and not stale:
        return spec
    labels: dict[str, str] = {}
    for group, members in groups(spec).items():
        spoken = (_speaks(group) or practices(group)) and any(name in names for name in members)
        if spoken or group in stale or all(name in names for name in members):
            stem = _stem(members, names, spec)
            labels[group] = next(
                name
                for name in (stem, *(f"{count}_{stem}" for count in _COUNT))
                if name not in (groups(spec).keys() - {group}) and name not in labels.values()
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


def _words(name: str) -> list[str]:
    """Returns the words of a name without numbers; what is written as one, as ``coalminer``, counts as two."""
    found = []
    for part in name.lower().split("_"):
        word = part.rstrip("0123456789")
        trade = next((t for t in PRACTICE if word.removesuffix("s").endswith(t)), "")
        stem = word.removesuffix("s").removesuffix(trade)
        found += (
            [stem, word.removeprefix(stem)] if trade and stem in SUBJECTS and word not in PRACTICE else [word]
        )
    return found


def _speaks(name: str) -> bool:
    return any(word.removesuffix("s") in SUBJECTS or word in SUBJECTS for word in _words(name))


def practices(name: str) -> list[tuple[str, ...]]:
    """Returns the skills that the words of a name speak of, one entry for each such word."""
    words = _words(name)
    return [PRACTICE[bare] for word in words if (bare := word if word in PRACTICE else word[:-1]) in PRACTICE]


def _gone(name: str, facts: Facts, before: Facts) -> bool:
    """Returns whether a role's name speaks of a trade that it had, or was told of, in the source and has no more."""
    was, now = used_skills(name, before) | _told(name, before), used_skills(name, facts)
    if any(was & set(skills) and not now & set(skills) for skills in practices(name)):
        return True
    return _sold_out(name, [name], facts, before)


def _sold_out(called: str, members: list[str], facts: Facts, before: Facts) -> bool:
    """Returns whether a name of some roles speaks of wares with which they had to do in the source and have no more."""
    return any(_deal(word, members, before) and not _deal(word, members, facts) for word in _words(called))


def _deal(word: str, members: list[str], facts: Facts) -> bool:
    """Returns whether some of the roles make, gather or bring along what a word speaks of."""
    team = facts.spec.team
    keys = {item for name in members if name in team for item in (*facts.trades(name), *team[name].inventory)}
    items = [facts.world.items[key] for key in keys if facts.needs.use.get(key) or facts.needs.make.get(key)]
    if word in ("tool", "weapon"):
        return any(getattr(item, word) is not None for item in items)
    return any(part in item.key for item in items for part in WARES.get(word, ()))


def used_skills(name: str, facts: Facts) -> set[str]:
    """Returns the skills that a role uses for what it makes."""
    return {_skill(name, item, facts) for item in facts.trades(name)}


def _told(name: str, facts: Facts) -> set[str]:
    """Returns the skills that a role's guide speaks of."""
    guide, world = facts.spec.team[name].guide, facts.world
    made = {world.recipe_of[item].skill for item in guide.recipes if item in world.recipe_of}
    return made | {world.node_kinds[kind].skill for kind in guide.nodes if kind in world.node_kinds}


def _skill(name: str, item: str, facts: Facts) -> str:
    if item in facts.needs.crafts:
        return facts.world.recipe_of[item].skill
    return facts.world.node_kinds[facts.needs.kinds(name, item)[0]].skill


def _prey(spec: TaskSpec, name: str) -> set[str]:
    return {
        point.mob for point in spec.checkpoints if isinstance(point, Killed) and name in (point.by or (name,))
    }


def _sent(spec: TaskSpec, name: str) -> set[str]:
    return {p.mob for p in spec.checkpoints if isinstance(p, Killed) and name in p.by}


def _called(name: str, facts: Facts) -> str:
    """Returns what a role is called after what it does: the first of its trades, fighting, or helping."""
    for item in facts.trades(name):
        return TRADES[_skill(name, item, facts)]
    return "fighter" if facts.prey(name) else "helper"
