"""Labels of checkpoints, rendered from what a variant asks for."""

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
from agentworld_env.variants.text.facts import Facts, holds
from agentworld_env.variants.text.nouns import called, listing, mob_name, noun, people, place_name
from agentworld_env.variants.text.words import boss_name, by_verb, quarry, receiver, the


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
    word = "and" if getattr(point, "need", "any") == "all" else "or"
    who = f" by {people(names, facts.groups, facts.team, word, called)}" if names else ""
    names_of = [noun(item, 2 if count > 1 else 1, facts.world) for item, count in units(point).items()]
    things = listing(names_of)
    things = things[:1].upper() + things[1:]
    match point:
        case Gathered() | Crafted():
            parts = [
                f"{listing(noun(k, 2 if n > 1 else 1, facts.world) for k, n in wanted.items())} {verb[1]}"
                for verb, wanted in by_verb(point, facts).items()
            ]
            text = listing(parts)
            return f"{text[:1].upper() + text[1:]}{who}"
        case Delivered():
            verb = "brought" if point.to in facts.spec.sites else "handed"
            return f"{things} {verb} to {receiver(point.to, facts)}"
        case Held():
            return f"{things} held by {called(point.by) if point.by else 'the team'}"
        case Worn():
            return f"{things} worn by {called(point.by)}"
        case Killed():
            spawn = facts.world.named_spawns.get(point.mob)
            name = (
                boss_name(point.mob, facts)
                if spawn
                else mob_name(point.mob, point.count, facts.world).capitalize()
            )
            return f"{name} killed{who}"
        case Built():
            name = the(facts.spec.sites[point.site].name)
            return f"Supplies complete at {name}"
        case Discovered():
            name = quarry(point, facts)
            return f"{name[:1].upper() + name[1:]} found{who}"
        case Visited():
            place = where(point, facts)
            place = place.removeprefix("at ") if place.startswith("at ") else f"a point {place}"
            return f"{place[:1].upper() + place[1:]} reached{who}"
        case PresentTogether():
            return f"Together {where(point, facts)}"
        case HeldForRounds():
            return f"Rounds together {where(point, facts)}"
        case SurvivedUntil():
            return "Alive in the end"
        case _:
            return point.label


def where(point: Visited | PresentTogether | HeldForRounds, facts: Facts) -> str:
    """Returns where a checkpoint's place is: at a place by its name, or near one, where it lies outside of all.

    The place is none that only some know or that has to be found.
    """
    if facts.secret(point):
        return "at the meeting point"
    found = facts.hideout(point)
    if found:
        return f"at {quarry(found, facts)}"
    tile = facts.tile(point)
    place = facts.place(tile)
    return f"{'at' if holds(place, tile) else 'near'} {place_name(place.name)}"
