"""Names and descriptions of a variant's sites, which may take other things at other places than the source's."""

from __future__ import annotations

from agentworld_env.tasks.schema import Checkpoint, Site, TaskSpec
from agentworld_env.variants.edit import with_points
from agentworld_env.variants.text.nouns import amount, listing
from agentworld_env.world import World

NAMES = (
    "The Supply Store",
    "The Works Yard",
    "The Way Station",
    "The Relief Depot",
    "The Surveyors' Hut",
    "The Builders' Camp",
    "The Loading Stage",
    "The Watch House",
    "The Toll Shed",
    "The Ferry House",
    "The Charcoal Hut",
)
"""Names of sites that have become something else."""
HIDDEN = (
    "The Lost Cache",
    "The Sunken Cellar",
    "The Overgrown Well",
    "The Forgotten Camp",
    "The Walled-up Store",
)
"""Names of those that have to be found."""


def described(spec: TaskSpec, source: TaskSpec, world: World) -> TaskSpec:
    """Returns the variant with sites that say what they take, under other names if they are not the source's."""
    sites: dict[str, Site] = {}
    keys: dict[str, str] = {}
    for key, site in spec.sites.items():
        before = source.sites.get(key)
        same = before is not None and before.at == site.at and before.wants.keys() == site.wants.keys()
        hidden = any(getattr(point, "target", None) == key for point in spec.checkpoints)
        names = HIDDEN if hidden else NAMES
        first = (site.at[0] + site.at[1]) % len(names)
        free = [name for name in (*names[first:], *names[:first]) if _key(name) not in (*sites, *spec.sites)]
        name = site.name if same else free[0]
        keys[key] = key if same else _key(name)
        wants = listing(amount(item, count, world) for item, count in site.wants.items())
        sites[keys[key]] = site.model_copy(update={"name": name, "about": f"It takes {wants}."})

    def follow(point: Checkpoint) -> Checkpoint | None:
        update = {
            field: keys[getattr(point, field)]
            for field in ("to", "site", "target")
            if getattr(point, field, None) in keys
        }
        return point.model_copy(update=update) if update else point

    return with_points(spec.model_copy(update={"sites": sites}), follow)


def _key(name: str) -> str:
    return name.removeprefix("The ").lower().replace("'", "").replace(" ", "-")
