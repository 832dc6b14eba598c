"""What a team without success had come to: its episode is played on, and what the rest then rests on contributes.

The expected sets are worked out by hand. A log gives four sticks, and bags are first in, first out.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any
from weakref import ref

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.metrics.planted import REDUNDANT, USELESS, plant_episode

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, make_footer, make_header, play_turn, skip_departed
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate import run_episode
from agentworld_env.evaluate.causal import cce_of, verified_record
from agentworld_env.metrics import (
    Method,
    continued_trace,
    episode_metrics,
    events_finding,
    findings,
    partial_trace,
)
from agentworld_env.metrics.continuation import _Play, play_on, played_on
from agentworld_env.sim import Simulation
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task
from agentworld_env.verifiers import Verifier
from agentworld_env.world import load_world

Call = dict[str, Any]
CAMP = (388, 3)
WAIT: Call = {"tool": "sleep", "arguments": {"rounds": 1}}
VAIN: Call = {"tool": "harvest_resource", "arguments": {"target": "nothing"}}


def call(tool: str, **arguments: Any) -> Call:
    return {"tool": tool, "arguments": arguments}


def hand(start: tuple[int, int] = CAMP, **fields: Any) -> dict[str, Any]:
    return {"about": "A hand.", "group": "hands", "start": start, **fields}


CUTTER = hand(skills={"lumberjacking": 25, "health": 20}, worn=("axe",))
CARVER = hand(skills={"fletching": 15, "health": 20})
BINDER = hand((CAMP[0] + 1, CAMP[1]), skills={"health": 20})


def sticks(count: int) -> dict[str, Any]:
    return {"kind": "delivered", "label": "Sticks", "item": "stick", "count": count, "to": "binder"}


def task(team: dict[str, Any], *points: dict[str, Any], rounds: int = 5, **fields: Any) -> Task:
    return Task(
        TaskSpec.model_validate(
            {
                "id": "short",
                "title": "Short",
                "category": "crafting",
                "max_rounds": rounds,
                "objective": "Too much for the time.",
                "team": team,
                "checkpoints": points,
                **fields,
            }
        )
    )


def chain(count: int = 4, **fields: Any) -> Task:
    """A cutter, a carver and a binder, who is to get sticks."""
    return task({"cutter": CUTTER, "carver": CARVER, "binder": BINDER}, sticks(count), **fields)


def started(task: Task) -> AgentWorldEnv:
    env = AgentWorldEnv(task)
    env.reset(seed=3)
    return env


def oaks(env: AgentWorldEnv) -> list[str]:
    me = env.sim.state.agents[0]
    near = [
        number for _, number in env.sim.world.nodes_near(me.x, me.y, 30) if env.sim.node_ready(number) <= 1
    ]
    return [env.sim.world.nodes[n].id for n in near if env.sim.world.nodes[n].kind == "oak"]


def cut(env: AgentWorldEnv, times: int) -> list[Call]:
    return [call("harvest_resource", target=target) for target in oaks(env)[:times]]


def to(env: AgentWorldEnv, agent: int) -> Call:
    """Returns the way to where an agent stands."""
    other = env.sim.state.agents[agent]
    return call("move_character", x=other.x, y=other.y)


def played(env: AgentWorldEnv, **scripts: list[Call]) -> Episode:
    """Plays scripts, one call per agent and round, waiting once a script is over."""
    left = {agent: list(scripts.get(agent, ())) for agent in env.possible_agents}
    lines = []
    while skip_departed(env):
        script = left[env.agent_selection]
        made = script.pop(0) if script else WAIT
        lines.append(play_turn(env, made))
        assert lines[-1].result.ok == (made != VAIN), lines[-1].result
    assert not any(left.values())
    header = make_header(env.task, seed=3, setting="default", policy={"name": "scripts"})
    episode = Episode(header=header, lines=lines)
    episode.footer = make_footer(env, {})
    assert not env.verdict().success
    return episode


def told(episode: Episode, env: AgentWorldEnv, method: Method = "events") -> list[str]:
    """Returns what contributed, as "agent tool" in order."""
    lines = [episode.lines[number] for number in partial_trace(episode, env, method).contributing]
    return [f"{line.agent} {line.call['tool']}" for line in lines]


@pytest.mark.parametrize(("count", "needed"), [(4, 1), (5, 2), (8, 2), (12, 3), (40, 3)])
def test_of_materials_that_no_checkpoint_counts_the_oldest_units_still_needed_count(
    count: int, needed: int
) -> None:
    env = started(chain(count))
    episode = played(env, cutter=cut(env, 3))
    cuts = [line.action for line in episode.lines if line.agent == "cutter" and line.call["tool"] != "sleep"]
    trace = partial_trace(episode, env)
    assert list(trace.contributing) == cuts[:needed]
    figures = episode_metrics(episode, env)
    assert (figures["cce"], set(figures["pac"].values())) == (0.0, {0.0})
    assert figures["partial"] == needed / 15
    assert figures["pac_partial"] == {"cutter": needed / 5, "carver": 0.0, "binder": 0.0}
    assert figures["pac_active"] == {"cutter": needed / 3, "carver": None, "binder": None}


def test_what_was_made_of_materials_counts_with_all_that_led_to_it() -> None:
    env = started(chain())
    episode = played(
        env,
        cutter=[*cut(env, 1), to(env, 1), call("transfer_items", to="carver", item="logs", count=1)],
        carver=[WAIT, WAIT, call("craft_item", skill="fletching", item="stick", count=1), VAIN],
        binder=[VAIN, VAIN],
    )
    assert told(episode, env) == [
        "cutter harvest_resource",
        "cutter move_character",
        "cutter transfer_items",
        "carver craft_item",
    ]


def test_of_start_items_nobodys_work_is_made() -> None:
    team = {"cutter": CUTTER, "carver": {**CARVER, "inventory": {"logs": 1}}, "binder": BINDER}
    env = started(task(team, sticks(4)))
    episode = played(env, cutter=cut(env, 2))
    assert told(episode, env) == []


def test_a_hand_over_counts_as_far_as_the_rest_rests_on_it_and_not_once_it_was_returned() -> None:
    env = started(chain())
    away = call("transfer_items", to="binder", item="logs", count=1)
    stray = played(env, cutter=[*cut(env, 1), to(env, 2), away])
    assert {"cutter harvest_resource", "cutter transfer_items"} <= set(told(stray, env))
    env = started(chain())
    back = call("transfer_items", to="cutter", item="logs", count=1)
    returned = played(env, cutter=[*cut(env, 1), to(env, 2), away], binder=[WAIT, WAIT, back])
    assert "cutter harvest_resource" in told(returned, env)
    assert not any("transfer_items" in one for one in told(returned, env))


@pytest.mark.parametrize("count", [1, 2])
def test_what_a_delivery_asks_for_is_taken_from_what_is_there_and_no_more_than_that(count: int) -> None:
    logs = {"kind": "delivered", "label": "Logs", "item": "logs", "count": count, "to": "carver"}
    env = started(task({"cutter": CUTTER, "carver": CARVER}, logs))
    episode = played(env, cutter=cut(env, 3))
    cuts = [line.action for line in episode.lines if line.call["tool"] == "harvest_resource"]
    assert list(partial_trace(episode, env).contributing) == cuts[:count]
    assert not any(line.call["tool"] == "harvest_resource" for line in play_on(env).lines)


def test_gear_put_on_counts_if_what_is_left_needs_it() -> None:
    cutter = {**CUTTER, "worn": (), "inventory": {"axe": 1, "leatherboots": 1}}
    env = started(task({"cutter": cutter, "carver": CARVER, "binder": BINDER}, sticks(4)))
    episode = played(
        env, cutter=[call("equip_item", item="leatherboots"), call("equip_item", item="axe"), VAIN]
    )
    trace = partial_trace(episode, env)
    assert [episode.lines[n].call["arguments"] for n in trace.contributing] == [{"item": "axe"}]


def test_a_walk_towards_a_far_place_counts_and_one_that_has_to_be_undone_does_not() -> None:
    """The place lies further away than one walk leads, so that the first walk towards it spares another one."""
    place = load_world().places["mountain-mine"]
    far = {"kind": "visited", "label": "Seen", "area": {"at": (place.x, place.y), "within": 3}}
    team = {
        "east": hand((CAMP[0], CAMP[1] + 3), skills={"health": 30}),
        "west": hand((CAMP[0] - 2, CAMP[1] + 3), skills={"health": 30}),
    }
    env = started(task(team, far, rounds=2))
    towards = call("move_character", x=300, y=20)
    off = call("move_character", x=389, y=10)
    episode = played(env, east=[towards], west=[off])
    assert told(episode, env) == ["east move_character"]


def test_damage_that_stands_counts_and_damage_that_was_undone_does_not() -> None:
    world = load_world()
    golem = next(spawn for spawn in world.mob_spawns if spawn.id == "stonegolem-0002")
    fighter = hand((golem.x, golem.y + 3), skills={"strength": 30, "accuracy": 60, "health": 60})
    felled = {"kind": "killed", "label": "Felled", "mob": "stonegolem"}
    blow = call("attack_entity", target=golem.id)
    env = started(task({"fighter": fighter, "other": fighter}, felled, rounds=1))
    standing = played(env, fighter=[blow])
    assert env.sim.state.mobs, "the golem still stands, and is hurt"
    assert told(standing, env) == ["fighter attack_entity"]
    ogre = world.named_spawns["iron-ogre-1"]
    assert ogre.team > 1
    fighter = hand((ogre.x, ogre.y + 3), skills={"strength": 50, "accuracy": 60, "health": 90})
    felled = {"kind": "killed", "label": "Felled", "mob": ogre.id}
    env = started(
        task({"a": fighter, "b": fighter, "c": fighter, "d": fighter}, felled, rounds=1, spawns=[ogre.id])
    )
    undone = played(env, a=[call("attack_entity", target=ogre.id)])
    assert told(undone, env) == []


def test_who_has_left_comes_back_and_who_has_died_gets_up_with_its_things() -> None:
    env = started(chain())
    left = played(env, cutter=[*cut(env, 1), call("complete", response="done")])
    assert told(left, env) == ["cutter harvest_resource"]
    ogre = load_world().named_spawns["iron-ogre-1"]
    miner = hand((ogre.x - 8, ogre.y - 9), skills={"mining": 40, "health": 2}, worn=("pickaxe",))
    smith = hand((ogre.x - 9, ogre.y - 9), skills={"smithing": 10, "health": 2})
    ore = {"kind": "delivered", "label": "Coal", "item": "coal", "count": 1, "to": "smith"}
    alive = {"kind": "all_alive"}
    env = started(
        task({"miner": miner, "smith": smith}, ore, rounds=9, spawns=[ogre.id], constraints=[alive])
    )
    me = env.sim.state.agents[0]
    rock = next(
        env.sim.world.nodes[number]
        for _, number in env.sim.world.nodes_near(me.x, me.y, 60)
        if env.sim.node_ready(number) <= 1 and env.sim.world.nodes[number].kind == "coalrock"
    )
    fallen = played(
        env,
        miner=[call("harvest_resource", target=rock.id), call("attack_entity", target=ogre.id)],
        smith=[VAIN],
    )
    assert [rule.held for rule in env.verdict().constraints] == [False]
    # It gets up where it fell, so that the call that led it there may count as its walk to where it hands the coal on.
    assert told(fallen, env)[0] == "miner harvest_resource"


def test_what_is_played_on_rests_on_no_message() -> None:
    env = started(chain())
    episode = played(env, cutter=cut(env, 1), binder=[call("chat", message="carver: make a stick of logs")])
    assert told(episode, env, "events+chat") == ["cutter harvest_resource"]


def test_where_nobody_can_go_on_what_checkpoints_have_counted_still_contributes() -> None:
    logs = {"kind": "gathered", "label": "Logs", "item": "logs", "count": 2}
    forged = {"kind": "crafted", "label": "Axe", "item": "axe", "count": 1}
    env = started(task({"cutter": CUTTER, "carver": CARVER}, logs, forged, rounds=4))
    episode = played(env, cutter=cut(env, 3))
    assert not play_on(env).complete
    assert told(episode, env) == ["cutter harvest_resource"] * 2


def only_five_rounds(sim: Simulation) -> bool:
    """A checkpoint of somebody's own that was written for the rounds of its task."""
    return bool(
        ["first", "second", "third", "fourth", "fifth", "after the last"][sim.state.round - 1] == "ten"
    )


