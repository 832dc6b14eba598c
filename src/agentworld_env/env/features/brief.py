"""What an agent is told before its first turn, as numbers: goals, landmarks, items worth naming. It never changes."""

from __future__ import annotations

from typing import NamedTuple

from agentworld_env.env.features.ids import GOALS as KINDS
from agentworld_env.env.features.ids import Ids
from agentworld_env.env.features.layout import GOALS, LANDMARKS, WANTED
from agentworld_env.tasks import Task


class Goal(NamedTuple):
    """One thing that the objective asks for.

    Attributes:
        kind: Number of the kind of checkpoint.
        item: Item key, or empty.
        mob: Number of the creature's kind, or 0.
        need: Units, kills or rounds.
        mine: Whether it names this agent, or nobody.
    """

    kind: int
    item: str
    mob: int
    need: int
    mine: bool


class AgentBrief(NamedTuple):
    """What one agent knows all along.

    Attributes:
        goals: What the objective asks for, in the task's order, at most ``GOALS``.
        landmarks: Tiles that the guide names, in its order, at most ``LANDMARKS``.
        wanted: Items that guide and objective name, at most ``WANTED``.
    """

    goals: tuple[Goal, ...]
    landmarks: tuple[tuple[int, int], ...]
    wanted: tuple[str, ...]


def agent_brief(task: Task, agent: str, ids: Ids) -> AgentBrief:
    """Returns what an agent of a task knows all along.

    Args:
        task: The task as it is played.
        agent: The agent's id.
        ids: The numbers of the world's kinds.
    """
    goals = tuple([_goal(task, point, agent, ids) for point in task.spec.checkpoints][:GOALS])
    tiles = tuple([(x, y) for _, x, y in task.landmarks(agent)][:LANDMARKS])
    return AgentBrief(goals, tiles, tuple(_wanted(task, agent, goals)[:WANTED]))


def _goal(task: Task, point: object, agent: str, ids: Ids) -> Goal:
    world = task.world
    kind: str = getattr(point, "kind")  # noqa: B009 - checkpoints are a union without a common base
    mob: str = getattr(point, "mob", "")
    if mob in world.named_spawns:
        mob = world.named_spawns[mob].kind
    by = getattr(point, "by", None) or ()
    names = {by} if isinstance(by, str) else set(by)
    if hasattr(point, "to"):
        names.add(point.to)
    need = getattr(point, "count", 0) or getattr(point, "rounds", 0) or 1
    mine = not names or agent in names
    return Goal(KINDS.index(kind) + 1, getattr(point, "item", ""), ids.mob.get(mob, 0), need, mine)


def _wanted(task: Task, agent: str, goals: tuple[Goal, ...]) -> list[str]:
    """Returns the items that objective and guide name: goals first, then what recipes take, make and nodes give."""
    world, guide = task.world, task.spec.team[agent].guide
    found: dict[str, None] = {goal.item: None for goal in goals if goal.item}
    for key in guide.recipes:
        recipe = world.recipe_of.get(key)
        if recipe is not None:
            found.update(dict.fromkeys(recipe.inputs))
            found[recipe.item] = None
    found.update((world.node_kinds[key].gives, None) for key in guide.nodes if key in world.node_kinds)
    for key in guide.sites:
        found.update(dict.fromkeys(task.spec.sites[key].wants if key in task.spec.sites else ()))
    return list(found)
