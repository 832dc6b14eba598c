"""Guides: the facts that one role is told, rendered from the world's catalogue."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

from agentworld_env.sim.rules import RULES
from agentworld_env.tasks.schema import Guide, TaskSpec
from agentworld_env.world import World


@cache
def _template() -> Any:
    folder = resources.files("agentworld_env.tasks").joinpath("templates")
    environment = Environment(
        loader=FunctionLoader(lambda name: folder.joinpath(name).read_text("utf-8")),
        undefined=StrictUndefined,
        autoescape=select_autoescape(enabled_extensions=(), default=False),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("guide.txt.j2")


def render_guide(guide: Guide, spec: TaskSpec, world: World) -> str:
    """Returns a guide as text.

    Args:
        guide: Which facts it shows.
        spec: The task, for its sites and named spawns.
        world: The world, for all figures.

    Raises:
        KeyError: The guide names something that neither the world nor the task has.
    """
    text: str = _template().render(
        recipes=[world.recipe_of[key] for key in guide.recipes],
        nodes=[world.node_kinds[key] for key in guide.nodes],
        mobs=[_mob(key, world) for key in guide.mobs],
        places=[world.places[key] for key in guide.places],
        sites=[(key, spec.sites[key]) for key in guide.sites],
        items=world.items,
        notes=" ".join(guide.notes.split()),
        rules=RULES,
    )
    return text.strip()


def _mob(key: str, world: World) -> dict[str, Any]:
    """Returns the figures of a mob kind, or of a named spawn with its place and its team rule."""
    spawn = world.named_spawns.get(key)
    if spawn is None:
        kind = world.mob_kinds[key]
        return {"key": key, "figures": kind, "temper": kind.temper, "at": None, "team": 1}
    temper = world.mob_kinds[spawn.kind].temper
    return {"key": key, "figures": spawn, "temper": temper, "at": (spawn.x, spawn.y), "team": spawn.team}