OWN = {"kind": "python", "label": "Own", "function": f"{__name__}:only_five_rounds"}


def test_a_checkpoint_that_raises_when_played_on_ends_only_the_playing_on() -> None:
    logs = {"kind": "gathered", "label": "Logs", "item": "logs", "count": 40}
    env = started(task({"cutter": CUTTER}, logs, OWN))
    episode = played(env, cutter=[*cut(env, 1), VAIN])
    onward = play_on(env)
    assert onward.failure == "IndexError: list index out of range"
    assert {line.round for line in onward.lines} == {6}
    assert not onward.complete
    # The log was counted by a checkpoint, reached or not.
    assert told(episode, env) == ["cutter harvest_resource"]
    assert episode_metrics(episode, env)["partial"] == pytest.approx(1 / 5)


def test_a_fault_of_a_shipped_checkpoint_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    env = started(chain())
    played(env)

    def broken(self: Verifier) -> bool:
        raise IndexError("a fault")

    monkeypatch.setattr(Verifier, "update", broken)
    with pytest.raises(IndexError, match="a fault"):
        play_on(env)


def test_figures_of_a_failed_task_with_own_code_need_leave_unless_there_is_an_environment() -> None:
    logs = {"kind": "gathered", "label": "Logs", "item": "logs", "count": 40}
    env = started(task({"cutter": CUTTER}, logs, OWN))
    episode = played(env, cutter=cut(env, 1))
    with pytest.raises(AgentWorldError, match="which only the caller can allow"):
        episode_metrics(episode)
    assert episode_metrics(episode, allow_python=True) == episode_metrics(episode, env)


