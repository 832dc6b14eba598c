"""A policy in a file of the user's plays by name, and what is wrong with it is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate import policy_by_name, run_episode
from agentworld_env.evaluate.cast import read_members

GOOD = """
import agentworld_env
from helper_of_mine import INDEX

def learned():
    return agentworld_env.DiscretePolicy(lambda observation: INDEX, name="mine")

class Bare:
    name = "bare"
    def act(self, turn):
        return {"tool": "sleep", "arguments": {"rounds": 1}}

def needy(path, *others, size, width=3, **more):
    return Bare()

def indirect():
    import json
    return json.loads("{")

def leaves():
    import sys
    sys.exit()

class Interrupted:
    def __init__(self):
        raise KeyboardInterrupt

number = 3
"""


ASKS = """import argparse
parser = argparse.ArgumentParser()
parser.parse_args(["--nonsense"])
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
        ("python:{1}/uses.py:learned", r"uses.py \(at broken.py, line 1\) cannot be used: SyntaxError"),
        (
            "python:{1}/quits.py:learned",
            r"quits.py \(at quits.py, line 3\) cannot be .*: .* by sys.exit\('bye'\)$",
        ),
        ("python:{1}/asks.py:learned", r"asks.py \(at asks.py, line 3\) cannot be .* by sys.exit\(2\)$"),
        ("python:{1}/folder.py:learned", "folder.py is a directory; expected a file with Python code"),
        (
            "python:{0}:needy",
            "needy is called without arguments .*, but needs path, size; give defaults, or write",
        ),
        ("python:{0}:indirect", r"indirect\(\) \(at mine.py, line 18\) cannot be used: JSONDecodeError"),
        ("python:{0}:leaves", r"leaves\(\) \(at mine.py, line 22\) cannot be used: .* by sys.exit\(\)$"),
        ("python:mine:learned", r"there is no module 'mine'; did you mean python:mine\.py:learned\?$"),
        ("python:mime:learned", r"there is no module 'mime'; did you mean python:mine\.py:learned\?$"),
        (
            "python:./mine:learned",
            r"'./mine' is neither a .py file nor .*; did you mean python:mine\.py:learned\?$",
        ),
        (
            "python:.mine:learned",
            "'.mine' is neither a .py file nor the name of a module; a policy of one's own is",
        ),
        ("python:mine.py:learned:x", "'mine.py:learned' is neither a .py file nor the name of a module"),
        ("pyton:x.py:learned", "did you mean python"),
    ],
)
def test_what_is_wrong_with_a_policy_of_ones_own_is_one_line(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.chdir(file.parent)
    (file.parent / "bad.py").write_text("x = 1\n1 / 0\n")
    (file.parent / "broken.py").write_text("def (\n")
    (file.parent / "lacks.py").write_text("import nowhere_at_all\n")
    (file.parent / "uses.py").write_text("\n\nimport broken\n")
    (file.parent / "quits.py").write_text("import sys\n\nsys.exit('bye')\n")
    (file.parent / "asks.py").write_text(ASKS)
    (file.parent / "folder.py").mkdir()
    with pytest.raises(AgentWorldError, match=said) as error:
        policy_by_name(name.format(file, file.parent))
    assert "\n" not in str(error.value)


def test_an_interruption_while_a_policy_is_made_is_no_mistake_of_its_file(file: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        policy_by_name(f"python:{file}:Interrupted")


@pytest.mark.parametrize("name", ["python:{}:learned", "replay:{}"])
def test_a_run_remembers_files_by_absolute_paths(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(file.parent)
    assert read_members(name.format("mine.py"), []) == (("*", name.format(file)),)
    assert read_members(None, [f"a*={name.format('./mine.py')}", "*=idle"])[0] == ("a*", name.format(file))
    for other in ("python:some.module:learned", "python:mine.py", "local:http://127.0.0.1:1/v1#x.py"):
        assert read_members(other, []) == (("*", other),)
