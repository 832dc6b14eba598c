"""What makes two tasks the same: fingerprints that ignore names and texts."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from agentworld_env.tasks.schema import Checkpoint, TaskSpec
from agentworld_env.variants.edit import units, waves
from agentworld_env.variants.holdings import Holdings
from agentworld_env.variants.needs import Needs
from agentworld_env.world import World

CELL = 48
"""Starts and places count as elsewhere if they lie in other squares of this side (tiles)."""


def fingerprint(spec: TaskSpec) -> str:
    """Returns a digest (32 hexadecimal digits) of everything that decides how a task plays.

    Names of roles, groups and sites, titles, texts, guides and labels have no part in it; the turn order, quantities
    and the budget have.
    """
    return _digest(
        {
            "rounds": spec.max_rounds,
            "growth": spec.growth,
            "team": [
                [
                    list(role.start),
                    sorted(role.skills.items()),
                    sorted(role.inventory.items()),
                    sorted(role.worn),
                ]
                for role in spec.team.values()
            ],
            "groups": [_number(spec, role.group) for role in spec.team.values()],
            "sites": sorted([list(site.at), sorted(site.wants.items())] for site in spec.sites.values()),
            "spawns": sorted(json.dumps(_plain(spawn), sort_keys=True) for spawn in spec.spawns),
            "sources": sorted(spec.sources),
            "points": sorted(json.dumps(_exact(point, spec), sort_keys=True) for point in spec.checkpoints),
            "rules": sorted(json.dumps(_exact(rule, spec), sort_keys=True) for rule in spec.constraints),
            **({"waves": [_plain(wave) for wave in waves(spec)]} if waves(spec) else {}),
        }
    )


def demand(spec: TaskSpec, world: World) -> str:
    """Returns a digest (32 hexadecimal digits) of what must be done, by what kind of team, where.

    Beyond names and texts it ignores all quantities, the budget, and where exactly within a square of ``CELL`` tiles
    somebody starts or something stands. Tasks with one demand differ only in how much; the generator takes no variant
    with the demand of its source.
    """
    return _digest({**_errand(Needs(spec, world)), "starts": _starts(spec)})


def errand(spec: TaskSpec, world: World) -> str:
    """Returns a digest (32 hexadecimal digits) of a task's demand without where its roles start.

    It decides the split, but for the few errands of narrow sources (``splits.split_of``): variants that ask a like team
    for the same things at the same places belong to one split, wherever the team comes from.
    """
    return _digest(_errand(Needs(spec, world)))


def asked(spec: TaskSpec, world: World) -> str:
    """Returns a digest (32 hexadecimal digits) of a task's demand without idle holdings (see ``Holdings``).

    Where ``demand`` counts whoever starts with a needed thing, this counts only those whose units change who must make,
    gather or hand over something. No variant asks for the same as its source by this measure either. It decides nothing
    about splits.
    """
    needs = Needs(spec, world)
    holdings = Holdings(needs)
    team = [
        [sorted(role.skills), holdings.counted[name], holdings.lacking[name], sorted(role.worn)]
        for name, role in spec.team.items()
    ]
    return _digest({**_errand(needs), "team": team, "starts": _starts(spec)})


def frame(needs: Needs) -> dict[str, Any]:
    """Returns what a task's demand says, but for what lies in bags."""
    rest = {key: value for key, value in _errand(needs).items() if key != "team"}
    team = [[sorted(role.skills), sorted(role.worn)] for role in needs.spec.team.values()]
    return {**rest, "team": team, "starts": _starts(needs.spec)}


def _errand(needs: Needs) -> dict[str, Any]:
    spec = needs.spec
    concerned = {item for item in needs.items if needs.use.get(item)}
    return {
        "team": [
            [
                sorted(role.skills),
                sorted(concerned & role.inventory.keys()),
                sorted(role.worn),
            ]
            for role in spec.team.values()
        ],
        "sites": sorted([_cell(site.at), sorted(site.wants)] for site in spec.sites.values()),
        "spawns": sorted(json.dumps(_plain(spawn), sort_keys=True) for spawn in spec.spawns),
        "points": sorted(json.dumps(_rough(point, spec), sort_keys=True) for point in spec.checkpoints),
        "rules": sorted(json.dumps(_exact(rule, spec), sort_keys=True) for rule in spec.constraints),
        **({"waves": [[wave.mob, _cell(wave.at)] for wave in waves(spec)]} if waves(spec) else {}),
    }


def _number(spec: TaskSpec, group: str) -> int:
    return list(dict.fromkeys(role.group for role in spec.team.values())).index(group)


def _plain(thing: Any) -> Any:
    return thing.model_dump(mode="json") if hasattr(thing, "model_dump") else thing


def _exact(rule: Any, spec: TaskSpec) -> dict[str, Any]:
    """Returns a checkpoint or constraint without its label, roles and sites by number."""
    content: dict[str, Any] = rule.model_dump(mode="json", exclude={"label"}, exclude_defaults=True)
    roles = {name: f"role {number}" for number, name in enumerate(spec.team)}
    sites = {key: f"site {number}" for number, key in enumerate(spec.sites)}
    labels = {point.label: f"point {number}" for number, point in enumerate(spec.checkpoints)}
    for field in ("by", "to", "site", "target"):
        value = content.get(field)
        if isinstance(value, str):
            content[field] = roles.get(value, sites.get(value, value))
        elif isinstance(value, list):
            content[field] = sorted(roles.get(name, name) for name in value)
    if "after" in content:
        content["after"] = labels.get(content["after"], "")
    return content


def _rough(point: Checkpoint, spec: TaskSpec) -> dict[str, Any]:
    content = _exact(point, spec)
    area = content.pop("area", None)
    for field in ("count", "items", "item", "rounds", "round", "within", "after"):
        content.pop(field, None)
    content["of"] = sorted(units(point))
    if area is not None:
        content["where"] = _cell(area["at"]) if area.get("at") else area.get("place")
    return content


def _starts(spec: TaskSpec) -> list[list[int]]:
    return [_cell(role.start) for role in spec.team.values()]


def _cell(tile: Any) -> list[int]:
    return [tile[0] // CELL, tile[1] // CELL]


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()