def test_so_many_calls_are_played_on_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    env = started(chain(20))
    episode = played(env, cutter=cut(env, 1))
    whole = play_on(env)
    assert len(whole.lines) > 10
    monkeypatch.setattr("agentworld_env.metrics.continuation._CALLS", 10)
    onward = play_on(env)
    assert onward.lines == whole.lines[:10]
    assert not onward.complete
    # No stick has reached the binder by then, so that nothing that was done has served anything.
    assert told(episode, env) == []


def test_playing_on_leaves_the_environment_alone_and_always_comes_out_the_same() -> None:
    env = started(chain(20))
    episode = played(env, cutter=cut(env, 3))
    before = env.state_hash()
    first, second = play_on(env), play_on(env)
    assert env.state_hash() == before
    assert first == second
    assert first.complete
    assert [line.action for line in first.lines] == list(
        range(len(episode.lines), first.lines[-1].action + 1)
    )
    onward, trace = continued_trace(episode, env)
    assert onward == first
    assert trace.contributing[-1] >= len(episode.lines)
    assert events_finding(episode).trace == partial_trace(episode, env)


@pytest.mark.parametrize("method", ["events", "events+chat"])
def test_a_failure_is_not_simulated_again_where_its_environment_is_at_hand(
    method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = started(chain())
    episode = played(env, cutter=cut(env, 2))
    alone = findings([episode], method)
    monkeypatch.setattr("agentworld_env.metrics.finding.resimulate", None)
    assert findings([episode], method, envs=[env]) == alone
    assert alone[0].trace.contributing
    assert episode_metrics(episode, env, method=method)["partial"] > 0


def test_an_episode_under_way_is_played_on_from_the_turn_it_stands_at() -> None:
    env = started(chain())
    env.step(cut(env, 1)[0])
    onward = play_on(env)
    assert onward.complete
    assert (onward.lines[0].agent, onward.lines[0].round, onward.lines[0].action) == ("carver", 1, 1)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 100_000), kinds=st.sampled_from((USELESS, REDUNDANT, USELESS + REDUNDANT)))
