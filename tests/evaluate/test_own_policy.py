"""A policy in a file of the user's plays by name, and what is wrong with it is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate import policy_by_name, run_episode

GOOD = """
import agentworld_env
from helper_of_mine import INDEX

def learned():
    return agentworld_env.DiscretePolicy(lambda observation: INDEX, name="mine")

class Bare:
    name = "bare"
    def act(self, turn):
        return {"tool": "sleep", "arguments": {"rounds": 1}}

number = 3
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    (tmp_path / "helper_of_mine.py").write_text("INDEX = 0\n")
    path = tmp_path / "mine.py"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize("name", ["learned", "Bare"])
def test_what_a_file_offers_makes_a_new_policy_each_time_and_plays(file: Path, name: str) -> None:
    first, second = policy_by_name(f"python:{file}:{name}"), policy_by_name(f"python:{file}:{name}")
    assert first is not second
    episode = run_episode("p03_small_bowl", first, seed=0)
    assert {line.call["tool"] for line in episode.lines} == {"sleep"}


def test_a_module_offers_policies_by_its_name() -> None:
    assert policy_by_name("python:agentworld_env.policies.idle:IdlePolicy").name == "idle"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("python:mine.py", "python:FILE.py:NAME or python:MODULE:NAME, not 'python:mine.py'"),
        ("python:{0}:lerned", "unknown policy of .*'lerned'; did you mean learned"),
        ("python:{0}:number", "number must be a class or a function that makes a policy.*; it is 3"),
        ("python:{1}/zzz.py:learned", "there is no such file; a policy of one's own is python:FILE"),
        ("python:{1}/nowhere/mine.py:learned", "there is no such file; a policy of one's own is python:FILE"),
        ("python:{1}/mime.py:learned", r"there is no such file; did you mean mine\.py"),
        ("python:no.such.module:learned", "there is no module 'no.such.module'"),
        ("python:{1}/bad.py:learned", r"bad.py \(at bad.py, line 2\) cannot be used: ZeroDivisionError"),
        ("python:{1}/broken.py:learned", r"broken.py, line 1 cannot be used: SyntaxError"),
        ("python:{1}/lacks.py:learned", "lacks.py .*cannot be used: ModuleNotFoundError: .*nowhere_at_all"),
        ("pyton:x.py:learned", "did you mean python"),
    ],
)
def test_what_is_wrong_with_a_policy_of_ones_own_is_one_line(file: Path, name: str, said: str) -> None:
    (file.parent / "bad.py").write_text("x = 1\n1 / 0\n")
    (file.parent / "broken.py").write_text("def (\n")
    (file.parent / "lacks.py").write_text("import nowhere_at_all\n")
    with pytest.raises(AgentWorldError, match=said) as error:
        policy_by_name(name.format(file, file.parent))
    assert "\n" not in str(error.value)
