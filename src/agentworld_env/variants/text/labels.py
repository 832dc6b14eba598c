"""Labels of checkpoints and the title, rendered from what a variant asks for."""

from __future__ import annotations

from agentworld_env.tasks.schema import (
    Built,
    Checkpoint,
    Crafted,
    Delivered,
    Discovered,
    Gathered,
    Held,
    HeldForRounds,
    Killed,
    PresentTogether,
    SurvivedUntil,
    TaskSpec,
    Visited,
    Worn,
)
from agentworld_env.variants.edit import units
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.nouns import listing, mobs, noun, people, place_name
from agentworld_env.variants.text.objective import boss_name, gathering, making, quarry, receiver, the


def labelled(facts: Facts) -> TaskSpec:
    """Returns the variant with labels that say what its checkpoints are about now."""
    labels: list[str] = []
    renamed: dict[str, str] = {}
    points: list[Checkpoint] = []
    for point in facts.spec.checkpoints:
        text = _label(point, facts)[:76].rstrip(" ,")
        label = next(name for name in (text, *(f"{text} {n}" for n in range(2, 20))) if name not in labels)
        labels.append(label)
        renamed[point.label] = label
        update: dict[str, object] = {"label": label}
        after = getattr(point, "after", None)
        if after is not None:
            update["after"] = renamed.get(after, after)
        points.append(point.model_copy(update=update))
    return facts.spec.model_copy(update={"checkpoints": tuple(points)})


def _label(point: Checkpoint, facts: Facts) -> str:
    by = getattr(point, "by", None)
    names = (by,) if isinstance(by, str) else tuple(by or ())
    who = f" by {people(names, facts.groups, facts.team, 'or')}" if names else ""
    names_of = [noun(item, 2 if count > 1 else 1, facts.world) for item, count in units(point).items()]
    things = listing(names_of)
    things = things[:1].upper() + things[1:]
    match point:
        case Gathered():
            return f"{things} {gathering(next(iter(units(point))), facts)[1]}{who}"
        case Crafted():
            return f"{things} {making(next(iter(units(point))), facts)[1]}{who}"
        case Delivered():
            verb = "brought" if point.to in facts.spec.sites else "handed"
            return f"{things} {verb} to {receiver(point.to, facts)}"
        case Held():
            return f"{things} held by {point.by or 'the team'}"
        case Worn():
            return f"{things} worn by {point.by}"
        case Killed():
            spawn = facts.world.named_spawns.get(point.mob)
            name = (
                boss_name(point.mob, facts)
                if spawn
                else mobs(point.mob, point.count, facts.world).split(" ", 1)[1].capitalize()
            )
            return f"{name} killed{who}"
        case Built():
            name = the(facts.spec.sites[point.site].name)
            return f"Supplies complete at {name}"
        case Discovered():
            name = quarry(point, facts)
            return f"{name[:1].upper() + name[1:]} found{who}"
        case Visited():
            where = _where(point, facts)
            return f"{where[:1].upper() + where[1:]} reached{who}"
        case PresentTogether():
            return f"Together at {_where(point, facts)}"
        case HeldForRounds():
            return f"Rounds together at {_where(point, facts)}"
        case SurvivedUntil():
            return "Alive in the end"
        case _:
            return point.label


def _where(point: Visited | PresentTogether | HeldForRounds, facts: Facts) -> str:
    if facts.secret(point):
        return "the meeting point"
    return place_name(facts.place(facts.tile(point)).name)


def title(facts: Facts) -> str:
    """Returns a title: the category and what the variant is about, bosses, wares, places; at most 80 characters."""
    subjects: dict[str, None] = {}
    for point in facts.spec.checkpoints:
        if isinstance(point, Killed):
            spawn = facts.world.named_spawns.get(point.mob)
            subjects[spawn.name if spawn else facts.world.mob_kinds[point.mob].name] = None
    for site in facts.spec.sites.values():
        subjects[site.name.removeprefix("The ")] = None
    ends = [
        item
        for point in facts.spec.checkpoints
        for item in units(point)
        if not facts.needs.users(item) and point.kind != "gathered"
    ] or [item for point in facts.spec.checkpoints for item in units(point)]
    for item in ends:
        subjects[facts.world.items[item].name] = None
    for point in facts.areas:
        where = _where(point, facts)
        subjects["a Meeting" if facts.secret(point) else where[:1].upper() + where[1:]] = None
    words = list(subjects)[:3]
    # The category in front keeps apart what bears the name of a main task, by which scripts are found.
    opening = f"{facts.spec.category.capitalize()}: "
    while len(opening + listing(words)) > 80:
        words.pop()
    return opening + listing(words)
