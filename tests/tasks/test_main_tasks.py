"""The main tasks: true to the published set, honest, and impossible alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.tasks.published import PUBLISHED

from agentworld_env.env import AgentWorldEnv
from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.tasks import schema as s
from agentworld_env.tasks.index import task_files
from agentworld_env.tasks.task import Task

IDS = [row[0] for row in PUBLISHED]


def obtainable(task: Task, team: tuple[str, ...]) -> dict[str, set[str]]:
    """Returns what each agent could ever make or harvest when only this team acts.

    Nothing is used up, and goods pass freely between the members.
    """
    world, spec = task.world, task.spec
    goods = {key for name in team for key in (*spec.team[name].inventory, *spec.team[name].worn)}
    spoils = {drop.item for spawn in world.mob_spawns for drop in world.mob_kinds[spawn.kind].drops}
    for key in spec.spawns:
        if world.named_spawns[key].team <= len(team):
            spoils |= {drop.item for drop in world.named_spawns[key].drops}
    made: dict[str, set[str]] = {name: set(spoils) for name in team}
    goods |= spoils if team else set()
    grown = -1
    while grown != sum(map(len, made.values())):
        grown = sum(map(len, made.values()))
        tools = {world.items[key].tool for key in goods}
        for name in team:
            skills = spec.team[name].skills
            for node in world.node_kinds.values():
                if skills.get(node.skill, 0) >= node.level and (node.tool is None or node.tool in tools):
                    made[name].add(node.gives)
            for recipe in world.recipes:
                if skills.get(recipe.skill, 0) >= recipe.level and goods >= set(recipe.inputs):
                    made[name].add(recipe.item)
            goods |= made[name]
    return made


def reachable(task: Task, team: tuple[str, ...], c: s.Checkpoint) -> bool:
    """Returns whether a part of the team could ever reach a checkpoint under these relaxed rules."""
    made = obtainable(task, team)
    roles = set(getattr(c, "by", None) or ()) if not isinstance(c, s.Held | s.Worn) else {c.by or team[0]}
    if isinstance(c, s.Gathered | s.Crafted):
        return any(c.item in made[name] for name in team if not roles or name in roles)
    if isinstance(c, s.Killed):
        spawn = task.world.named_spawns.get(c.mob)
        return len(team) >= (spawn.team if spawn else 1) and (not roles or bool(roles & set(team)))
    if isinstance(c, s.Delivered):
        there = c.to in team or c.to in task.spec.sites
        start = [name for name in team if c.item in task.spec.team[name].inventory and c.origin == "any"]
        givers = {name for name in team if c.item in made[name]} | set(start)
        return there and bool(givers - {c.to})
    if isinstance(c, s.Built):
        goods = set().union(*made.values()) | {key for name in team for key in task.spec.team[name].inventory}
        return goods >= set(task.spec.sites[c.site].wants)
    if isinstance(c, s.Held | s.Worn):
        goods = set().union(*made.values())
        if isinstance(c, s.Held):
            goods |= {key for name in team for key in task.spec.team[name].inventory}
        return roles <= set(team) and c.item in goods
    if isinstance(c, s.Visited | s.Discovered):
        named = roles or set(task.team)
        return named <= set(team) if c.need == "all" else bool(named & set(team))
    assert isinstance(c, s.PresentTogether | s.HeldForRounds)
    return (roles or set(task.team)) <= set(team)


def suffices(task: Task, team: tuple[str, ...], *, presence: bool = True) -> bool:
    together = () if presence else (s.PresentTogether, s.HeldForRounds)
    return all(reachable(task, team, c) for c in task.spec.parts if not isinstance(c, together))


def test_the_main_suite_keeps_published_ids_teams_and_budgets() -> None:
    assert [(i.id, i.team_size, i.max_rounds) for i in list_tasks("main")] == PUBLISHED


def test_sizes_and_budgets_have_the_published_shape() -> None:
    sizes = Counter(info.team_size for info in list_tasks("main"))
    assert sizes == {3: 45, 5: 10, 6: 4, 7: 8, 8: 6, 9: 1, 10: 17, 11: 1, 12: 2, 14: 1, 15: 2, 16: 1, 20: 2}
    budgets = [info.max_rounds for info in list_tasks("main")]
    assert (min(budgets), max(budgets), round(sum(budgets) / 100, 1)) == (25, 55, 37.9)


def test_a_task_has_two_to_eight_checkpoints() -> None:
    counts = {info.id: len(get_task(info.id).spec.checkpoints) for info in list_tasks("main")}
    assert {task: count for task, count in counts.items() if not 2 <= count <= 8} == {}


def test_all_eight_categories_are_present() -> None:
    assert {info.category for info in list_tasks("main")} == set(s.CATEGORIES)


def test_a_file_bears_the_id_of_its_task_and_the_number_in_it() -> None:
    for path in task_files():
        task = get_task(path.stem)
        letter = {"main": "t", "practice": "p", "augmented": "t"}[path.parent.name]
        assert task.spec.suite == path.parent.name
        assert (task.id, f"{letter}{task.spec.number:02}") == (path.stem, path.stem.split("_")[0])


def test_every_file_carries_the_canary() -> None:
    canaries = {get_task(task_id).spec.canary for task_id in IDS}
    assert len(canaries) == 1
    assert canaries.pop().startswith("agentworld-env-canary ")
    assert all("canary: agentworld-env-canary" in Path(path).read_text() for path in task_files())


@pytest.mark.parametrize("task_id", IDS)
def test_every_task_asks_for_two_to_eight_checkpoints_and_everyone_alive(task_id: str) -> None:
    spec = get_task(task_id).spec
    assert 2 <= len(spec.checkpoints) <= 8
    assert s.AllAlive(kind="all_alive") in spec.constraints


@pytest.mark.parametrize("task_id", IDS)
def test_every_task_lists_its_changes(task_id: str) -> None:
    assert get_task(task_id).spec.changes


@pytest.mark.parametrize("task_id", IDS)
def test_the_whole_team_has_what_the_goal_takes(task_id: str) -> None:
    task = get_task(task_id)
    for checkpoint in task.spec.parts:
        assert reachable(task, task.team, checkpoint), checkpoint.label


@pytest.mark.parametrize("task_id", IDS)
def test_no_unit_is_delivered_to_two_who_are_each_to_have_one(task_id: str) -> None:
    delivered = Counter(c.item for c in get_task(task_id).spec.parts if isinstance(c, s.Delivered))
    assert [item for item, receivers in delivered.items() if receivers > 1] == []


def test_one_bow_that_goes_from_hand_to_hand_arms_one_archer() -> None:
    env = AgentWorldEnv(get_task("t72_fortress_defense"))
    env.reset(seed=0)
    for number in range(len(env.sim.names)):
        env.sim.place(number, 18, 15)
    bow = {"item": "woodenbow", "count": 1}
    for giver, taker in (("support1", "archer1"), ("archer1", "archer2")):
        while env.agent_selection != giver:
            env.step({"tool": "sleep", "arguments": {"rounds": 1}})
        env.step({"tool": "transfer_items", "arguments": {"to": taker, **bow}})
    assert [point.reached for point in env.verdict().checkpoints[:2]] == [False, True]


@pytest.mark.parametrize("task_id", ["t22_magical_defense", "t28_dark_forest_cleansing", "t29_castle_siege"])
def test_ground_that_is_to_be_held_after_a_kill_counts_only_after_it(task_id: str) -> None:
    points = get_task(task_id).spec.checkpoints
    holds = [c for c in points if isinstance(c, s.HeldForRounds)]
    assert len(holds) == 1
    assert holds[0].after in [c.label for c in points if isinstance(c, s.Killed)]


@pytest.mark.parametrize("task_id", IDS)
def test_what_is_crafted_to_be_worn_must_be_made_in_the_episode(task_id: str) -> None:
    points = get_task(task_id).spec.parts
    crafted = {c.item for c in points if isinstance(c, s.Crafted)}
    for c in points:
        if isinstance(c, s.Worn) and c.item in crafted:
            assert c.origin == "made", c.label


@pytest.mark.parametrize("task_id", IDS)
def test_no_agent_reaches_the_goal_alone_even_without_the_meetings(task_id: str) -> None:
    task = get_task(task_id)
    for name in task.team:
        assert not suffices(task, (name,), presence=False), name


@pytest.mark.parametrize("task_id", IDS)
def test_two_role_groups_and_half_of_all_are_necessary(task_id: str) -> None:
    task = get_task(task_id)
    necessary = [
        group
        for group, roles in task.groups.items()
        if not suffices(task, tuple(name for name in task.team if name not in roles))
    ]
    assert len(necessary) >= 2
    assert 2 * len(necessary) >= len(task.groups), necessary


@pytest.mark.parametrize("task_id", IDS)
def test_every_gatherer_is_told_of_a_kind_it_can_harvest_with_what_it_brings(task_id: str) -> None:
    task = get_task(task_id)
    for name, role in task.spec.team.items():
        brought = {task.world.items[key].tool for key in (*role.worn, *role.inventory)}
        for key in role.guide.nodes:
            node = task.world.node_kinds[key]
            assert role.skills.get(node.skill, 0) >= node.level, name
            assert node.tool is None or node.tool in brought, name


@pytest.mark.parametrize("task_id", IDS)
def test_everything_harvested_stands_within_sight_of_a_start_or_a_place_of_the_guide(task_id: str) -> None:
    task = get_task(task_id)
    world = task.world
    for name, role in task.spec.team.items():
        spots = [role.start, *((world.places[key].x, world.places[key].y) for key in role.guide.places)]
        for kind in role.guide.nodes:
            near = max(
                sum(world.nodes[i].kind == kind for _, i in world.nodes_near(x, y, 64)) for x, y in spots
            )
            assert near >= 4, (name, kind)
