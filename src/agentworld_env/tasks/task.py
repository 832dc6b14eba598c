"""A task that can be played: its specification plus what follows from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentworld_env.errors import UnknownNameError
from agentworld_env.markup import html_block, html_table
from agentworld_env.sim.setup import AgentSetup, Setup
from agentworld_env.tasks.registry import TaskInfo
from agentworld_env.tasks.schema import Role, TaskSpec
from agentworld_env.tasks.waves import raiders_of
from agentworld_env.world.catalogue import Npc

if TYPE_CHECKING:
    from agentworld_env.world import World


class Task:
    """A task. It never changes; copies are the task itself.

    Args:
        spec: The task file's content.
        world: The world it plays in; the package's own if None. Episodes in another can be played, but neither
            recorded nor copied to another process.
    """

    def __init__(self, spec: TaskSpec, world: World | None = None) -> None:
        self.spec = spec
        self._world = world

    def __repr__(self) -> str:
        return f"Task({self.id!r})"

    def _repr_html_(self) -> str:
        spec = self.spec
        team = html_table(
            ("role", "group", "skills", "starts with"),
            [
                (
                    name,
                    role.group,
                    ", ".join(f"{skill} {level}" for skill, level in role.skills.items()),
                    ", ".join([*role.worn, *(f"{count} {item}" for item, count in role.inventory.items())]),
                )
                for name, role in spec.team.items()
            ],
        )
        about = f"{spec.category}, {len(spec.team)} agents, {spec.max_rounds} rounds, suite {spec.suite}"
        goals = f"Checkpoints: {'; '.join(point.label for point in spec.checkpoints)}."
        return html_block(f"{spec.id}: {spec.title}", self.objective.strip(), about, goals, body=team)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Task)
            and other.spec == self.spec
            and list(other.spec.team) == list(self.spec.team)
            and other.world is self.world
        )

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def __copy__(self) -> Task:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Task:
        return self

    def __reduce__(self) -> tuple[type[Task], tuple[TaskSpec, World | None]]:
        return Task, (self.spec, self._world)

    @property
    def id(self) -> str:
        """Task id, such as ``"t01_magic_staff"``."""
        return self.spec.id

    @property
    def objective(self) -> str:
        """The team's objective, as every agent is told it."""
        return self.spec.objective

    @property
    def team(self) -> tuple[str, ...]:
        """The roles, which are the agents' ids, in turn order."""
        return tuple(self.spec.team)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Role groups: group -> its roles, in turn order."""
        groups: dict[str, tuple[str, ...]] = {}
        for name, role in self.spec.team.items():
            groups[role.group] = (*groups.get(role.group, ()), name)
        return groups

    @property
    def world(self) -> World:
        """The world it plays in."""
        if self._world is None:
            from agentworld_env.world import load_world

            return load_world()
        return self._world

    @cached_property
    def info(self) -> TaskInfo:
        """What the list of tasks says about it."""
        spec = self.spec
        return TaskInfo(
            id=spec.id,
            title=spec.title,
            category=spec.category,
            suite=spec.suite,
            team_size=len(spec.team),
            max_rounds=spec.max_rounds,
        )

    @cached_property
    def content_hash(self) -> str:
        """BLAKE2b of the specification (32 hexadecimal digits): equal for files that say the same."""
        return hash_of(self.spec.model_dump(mode="json"))

    @cached_property
    def _setup(self) -> Setup:
        spec = self.spec
        return Setup(
            agents=tuple(
                AgentSetup(
                    name=name,
                    x=role.start[0],
                    y=role.start[1],
                    skills=dict(role.skills),
                    bag=dict(role.inventory),
                    worn=role.worn,
                )
                for name, role in spec.team.items()
            ),
            spawns=spec.spawns,
            raiders=tuple(
                raider for place, wave in enumerate(spec.waves) for raider in raiders_of(place, wave)
            ),
            sites=tuple(
                Npc(
                    id=key,
                    name=site.name,
                    role="site",
                    x=site.at[0],
                    y=site.at[1],
                    about=site.about,
                    wants=dict(site.wants),
                )
                for key, site in spec.sites.items()
            ),
            growth=spec.growth,
        )

    def setup(self) -> Setup:
        """Returns what an episode starts from, apart from the seed."""
        return self._setup

    def role_text(self, role: str) -> str:
        """Returns what a role is for, as only that role is told it.

        Raises:
            UnknownNameError: The team has no such role.
        """
        return self._role(role).about.strip()

    def guide(self, role: str) -> str:
        """Returns a role's guide, rendered from the world's catalogue.

        Raises:
            UnknownNameError: The team has no such role.
        """
        from agentworld_env.tasks.guide import render_guide

        return render_guide(self._role(role).guide, self.spec, self.world)

    def guide_facts(self, role: str) -> dict[str, Any]:
        """Returns what a role's guide says as plain data, its notes excepted.

        Raises:
            UnknownNameError: The team has no such role.
        """
        from agentworld_env.tasks.guide import guide_facts

        return guide_facts(self._role(role).guide, self.spec, self.world)

    def landmarks(self, role: str) -> tuple[tuple[str, int, int], ...]:
        """Returns the tiles that a role's guide names, as (name, column, row).

        Raises:
            UnknownNameError: The team has no such role.
        """
        guide, world, spec = self._role(role).guide, self.world, self.spec
        tiles = [(key, world.places[key].x, world.places[key].y) for key in guide.places]
        tiles += [(key, *spec.sites[key].at) for key in guide.sites]
        tiles += [
            (key, world.named_spawns[key].x, world.named_spawns[key].y)
            for key in guide.mobs
            if key in world.named_spawns
        ]
        return tuple(tiles)

    def _role(self, name: str) -> Role:
        role = self.spec.team.get(name)
        if role is None:
            raise UnknownNameError("role", name, self.spec.team)
        return role


def hash_of(plain: Mapping[str, Any]) -> str:
    """Returns the content hash of a specification in plain JSON, as ``Task.content_hash`` gives it.

    Args:
        plain: The specification with the fields that were known when it was written.
    """
    # Keys are sorted, except that the team's order is the turn order and therefore part of the content.
    said = {**plain, "team": list(plain["team"].items())}
    if not said.get("waves", True):
        # A task without waves says the same as before there were any.
        del said["waves"]
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()
