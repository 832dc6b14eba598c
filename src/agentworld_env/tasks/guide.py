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
    facts = guide_facts(guide, spec, world)
    text: str = _template().render(facts, notes=" ".join(guide.notes.split()))
    return text.strip()


def guide_facts(guide: Guide, spec: TaskSpec, world: World) -> dict[str, Any]:
    """Returns what a guide says as plain data, its notes excepted; the text is rendered from nothing else.

    Args:
        guide: Which facts it shows.
        spec: The task, for its sites and named spawns.
        world: The world, for all figures.

    Raises:
        KeyError: The guide names something that neither the world nor the task has.
    """
    return {
        "recipes": {key: _recipe(key, world) for key in guide.recipes},
        "nodes": {key: _node(key, world) for key in guide.nodes},
        "mobs": {key: _mob(key, spec, world) for key in guide.mobs},
        "places": {key: _place(key, world) for key in guide.places},
        "sites": {key: _site(key, spec) for key in guide.sites},
        "reach": {
            "walk": RULES.path_limit,
            "sight_resources": RULES.sight_nodes,
            "sight_mobs": RULES.sight_mobs,
            "transfer": RULES.transfer_reach,
        },
    }


def _recipe(key: str, world: World) -> dict[str, Any]:
    recipe = world.recipe_of[key]
    return {
        "name": world.items[key].name,
        "skill": recipe.skill,
        "level": recipe.level,
        "inputs": dict(recipe.inputs),
        "count": recipe.count,
    }


def _node(key: str, world: World) -> dict[str, Any]:
    kind = world.node_kinds[key]
    return {
        "family": kind.family,
        "gives": kind.gives,
        "skill": kind.skill,
        "level": kind.level,
        "tool": kind.tool,
        "respawn": kind.respawn,
    }


def _mob(key: str, spec: TaskSpec, world: World) -> dict[str, Any]:
    """Returns the figures of a mob kind, or of a named spawn with its place and its team rule.

    A kind that comes in waves attacks first, whatever the habits of its common kin.
    """
    spawn = world.named_spawns.get(key)
    figures = world.mob_kinds[key] if spawn is None else spawn
    temper = world.mob_kinds[key if spawn is None else spawn.kind].temper
    return {
        "name": figures.name,
        "level": figures.level,
        "hp": figures.hp,
        "attacks_first": temper != "no" or any(wave.mob == key for wave in spec.waves),
        "at": None if spawn is None else [spawn.x, spawn.y],
        "team": 1 if spawn is None else spawn.team,
    }


def _place(key: str, world: World) -> dict[str, Any]:
    place = world.places[key]
    return {
        "name": place.name,
        "at": [place.x, place.y],
        "columns": [place.x0, place.x1],
        "rows": [place.y0, place.y1],
    }


def _site(key: str, spec: TaskSpec) -> dict[str, Any]:
    site = spec.sites[key]
    return {"name": site.name, "at": list(site.at), "wants": dict(site.wants)}
