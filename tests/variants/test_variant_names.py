"""A variant is named like a task, wherever a task is named."""

from __future__ import annotations

from pathlib import Path

import pytest

import agentworld_env
from agentworld_env.errors import AgentWorldError, UnknownNameError
from agentworld_env.tasks import get_task
from agentworld_env.variants import make_variant, resolve


def test_a_name_with_a_seed_is_the_variant_of_that_seed_made_once() -> None:
    task = resolve("t05_beryl_pendant~seed=8")
    assert task.id == "t05_beryl_pendant-s8"
    assert task.spec.suite == "variant"
    assert task is resolve("t05_beryl_pendant~seed=8") is make_variant(get_task("t05_beryl_pendant"), 8)


def test_other_names_are_resolved_as_before(tmp_path: Path) -> None:
    assert resolve("t05_beryl_pendant") is get_task("t05_beryl_pendant")
    folder = tmp_path / "back~up"
    folder.mkdir()
    path = folder / "mine~1.yaml"
    from agentworld_env.variants.write import to_yaml

    path.write_text(to_yaml(get_task("t01_magic_staff").spec, "copy"))
    assert resolve(str(path)) == get_task("t01_magic_staff")


@pytest.mark.parametrize(
    "name", ["t01_magic_staff~", "t01_magic_staff~41", "~seed=3", "t01_magic_staff~seed=-1"]
)
def test_a_misspelt_variant_is_one_line_with_an_example(name: str) -> None:
    with pytest.raises(AgentWorldError, match=r"^a variant is named TASK~seed=NUMBER, as in .*, not '"):
        resolve(name)


def test_an_unknown_source_offers_the_nearest_task() -> None:
    with pytest.raises(UnknownNameError, match="t01_magic_staff"):
        resolve("t01_magic_stuff~seed=3")


def test_make_plays_a_variant_and_the_record_verifies(tmp_path: Path) -> None:
    env = agentworld_env.make("t05_beryl_pendant~seed=8")
    env.reset(seed=0)
    assert env.agents
    episode = agentworld_env.run_episode("t05_beryl_pendant~seed=8", "planner", seed=0, out=tmp_path)
    assert episode.verdict.success
