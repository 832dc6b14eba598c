"""The metrics over episodes of the real simulator."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.bench_cce import blame
from tests.metrics.noisy import NoisyPlanner

from agentworld_env import run_episode
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, make_header, play_turn, skip_departed
from agentworld_env.metrics import episode_metrics
from agentworld_env.tasks import get_task

Call = dict[str, Any]
WAIT: Call = {"tool": "sleep", "arguments": {}}


def _call(tool: str, **arguments: Any) -> Call:
    return {"tool": tool, "arguments": arguments}


def _oaks(env: AgentWorldEnv) -> list[str]:
    """Returns the oaks that give now, nearest to the lumberjack first."""
    me = env.sim.state.agents[0]
    rows = env.sim.world.nodes_near(me.x, me.y, 40)
    ready = [i for _, i in rows if env.sim.node_ready(i) <= 1]
    return [env.sim.world.nodes[i].id for i in ready if env.sim.world.nodes[i].kind == "oak"]


def _play(scripts: dict[str, list[Call]], env: AgentWorldEnv, seed: int) -> Episode:
    """Plays scripts, one call per agent and round, waiting once a script is over."""
    lines = []
    left = {agent: list(script) for agent, script in scripts.items()}
    while skip_departed(env):
        script = left[env.agent_selection]
        lines.append(play_turn(env, script.pop(0) if script else WAIT))
    header = make_header(env.task, seed=seed, setting="default", policy={})
    return Episode(header=header, lines=lines)


def _staff(extra: list[Call], returns: int = 0) -> tuple[Episode, AgentWorldEnv]:
    """Plays the staff task; the lumberjack does something extra first, and the logs go back so many times."""
    env = AgentWorldEnv(get_task("t01_magic_staff"))
    env.reset(seed=1)
    oaks = _oaks(env)
    bench = env.sim.state.agents[1]
    home = _call("move_character", x=bench.x, y=bench.y)
    shop = env.sim.state.agents[2]
    scripts = {
        "lumberjack": [
            *extra,
            _call("harvest_resource", target=oaks[0]),
            _call("harvest_resource", target=oaks[1]),
            home,
            *[_call("transfer_items", to="woodworker", item="logs", count=2)] * (1 + returns),
        ],
        "woodworker": [
            *([WAIT] * (len(extra) + 3)),
            *[_call("transfer_items", to="lumberjack", item="logs", count=2)] * returns,
            WAIT,
            _call("craft_item", skill="fletching", item="stick", count=1),
            _call("craft_item", skill="fletching", item="stick", count=1),
            _call("move_character", x=shop.x, y=shop.y),
            _call("transfer_items", to="wizard", item="stick", count=5),
        ],
        "wizard": [
            *([WAIT] * (len(extra) + 8 + returns)),
            _call("craft_item", skill="crafting", item="staff", count=1),
            _call("equip_item", item="staff"),
        ],
    }
    return _play(scripts, env, 1), env


def test_in_a_scripted_staff_task_all_that_the_chain_needs_contributes() -> None:
    episode, env = _staff([])
    figures = episode_metrics(episode, env)
    assert figures["success"], env.verdict()
    needed = {"harvest_resource": 2, "craft_item": 3, "transfer_items": 2, "equip_item": 1}
    # Whether the two walks were needed hangs on the start tiles; everything else was.
    assert sum(needed.values()) <= figures["contributing"] <= sum(needed.values()) + 2
    assert figures["success_actions"] == 8
    assert all(share > 0 for share in figures["pac"].values())


@pytest.mark.parametrize(
    "extra",
    [
        [WAIT],
        [_call("harvest_resource", target="nothing")],
        [_call("equip_item", item="axe"), _call("equip_item", item="axe")],
    ],
    ids=["wait", "failure", "axe off and on"],
)
def test_useless_calls_in_a_real_episode_lower_cce(extra: list[Call]) -> None:
    lean, lean_env = _staff([])
    fat, fat_env = _staff(extra)
    before, after = episode_metrics(lean, lean_env), episode_metrics(fat, fat_env)
    assert before["success"]
    assert after["success"]
    assert after["contributing"] == before["contributing"]
    assert after["cce"] < before["cce"]


@pytest.mark.parametrize("returns", [1, 4])
def test_handing_the_logs_back_and_giving_them_again_lowers_cce(returns: int) -> None:
    lean, lean_env = _staff([])
    fat, fat_env = _staff([], returns)
    before, after = episode_metrics(lean, lean_env), episode_metrics(fat, fat_env)
    assert after["success"]
    assert after["handovers"] == before["handovers"] + 2 * returns
    assert after["contributing"] == before["contributing"]
    assert after["cce"] < before["cce"]


def test_an_idle_team_fails_with_cce_nought() -> None:
    env = AgentWorldEnv(get_task("t01_magic_staff"))
    env.reset(seed=2)
    episode = _play({name: [] for name in env.possible_agents}, env, 2)
    figures = episode_metrics(episode, env)
    assert (figures["success"], figures["cce"], figures["contributing"]) == (False, 0.0, 0)
    assert figures["idle_share"] == 1.0


@pytest.mark.parametrize("task", ["t51_survival_challenge", "t64_ice_expedition"])
def test_a_team_with_one_random_agent_has_a_far_lower_cce_and_its_figures_point_at_that_agent(
    task: str,
) -> None:
    whole = _metrics(run_episode(task, NoisyPlanner(0), seed=0))
    assert whole["cce_active"] >= 0.9
    active = [agent for agent, share in whole["pac"].items() if share]
    spoilt = {agent: _metrics(run_episode(task, NoisyPlanner(100, agent), seed=0)) for agent in active}
    assert sum(metrics["cce"] for metrics in spoilt.values()) / len(spoilt) < whole["cce"] / 2
    blamed = sum(max(m["aimless"], key=m["aimless"].__getitem__) == agent for agent, m in spoilt.items())
    assert blamed >= len(active) - 1
    assert sum(blame(metrics, agent) != "" for agent, metrics in spoilt.items()) >= len(active) - 1
    for agent, metrics in spoilt.items():
        if metrics["success"]:
            shares = {name: share for name, share in metrics["pac_active"].items() if share is not None}
            assert min(shares, key=shares.__getitem__) == agent


def _metrics(episode: Episode) -> dict[str, Any]:
    assert episode.footer is not None
    return episode.footer.metrics
