from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report.replays import in_force

from agentworld_env import run_episode
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, TurnLine, resimulate
from agentworld_env.errors import EpisodeFileError
from agentworld_env.evaluate import cce_of, verified_record
from agentworld_env.report.replay import replay
from agentworld_env.report.replay.data import replay_data
from agentworld_env.sim.state import ACTIVE

SMALL = "t01_magic_staff"


def moment_of(env: AgentWorldEnv) -> dict[str, Any]:
    """Returns how things stand, read straight from the state."""
    state = env.sim.state
    return {
        "round": state.round,
        "agents": [[a.x, a.y, a.hp, a.mana] for a in state.agents],
        "asleep": [a.status == ACTIVE and a.asleep > 0 for a in state.agents],
        "bags": [
            ({item: a.count(item) for item in a.bag}, {slot: piece[0] for slot, piece in a.worn.items()})
            for a in state.agents
        ],
        "mobs": {
            env.sim.spec(n).id: [m.x, m.y, m.hp, m.target, int(not m.dead_until)]
            for n, m in state.mobs.items()
        },
        "ready": {env.sim.world.nodes[n].id: ready for n, ready in state.nodes.items()},
        "lying": {key: [item, x, y] for key, (item, _, x, y) in state.ground.items()},
        "points": [[point.have, int(point.reached)] for point in env.verdict().checkpoints],
        "psr": env.verdict().psr,
    }


def shown_at(data: dict[str, Any], moment: int, like: dict[str, Any]) -> dict[str, Any]:
    """Returns how a page says things stood, of the same things."""
    changes = data["changes"]
    team = range(len(data["agents"]))
    mob_row = {row[0]: i for i, row in enumerate(data["mobs"])}
    node_row = {row[0]: i for i, row in enumerate(data["nodes"])}
    agents = [in_force(changes["agents"], i, moment) for i in team]
    assert all(agents)
    steps = data["steps"]
    return {
        "round": steps[moment]["round"] if moment < len(steps) else data["last_round"],
        "agents": [row[:4] for row in agents if row],
        "asleep": [row[4] == 3 for row in agents if row],
        "bags": [tuple(in_force(changes["bags"], i, moment) or ()) for i in team],
        "mobs": {key: in_force(changes["mobs"], mob_row[key], moment) for key in like["mobs"]},
        "ready": {
            key: (in_force(changes["nodes"], node_row[key], moment) or [None])[0] for key in like["ready"]
        },
        "lying": {
            key: [item, x, y]
            for key, item, _, x, y, first, gone in data["ground"]
            if first <= moment and (gone < 0 or moment < gone)
        },
        "points": [in_force(changes["points"], i, moment) for i in range(len(data["points"]))],
        "psr": [psr for since, psr in changes["psr"] if since <= moment][-1],
    }


