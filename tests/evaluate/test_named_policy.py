"""A policy may be given by its name."""

from pathlib import Path
from typing import Any

import pytest

from agentworld_env.episodes import make_header
from agentworld_env.errors import AgentWorldError, UnknownNameError
from agentworld_env.evaluate import record_path, run_episode
from agentworld_env.tasks import get_task


def test_a_policy_given_by_name_plays() -> None:
    assert run_episode("t01_magic_staff", "planner", seed=0).verdict.success


def test_a_mistyped_policy_name_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean planner"):
        run_episode("t01_magic_staff", "planer", seed=0)


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def act(self, turn: Any) -> dict[str, Any]:
        return {"tool": "sleep", "arguments": {"rounds": 5}}


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\nb", "a\x00", "a\u202eb", "\ud800"])
def test_a_name_that_cannot_be_shown_is_refused_before_anything_is_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        AgentWorldError, match="the name of a policy must be a text of printable letters"
    ) as said:
        run_episode("t01_magic_staff", _Named(name), seed=0, out=tmp_path)
    assert str(said.value).isprintable()
    assert list(tmp_path.iterdir()) == []


def test_names_in_other_letters_and_long_ones_have_records_of_their_own(tmp_path: Path) -> None:
    names = ["\u65e5\u672c", "\u4e2d\u56fd", "\u00e9", "x" * 90, "x" * 91, "b\u00e4r", "b\u00f6r", "-"]
    task = get_task("t01_magic_staff")
    headers = [make_header(task, seed=0, setting="default", policy={"name": name}) for name in names]
    paths = {record_path(tmp_path, header).name for header in headers}
    assert len(paths) == len(names)
    assert all(path.isascii() and len(path) < 150 and "--" not in path for path in paths)


def test_a_plain_name_stands_in_the_records_name_as_it_is(tmp_path: Path) -> None:
    header = make_header(
        get_task("t01_magic_staff"), seed=3, setting="default", policy={"name": "openai:gpt-5"}
    )
    assert record_path(tmp_path, header).name == "t01_magic_staff-openai-gpt-5-seed3.jsonl"
