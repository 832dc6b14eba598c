"""Texts of variants: objective, labels, roles, guides and sites, all rendered from the variant's own facts."""

from __future__ import annotations

from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.variants.text.about import about
from agentworld_env.variants.text.facts import Facts
from agentworld_env.variants.text.guides import guide
from agentworld_env.variants.text.labels import labelled
from agentworld_env.variants.text.names import outdated, renamed, truthful
from agentworld_env.variants.text.objective import objective
from agentworld_env.variants.text.sites import described
from agentworld_env.variants.text.title import title
from agentworld_env.world import World

__all__ = ["worded"]


def worded(spec: TaskSpec, source: TaskSpec, world: World) -> TaskSpec | None:
    """Returns a variant with all its texts and guides rendered anew; None if its objective would be too long.

    Args:
        spec: The variant, whose texts may still be its source's.
        source: The task that it was made from.
        world: The world.
    """
    now, before = Facts(spec, source, world), Facts(source, source, world)
    names, stale = truthful(spec, source, now, before), outdated(spec, source, now, before)
    spec, source = renamed(spec, names, stale), renamed(source, names, stale)
    spec = described(spec, source, world)
    spec = labelled(Facts(spec, source, world))
    facts = Facts(spec, source, world)
    goal = objective(facts)
    if goal is None:
        return None
    team = {
        name: role.model_copy(update={"about": about(name, facts), "guide": guide(name, facts)})
        for name, role in spec.team.items()
    }
    return spec.model_copy(update={"title": title(facts), "objective": goal, "team": team})
