"""All that a replay page knows of an episode, gathered while its record is played again."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from functools import partial
from typing import Any

from agentworld_env.draw.indexed import Box, land_png
from agentworld_env.draw.palette import NODE_COLOURS, agent_colour
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, check_footer, replay_lines, task_of
from agentworld_env.errors import AgentWorldError, EpisodeFileError
from agentworld_env.evaluate.shared import shared_plan
from agentworld_env.metrics import Finding, effectiveness_of, episode_metrics, events_finding, graph_of
from agentworld_env.report.replay.recorder import Recorder
from agentworld_env.world.geometry import HEIGHT, WIDTH

_MARGIN = 72
"""Land shown around where agents stood (tiles): a little more than they see."""

_LEAST = 200
"""Least width and height of the land shown (tiles)."""

_ASPECT = 1.3
"""Least width of the land shown, for its height: pages are wider than high."""


def replay_data(episode: Episode, *, allow_python: bool = False) -> dict[str, Any]:
    """Plays a record again and returns what a page shows of it, as plain data.

    Args:
        episode: The episode, complete or not.
        allow_python: Whether to accept a task of unknown origin whose checkpoints run installed code.

    Raises:
        EpisodeFileError: The record does not come out as recorded.
    """
    where = episode.path or "record"
    task = task_of(episode.header, where, allow_python=allow_python)
    try:
        setting = episode.header.setting
        env = AgentWorldEnv(task, setting=setting, plan=shared_plan(task, setting))
    except EpisodeFileError:
        raise
    except AgentWorldError as error:
        raise EpisodeFileError(f"{where}, line 1: {error}") from error
    env.reset(seed=episode.header.seed)
    recorder = Recorder(env)
    start_ready = dict(env.sim.depleted_at_start())
    replay_lines(env, episode.lines, where, recorder.before, recorder.after)
    finding = events_finding(episode, env=env)
    if episode.footer is not None:
        check_footer(env, episode, partial(episode_metrics, finding=finding))
    box = _box(recorder.tiles)
    places, changes = _surroundings(env, recorder, box, start_ready)
    return {
        "about": _about(env, episode),
        "agents": _agents(env),
        "steps": recorder.steps,
        "lines": recorder.lines,
        "last_round": env.round,
        "land": {"box": list(box), "png": base64.b64encode(land_png(env.sim.world.terrain, box)).decode()},
        "colours": {family: list(colour) for family, colour in NODE_COLOURS.items()},
        "points": [
            {"label": point.label, "need": point.need, "round": point.round}
            for point in env.verdict().checkpoints
        ],
        "rules": [rule.label for rule in env.verdict().constraints],
        **places,
        "changes": changes,
        **_causes(env, episode, finding),
    }


def _about(env: AgentWorldEnv, episode: Episode) -> dict[str, Any]:
    header, spec, verdict = episode.header, env.task.spec, env.verdict()
    return {
        "task": header.task,
        "title": spec.title,
        "objective": env.task.objective.strip(),
        "suite": header.suite,
        "policy": str(header.policy.get("name", "")),
        "setting": header.setting,
        "seed": header.seed,
        "max_rounds": env.max_rounds,
        "sight": env.sim.rules.sight_people,
        "package": header.package,
        "complete": episode.footer is not None,
        "success": verdict.success,
        "psr": verdict.psr,
    }


def _agents(env: AgentWorldEnv) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "about": env.task.role_text(name),
            "guide": env.guide(name),
            "colour": list(agent_colour(i)),
            "group": env.task.spec.team[name].group,
            "skills": dict(env.sim.skills[i]),
            "max_hp": env.sim.max_hp[i],
            "max_mana": env.sim.max_mana[i],
        }
        for i, name in enumerate(env.sim.names)
    ]


def _box(tiles: Iterable[tuple[int, int]]) -> Box:
    columns, rows = zip(*tiles, strict=True)
    y0, y1 = _span(min(rows), max(rows), HEIGHT, _LEAST)
    x0, x1 = _span(min(columns), max(columns), WIDTH, max(_LEAST, round(_ASPECT * (y1 - y0 + 1))))
    return x0, y0, x1, y1


def _span(first: int, last: int, size: int, least: int) -> tuple[int, int]:
    extra = max(_MARGIN, (least - (last - first + 1) + 1) // 2)
    return max(0, first - extra), min(size - 1, last + extra)


def _surroundings(
    env: AgentWorldEnv, recorder: Recorder, box: Box, start_ready: dict[int, int]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns what stands where agents came by, and what changed there; numbers refer to rows of the former."""
    sim, world = env.sim, env.sim.world
    x0, y0, x1, y1 = box

    def inside(x: int, y: int) -> bool:
        return x0 <= x <= x1 and y0 <= y <= y1

    near: set[int] = set()
    mobs: set[int] = {number for _, number, *_ in recorder.mobs} | set(sim.named.values())
    for x, y in recorder.tiles:
        near.update(number for _, number in world.nodes_near(x, y, sim.rules.sight_nodes))
        mobs.update(world.mob_homes_near(x, y, sim.rules.sight_mobs))
    nodes = sorted(near | {number for _, number, _ in recorder.nodes})
    row_of = {number: row for row, number in enumerate(nodes)}
    listed = sorted(mobs)
    mob_row = {number: row for row, number in enumerate(listed)}
    places = {
        "places": [
            [place.name, place.kind, place.x, place.y]
            for place in world.places.values()
            if inside(place.x, place.y)
        ],
        "nodes": [
            [node.id, kind.gives, kind.family, node.x, node.y, start_ready.get(number, 1)]
            for number, node, kind in ((n, world.nodes[n], world.kind_of_node[n]) for n in nodes)
        ],
        "mobs": [
            [
                spec.id,
                spec.name,
                spec.level,
                spec.hp,
                int(spec.temper != "no"),
                spec.team,
                *sim.home(number),
                int(number >= sim.named_from),
            ]
            for number, spec in ((n, sim.spec(n)) for n in listed)
        ],
        "people": [
            [person.id, person.name, person.role, person.x, person.y, dict(person.wants)]
            for person in sim.people.values()
            if inside(person.x, person.y)
        ],
        "portals": [
            [portal.name, portal.x, portal.y, portal.to_x, portal.to_y]
            for portal in world.portals.values()
            if inside(portal.x, portal.y)
        ],
        "ground": [[key, *row] for key, row in recorder.ground.items()],
    }
    changes = {
        "agents": recorder.agents,
        "bags": recorder.bags,
        "mobs": [[moment, mob_row[number], *rest] for moment, number, *rest in recorder.mobs],
        "nodes": [[moment, row_of[number], ready] for moment, number, ready in recorder.nodes],
        "sites": recorder.sites,
        "points": recorder.points,
        "broken": recorder.broken,
        "psr": recorder.psr,
    }
    return places, changes


def _causes(env: AgentWorldEnv, episode: Episode, finding: Finding) -> dict[str, Any]:
    """Returns the causal path, that of ``partial`` without success, and the edges of the action graph."""
    graph = graph_of(episode, env=env)
    turns = {name: env.sim.state.agents[i].turns for i, name in enumerate(env.sim.names)}
    found = effectiveness_of(finding.method, finding.trace, graph.acts, env.verdict(), turns)
    known = set(found.trace.edges)
    edges = sorted(known.union(graph.stated()))
    return {
        "cce": found.cce,
        "partial": found.partial,
        "pac": found.pac_partial,
        "success": list(found.trace.success),
        "path": list(found.trace.contributing),
        "edges": [[edge.source, edge.target, edge.kind, int(edge in known)] for edge in edges],
    }