@settings(max_examples=6, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    task=st.sampled_from([SMALL, "t86_forge_vanguard", "t26_desert_caravan", "t98_mining_conglomerate"]),
)
def test_a_page_shows_at_every_moment_what_the_simulation_held(seed: int, task: str) -> None:
    moments: list[dict[str, Any]] = []

    def note(line: TurnLine, env: AgentWorldEnv) -> None:
        moments.append(moment_of(env))

    episode = run_episode(task, "random", seed=seed, on_turn=note)
    data = replay_data(episode)
    assert len(data["steps"]) == len(moments) == len(episode.lines)
    for k in range(0, len(moments), max(1, len(moments) // 25)):
        held = moments[k]
        shown = shown_at(data, k + 1, held)
        if k + 1 < len(moments):
            # If everybody sleeps through a round, the page counts the round of the next call.
            assert shown.pop("round") == episode.lines[k + 1].round
            held.pop("round")
        assert shown == held


@pytest.fixture(scope="module")
def won() -> Episode:
    return run_episode(SMALL, "scripted", seed=0)


def test_moment_zero_is_the_start(won: Episode) -> None:
    data = replay_data(won)
    env = AgentWorldEnv(resimulate(won).source)
    env.reset(seed=0)
    start = moment_of(env)
    assert shown_at(data, 0, start) == start


def test_a_turn_shows_the_very_text_its_agent_was_shown(won: Episode) -> None:
    seen: list[str] = []

    class Again:
        name = "again"

        def begin(self, briefs: Any, seed: int) -> None:
            self.calls = iter(line.call for line in won.lines)

        def act(self, turn: Any) -> Any:
            seen.append(str(turn.observation))
            return next(self.calls)

    run_episode(SMALL, Again(), seed=0)
    data = replay_data(won)
    told = ["\n".join(data["lines"][number] for number in step["shown"]) for step in data["steps"]]
    assert told == seen
    assert len(data["lines"]) == len(set(data["lines"]))


def test_the_causal_path_is_that_of_the_events_method(won: Episode, tmp_path: Any) -> None:
    run_episode(SMALL, "scripted", seed=0, out=tmp_path / "a.jsonl")
    (score,) = cce_of([verified_record(tmp_path / "a.jsonl")])
    data = replay_data(won)
    assert data["cce"] == score.metrics["cce"]
    assert data["cce"] == pytest.approx(len(data["path"]) / sum(won.footer.turns.values()))  # type: ignore[union-attr]
    known = {edge[0] for edge in data["edges"] if edge[3]} | {edge[1] for edge in data["edges"] if edge[3]}
    assert known <= set(data["path"])
    assert set(data["success"]) <= set(data["path"])


def test_walks_lead_from_where_the_agent_was_to_where_it_is() -> None:
    data = replay_data(run_episode("t86_forge_vanguard", "random", seed=3))
    walks = 0
    for k, step in enumerate(data["steps"]):
        for way in step.get("ways", ())[:1]:
            before = in_force(data["changes"]["agents"], step["agent"], k)
            assert before is not None
            assert way[:2] == before[:2]
            corners = list(zip(way[::2], way[1::2], strict=True))
            portal = "went through" in step["outcome"]
            assert portal or all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(corners))
            walks += 1
    assert walks > 20


def test_everything_shown_stands_within_the_land_shown() -> None:
    data = replay_data(run_episode("t86_forge_vanguard", "random", seed=3))
    x0, y0, x1, y1 = data["land"]["box"]
    for kind, column in (("people", 3), ("portals", 1), ("places", 2), ("nodes", 3), ("ground", 3)):
        assert all(x0 <= row[column] <= x1 and y0 <= row[column + 1] <= y1 for row in data[kind])
    assert all(x0 <= row[2] <= x1 and y0 <= row[3] <= y1 for row in data["changes"]["agents"])


def test_an_unfinished_record_is_shown_as_far_as_it_goes(won: Episode) -> None:
    begun = Episode(header=won.header, lines=won.lines[:7])
    data = replay_data(begun)
    assert (data["about"]["complete"], len(data["steps"])) == (False, 7)
    assert "not over" in repr(begun)
    empty = replay_data(Episode(header=won.header, lines=[]))
    assert (empty["steps"], empty["path"]) == ([], [])


def test_a_record_that_does_not_follow_from_the_rules_is_not_shown(won: Episode) -> None:
    import msgspec

    line = won.lines[3]
    forged = msgspec.structs.replace(line, hash="0" * 32)
    with pytest.raises(EpisodeFileError, match="turn 3"):
        replay(Episode(header=won.header, lines=[*won.lines[:3], forged, *won.lines[4:]], footer=won.footer))
    footer = won.footer
    assert footer is not None
    with pytest.raises(EpisodeFileError, match="footer"):
        replay(
            Episode(
                header=won.header,
                lines=won.lines,
                footer=msgspec.structs.replace(footer, actions=footer.actions + 1),
            )
        )


@pytest.mark.parametrize(
    "setting", ["single_agent", "no_roles", "no_communication", "shared_plan", "oracle_view"]
)
def test_every_kind_of_setting_can_be_watched(setting: str) -> None:
    episode = run_episode(SMALL, "random", seed=1, setting=setting)
    data = replay_data(episode)
    assert [agent["name"] for agent in data["agents"]] == list(episode.team)
    assert data["about"]["setting"] == setting
    assert ("The team's plan" in data["agents"][0]["guide"]) == (setting == "shared_plan")
