"""Which facts each role's guide shows: those of its own part, and its part in words."""

from __future__ import annotations

from agentworld_env.tasks.schema import Guide, Killed
from agentworld_env.variants.edit import waves
from agentworld_env.variants.text.about import cut
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.roles import notes
from agentworld_env.world.geometry import manhattan

_SIGHT = 60
"""A role needs no place for what stands so near (tiles) to its start."""


def guide(name: str, facts: Facts) -> Guide:
    """Returns a role's guide: the facts of its part, and its part in words."""
    return Guide(
        recipes=tuple(item for item in facts.trades(name) if item in facts.needs.crafts),
        nodes=tuple(_nodes(name, facts)),
        mobs=tuple(_mobs(name, facts)),
        places=tuple(_places(name, facts)),
        sites=tuple(_sites(name, facts)),
        notes=cut(" ".join(notes(name, facts))),
    )


def _nodes(name: str, facts: Facts) -> list[str]:
    found = [
        kind
        for item in facts.trades(name)
        if item not in facts.needs.crafts
        for kind in facts.needs.kinds(name, item)
    ]
    return list(dict.fromkeys(found))


def _mobs(name: str, facts: Facts) -> list[str]:
    source = facts.source.team.get(name)
    told = [key for key in (source.guide.mobs if source else ()) if key in facts.world.mob_kinds]
    spoils = set(facts.spec.sources)
    kept = [key for key in told if {drop.item for drop in facts.world.mob_kinds[key].drops} & spoils]
    kept += [
        point.mob
        for point in facts.spec.checkpoints
        if isinstance(point, Killed) and name in facts.hunters(point)
    ]
    kept += [wave.mob for wave in waves(facts.spec)]
    # Of a boss that has to be found a guide may tell the kind, not the place.
    kept = [facts.world.named_spawns[key].kind if key in facts.hidden else key for key in kept]
    return [key for key in dict.fromkeys(kept) if key not in facts.hidden]


def _places(name: str, facts: Facts) -> list[str]:
    role = facts.spec.team[name]
    found = [facts.place(role.start).key]
    for kind in _nodes(name, facts):
        if not facts.book.near(*role.start, kind, _SIGHT):
            stands = [key for key in facts.book.grounds[kind] if key not in facts.hidden] or [
                facts.place((node.x, node.y)).key for node in facts.world.nodes if node.kind == kind
            ]
            found.append(min(stands, key=lambda k: (manhattan(*role.start, *_middle(k, facts)), k)))
    for point in facts.areas:
        concerned = not point.by or name in point.by
        if concerned and (not facts.secret(point) or name in (facts.informed or ())):
            found.append(
                facts.around(facts.tile(point))
                if facts.hideout(point)
                else facts.place(facts.tile(point)).key
            )
    found += [facts.place(facts.spec.sites[key].at).key for key in _sites(name, facts)]
    found += [facts.place(wave.at).key for wave in waves(facts.spec)]
    come = {wave.mob for wave in waves(facts.spec)}
    found += [
        facts.place(facts.home(key, role.start)).key
        for key in _mobs(name, facts)
        if key not in come
        and key in facts.world.mob_kinds
        and any(s.kind == key for s in facts.world.mob_spawns)
    ]
    return [key for key in dict.fromkeys(found) if key not in facts.hidden]


def _middle(key: str, facts: Facts) -> tuple[int, int]:
    place = facts.world.places[key]
    return place.x, place.y


def _sites(name: str, facts: Facts) -> list[str]:
    found = []
    for key, site in facts.spec.sites.items():
        source = facts.source.team.get(name)
        concerned = source is None or bool(source.guide.sites)
        concerned |= any(name in facts.providers(item) for item in site.wants)
        if concerned and key not in facts.hidden:
            found.append(key)
    return found
