"""A worker of a Ray cluster, asked as Ray asks it; Ray itself is not needed for that."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.evaluate.running import THREE, manifest_for, play, records

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate import ray_cluster
from agentworld_env.evaluate.folder import RunFolder
from agentworld_env.evaluate.manifest import NAME
from agentworld_env.evaluate.ray_cluster import Worker
from agentworld_env.evaluate.runner import Job, Limits
from agentworld_env.evaluate.share import shares_of

JOBS = [Job(0, 0)]


def begun(folder: Path) -> bytes:
    with RunFolder(folder) as run:
        run.begin(manifest_for("idle", THREE[:1], setting="short_horizon"))
    return (folder / NAME).read_bytes()


def worker_in(folder: Path, manifest: bytes) -> Worker:
    return Worker(0, 1, str(folder), manifest, msgspec.json.encode(Limits()), JOBS)


def news_of(worker: Worker, **versions: str) -> list[tuple[Any, ...]]:
    async def listen() -> list[tuple[Any, ...]]:
        heard: list[tuple[Any, ...]] = []
        while not heard or heard[-1][0] not in ("end", "error"):
            heard += await worker.news({**ray_cluster._VERSIONS, **versions})
        return heard

    return asyncio.run(listen())


def test_a_worker_writes_the_records_that_a_run_here_writes(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    heard = news_of(worker_in(there, begun(there)))
    assert [news[0] for news in heard if news[0] != "pulse"] == ["episode", "end"]
    play("idle", here, THREE[:1], setting="short_horizon")
    assert records(there) == records(here)


def test_a_worker_that_does_not_see_the_folder_says_so_and_plays_nothing(tmp_path: Path) -> None:
    manifest = begun(tmp_path / "run")
    ((kind, number, said),) = news_of(worker_in(tmp_path / "elsewhere", manifest))
    assert (kind, number) == ("error", 0)
    assert "does not see the run" in said
    assert "the folder must be one that all machines share" in said
    assert not (tmp_path / "elsewhere").exists()


def test_a_worker_that_sees_another_run_under_the_same_path_plays_nothing(tmp_path: Path) -> None:
    begun(tmp_path)
    ((kind, _, said),) = news_of(worker_in(tmp_path, b'{"another": "run"}'))
    assert (kind, "does not see the run" in said) == ("error", True)
    assert records(tmp_path) == {}


def test_a_worker_with_other_rules_plays_nothing_and_names_both_versions(tmp_path: Path) -> None:
    ((kind, _, said),) = news_of(worker_in(tmp_path, begun(tmp_path)), rules="99")
    assert kind == "error"
    assert "it has rules 1" in said
    assert "rules 99" in said
    assert records(tmp_path) == {}


def test_a_mistake_in_the_program_is_told_and_leaves_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise KeyError("a mistake")

    monkeypatch.setattr(ray_cluster, "play_share", broken)
    worker = worker_in(tmp_path, begun(tmp_path))
    with pytest.raises(KeyError, match="a mistake"):
        asyncio.run(asyncio.wait_for(worker.news(ray_cluster._VERSIONS), 5))


def test_without_ray_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(AgentWorldError, match=r"pip install '\.\[ray\]'"):
        play("idle", tmp_path, THREE[:1], Limits(executor="ray"))


@pytest.mark.parametrize(
    ("model", "concurrency", "most", "expected"),
    [
        ("idle", 1, 4, 4),  # nothing is in flight, so nothing limits the shares
        ("local:http://127.0.0.1:1/v1#x", 2, 4, 2),
        ("local:http://127.0.0.1:1/v1#x", 64, 4, 4),
        ("idle", 64, 100, 6),  # no share without an episode
    ],
)
def test_every_episode_is_in_one_share_and_no_share_is_empty(
    model: str, concurrency: int, most: int, expected: int
) -> None:
    manifest = manifest_for(model, THREE, trials=2)
    shares = shares_of(manifest, Limits(concurrency=concurrency), most)
    assert len(shares) == expected
    assert sorted(job for share in shares for job in share) == [Job(t, s) for t in range(3) for s in range(2)]
    assert all(shares)