def test_in_successes_partial_is_cce(seed: int, kinds: tuple[str, ...]) -> None:
    made = plant_episode(seed, kinds)
    assume(made is not None)
    assert made is not None
    figures = episode_metrics(made.episode, made.env)
    assert figures["success"]
    assert figures["cce"] > 0
    assert figures["partial"] == figures["cce"]
    assert figures["pac_partial"] == figures["pac"]


@settings(max_examples=40, deadline=None)
@given(
    made=st.integers(0, 3),
    count=st.integers(1, 20),
    vain=st.sets(st.tuples(st.sampled_from(("cutter", "carver", "binder")), st.integers(0, 5))),
)
def test_calls_in_vain_never_change_what_contributes_and_never_raise_a_share(
    made: int, count: int, vain: set[tuple[str, int]]
) -> None:
    env = started(chain(count, rounds=6))
    script = cut(env, made)
    lean = played(env, cutter=script)
    figures = episode_metrics(lean, env)
    fat_env = started(chain(count, rounds=6))
    scripts = {agent: [WAIT] * 6 for agent in ("cutter", "carver", "binder")}
    scripts["cutter"][: len(script)] = script
    for agent, place in vain:
        if scripts[agent][place] == WAIT:
            scripts[agent][place] = VAIN
    fat = played(fat_env, **scripts)
    more = episode_metrics(fat, fat_env)
    assert partial_trace(fat, fat_env).contributing == partial_trace(lean, env).contributing
    assert more["partial"] == figures["partial"]
    for agent, share in figures["pac_active"].items():
        assert share is None or more["pac_active"][agent] <= share


def test_figures_by_several_methods_let_the_planner_play_on_once_per_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages: list[AgentWorldEnv] = []
    begin = _Play.__init__

    def counted(self: Any, stage: AgentWorldEnv, read: int) -> None:
        stages.append(stage)
        begin(self, stage, read)

    episode = run_episode("t01_magic_staff", "idle", seed=1, out=tmp_path)
    assert episode.path is not None
    monkeypatch.setattr(_Play, "__init__", counted)
    record = verified_record(episode.path)
    for method in ("events", "events+chat"):
        assert cce_of([record], method)[0].metrics["cce"] == 0
        assert len(findings([record.episode], method, envs=[record.env])) == 1
    assert len(stages) == 1
    again = played_on(record.env)
    assert played_on(record.env) == again
    # At another moment of the same environment it is another play, and afterwards it is the first one again.
    end = record.env.snapshot()
    record.env.reset(seed=1)
    assert played_on(record.env).lines[0].round == 1
    record.env.restore(end)
    assert played_on(record.env) == again
    assert len(stages) == 3


def test_what_was_played_on_is_let_go_with_its_environment() -> None:
    env = started(chain())
    played(env)
    played_on(env)
    kept = ref(env)
    del env
    gc.collect()
    assert kept() is None
