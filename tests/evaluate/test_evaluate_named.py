"""Policies by name, and scoring of whole directories."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env import run_episode
from agentworld_env.errors import AgentWorldError, EpisodeFileError, ModelError, UnknownNameError
from agentworld_env.evaluate import (
    cce_records,
    each_sound,
    policy_by_name,
    policy_names,
    records_in,
    score_record,
)
from agentworld_env.evaluate.score import score_of
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies import Policy
from agentworld_env.policies.idle import IdlePolicy

TASK = "t01_magic_staff"


@pytest.mark.parametrize("name", ["idle", "random", "random_flat", "scripted", "human", "planner"])
def test_every_plain_name_gives_a_policy_of_that_name(name: str) -> None:
    policy = policy_by_name(name)
    assert isinstance(policy, Policy)
    assert policy.name == name
    assert name in policy_names()


def test_two_episodes_never_share_a_policy_object() -> None:
    assert policy_by_name("random") is not policy_by_name("random")


def test_a_mistyped_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean planner"):
        policy_by_name("planer")


def test_a_model_is_named_by_its_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    assert policy_by_name("local:http://127.0.0.1:1/v1#m").name == "local:m"
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        policy_by_name("openai:some-model")


def test_a_record_can_be_played_by_name(tmp_path: Path) -> None:
    original = run_episode(TASK, PlannerPolicy(), seed=2, out=tmp_path / "a.jsonl")
    again = run_episode(TASK, policy_by_name(f"replay:{original.path}"), seed=2)
    assert again.lines == original.lines
    assert again.footer == original.footer


def test_a_directory_stands_for_its_records_and_not_for_their_usage(tmp_path: Path) -> None:
    for seed in (2, 1):
        run_episode(TASK, IdlePolicy(), seed=seed, out=tmp_path)
    (tmp_path / "x.usage.jsonl").write_text("{}\n")
    (tmp_path / "notes.txt").write_text("")
    found = records_in([tmp_path])
    assert [path.name for path in found] == [f"{TASK}-idle-seed1.jsonl", f"{TASK}-idle-seed2.jsonl"]
    scores = [score_record(path) for path in found]
    assert [(score.seed, score.success, score.psr, score.rounds) for score in scores] == [
        (1, False, 0.0, 25),
        (2, False, 0.0, 25),
    ]


def test_nothing_to_score_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AgentWorldError, match="holds no episode records"):
        records_in([tmp_path])
    with pytest.raises(AgentWorldError, match="does not exist"):
        records_in([tmp_path / "missing"])


def test_a_mistyped_path_is_told_the_nearest_name_beside_it(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(AgentWorldError, match=r"rusn does not exist; did you mean \S*runs\?$"):
        records_in([tmp_path / "rusn"])


def test_an_incomplete_record_has_no_score(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    run_episode(TASK, IdlePolicy(), seed=1, out=path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(EpisodeFileError, match="expected a complete record, got 75 turns"):
        score_record(path)


def test_cce_takes_only_methods_that_exist(tmp_path: Path) -> None:
    episode = run_episode(TASK, PlannerPolicy(), seed=1, out=tmp_path)
    with pytest.raises(UnknownNameError, match="did you mean events"):
        cce_records([str(episode.path)], "event")
    (scored,) = cce_records([str(episode.path)], "events")
    assert scored.metrics == score_record(str(episode.path)).metrics


def test_records_in_directories_further_down_are_found_and_each_is_listed_once(tmp_path: Path) -> None:
    run_episode(TASK, IdlePolicy(), seed=1, out=tmp_path / "a" / "b")
    run_episode(TASK, IdlePolicy(), seed=2, out=tmp_path)
    (tmp_path / "dir.jsonl").mkdir()
    deep = tmp_path / "a" / "b" / f"{TASK}-idle-seed1.jsonl"
    found = records_in([tmp_path, deep, tmp_path / "a", tmp_path / "a" / ".." / "a" / "b"])
    assert found == [deep, tmp_path / f"{TASK}-idle-seed2.jsonl"]


def test_records_that_cannot_be_used_keep_none_of_the_others_from_being_read(tmp_path: Path) -> None:
    run_episode(TASK, IdlePolicy(), seed=1, out=tmp_path)
    for name in ("a", "z"):
        (tmp_path / f"{name}.jsonl").write_text("no record\n")
    good, bad = each_sound(records_in([tmp_path]), score_record)
    assert [score.seed for score in good] == [1]
    assert [Path(fault.path).name for fault in bad] == ["a.jsonl", "z.jsonl"]
    assert all(fault.error.startswith(fault.path) for fault in bad)


def test_an_episode_that_was_not_recorded_has_no_path() -> None:
    assert score_of(run_episode(TASK, IdlePolicy(), seed=1)).path is None
