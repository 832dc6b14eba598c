"""Records stay readable when task specifications get new fields with defaults, and in no other case."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentworld_env.episodes import Header, read_episode, task_of, verify
from agentworld_env.errors import EpisodeFileError
from agentworld_env.evaluate import records_in, run_episode, score_record
from agentworld_env.metrics import episode_metrics
from agentworld_env.tasks.task import hash_of

EXAMPLES = Path(__file__).parents[2] / "examples"
TASK = "t02_arrow_production"


def header_with(change: Callable[[dict[str, Any]], object], *, rehash: bool = True) -> Header:
    header = run_episode(TASK, "idle", seed=0, setting="short_horizon").header
    spec = msgspec.json.decode(msgspec.json.encode(header.spec))
    change(spec)
    return msgspec.structs.replace(header, spec=spec, task_hash=hash_of(spec) if rehash else header.task_hash)


def _without_fields(spec: dict[str, Any]) -> None:
    for each in (spec, *spec["checkpoints"], *spec["changes"]):
        for name in ("items", "numbers", "waves"):
            if name in each and not each[name]:
                del each[name]


def test_the_example_records_that_the_project_ships_are_scored() -> None:
    for path in records_in([EXAMPLES]):
        score_record(path)
    assert [path.name for path in records_in([EXAMPLES / "real_model"])] == [
        "t01_five_rounds-local-gemma3-270m-seed0.jsonl"
    ]


def test_a_record_whose_task_lacks_fields_that_have_defaults_is_the_same_task() -> None:
    older = header_with(_without_fields)
    assert "waves" not in older.spec
    assert task_of(older) == task_of(header_with(lambda spec: None))


def test_an_episode_with_such_a_header_re_simulates(tmp_path: Path) -> None:
    run_episode(TASK, "random", seed=3, out=tmp_path)
    episode = read_episode(next(tmp_path.glob("*.jsonl")))
    _without_fields(episode.header.spec)
    older = msgspec.structs.replace(episode.header, task_hash=hash_of(episode.header.spec))
    episode.header = older
    assert verify(episode, episode_metrics).verdict() == episode.verdict


def test_missing_fields_do_not_excuse_a_wrong_hash() -> None:
    header = header_with(_without_fields)
    with pytest.raises(EpisodeFileError, match="but the header says"):
        task_of(msgspec.structs.replace(header, task_hash="0" * 32))


def _reordered(spec: dict[str, Any]) -> None:
    spec["id"] = spec.pop("id")


def _surplus(spec: dict[str, Any]) -> None:
    spec["checkpoints"][0]["note"] = "x"


def _other_type(spec: dict[str, Any]) -> None:
    spec["growth"] = 0


def _no_default(spec: dict[str, Any]) -> None:
    del spec["title"]


@pytest.mark.parametrize("change", [_reordered, _surplus, _other_type, _no_default])
def test_reordered_surplus_retyped_or_necessary_fields_are_refused(
    change: Callable[[dict[str, Any]], object],
) -> None:
    with pytest.raises(EpisodeFileError, match="'spec'"):
        task_of(header_with(change, rehash=False))
