"""Whether a task asks for anything that another does not: what an author's proposals are measured by.

Digests tell whether two tasks ask the same. Here one is compared with the other, which tells more: a second bag that
holds enough of a part takes the first its importance, and so gives another digest, but nothing has to be done
otherwise. And tools in bags count as what they make possible, which the digests leave out, since splits rest on them.
"""

from __future__ import annotations

from agentworld_env.tasks.schema import Gathered, TaskSpec
from agentworld_env.variants.digests import demand, frame
from agentworld_env.variants.edit import has_fights, units
from agentworld_env.variants.holdings import Holdings, Share, Supply
from agentworld_env.variants.needs import Needs
from agentworld_env.variants.text.names import renamed
from agentworld_env.world import World


def asks_nothing_new(spec: TaskSpec, other: TaskSpec, world: World) -> bool:
    """Returns whether a task asks for nothing else than another, in other quantities at most.

    It does not if both have one demand; nor if bags are all they differ in, and for every part either the same bags
    count (see ``Holdings``), or whoever's bags sufficed in the other task suffice still. In either case the same roles
    must have the tools to gather what is needed, and the ammunition to shoot, and where whoever is to gather something
    must be handed the tool first, those who could hand it over in the other task must be able to.

    Args:
        spec: The task.
        other: The task that it is compared with.
        world: The world both play in.
    """
    spec, other = _numbered(spec), _numbered(other)
    needs, before = Needs(spec, world), Needs(other, world)
    if _able(needs) != _able(before):
        return False
    lent, was = _spare(needs), _spare(before)
    if lent.keys() != was.keys() or not all(was[key] <= lent[key] for key in was):
        return False
    if demand(spec, world) == demand(other, world):
        return True
    if frame(needs) != frame(before):
        return False
    now, then = Holdings(needs).supplies, Holdings(before).supplies
    return now.keys() == then.keys() and all(_nothing_new(now[item], then[item]) for item in now)


def _numbered(spec: TaskSpec) -> TaskSpec:
    """Returns a task whose roles are called by their place in the turn order: names make no other task."""
    return renamed(spec, {name: f"agent{number}" for number, name in enumerate(spec.team)})


def _nothing_new(now: Supply, then: Supply) -> bool:
    if (now.lacking, now.made) != (then.lacking, then.made):
        return False
    if now.counted == then.counted:
        return True
    if len(now.own) != len(then.own) or not all(map(_suffices, now.own, then.own)):
        return False
    if then.free is None:
        # What somebody lacked was made, which it may be still.
        return then.made or now.free is None
    return now.free is not None and _suffices(now.free, then.free)


def _suffices(now: Share, then: Share) -> bool:
    """Returns whether any roles whose units sufficed suffice still."""
    # The most units that roles had together who have too few now, by how many they have now.
    most = {0: 0}
    for name, had in then.units.items():
        has = now.units.get(name, 0)
        for held, best in sorted(most.items(), reverse=True):
            if held + has < now.need:
                most[held + has] = max(best + had, most.get(held + has, 0))
    return max(most.values()) < then.need


def _able(needs: Needs) -> dict[str, tuple[set[str], set[str]]]:
    """Returns role -> kinds of resources concerned that it can harvest, and ammunition that it can shoot in a fight."""
    world, fight = needs.world, has_fights(needs.spec)
    able = {}
    for name, role in needs.spec.team.items():
        things = [world.items[key] for key in (*role.worn, *role.inventory)]
        kinds = {kind for item in needs.items for kind in needs.kinds(name, item)}
        shots = {thing.ammunition for thing in things if fight and thing.ammunition in role.inventory}
        able[name] = kinds, {shot for shot in shots if shot is not None}
    return able


def _spare(needs: Needs) -> dict[tuple[str, ...], set[str]]:
    """Returns (item, roles meant to gather it) -> who has a tool for it in the bag, where none of these has one."""
    world, spec = needs.world, needs.spec
    found = {}
    for point in spec.checkpoints:
        if not isinstance(point, Gathered):
            continue
        for item in units(point):
            if not set(point.by or spec.team) & set(needs.harvesters(item)):
                tools = {kind.tool for kind in world.node_kinds.values() if kind.gives == item}
                found[item, *point.by] = {
                    name
                    for name, role in spec.team.items()
                    if tools & {world.items[key].tool for key in role.inventory} - {None}
                }
    return found
