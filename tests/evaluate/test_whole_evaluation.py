"""A whole evaluation in one call from Python: the command's records, manifest, resume and refusals."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.evaluate.running import NAP, records
from tests.policies.loopback import Loopback

import agentworld_env
from agentworld_env import AgentWorldError, run_episode, run_evaluation, run_evaluation_async
from agentworld_env.cli.main import run_command
from agentworld_env.evaluate.manifest import read_manifest
from agentworld_env.evaluate.results import load_run
from agentworld_env.evaluate.runner import RunState
from agentworld_env.policies.mixed import MixedPolicy
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.tasks.registry import get_task

ROOT = Path(__file__).parents[2]
EVALUATING = ROOT / "docs" / "evaluating.md"
ONE, OTHER = "t01_magic_staff", "t02_arrow_production"


class Sleeper:
    """Sleeps for as many rounds at a time as it is told."""

    name = "sleeper"
    wants_text = False

    def __init__(self, rounds: int = 5) -> None:
        self.rounds = rounds

    def act(self, turn: Any) -> dict[str, Any]:
        return {"tool": "sleep", "arguments": {"rounds": self.rounds}}

    def config(self) -> dict[str, Any]:
        return {"rounds": self.rounds}


class Waiter(Sleeper):
    """Lets other episodes go on before each answer, and counts how many episodes are between question and answer."""

    name = "waiter"
    most = 0
    now = 0
    closed = 0

    async def act(self, turn: Any) -> dict[str, Any]:  # type: ignore[override]
        Waiter.now += 1
        Waiter.most = max(Waiter.most, Waiter.now)
        await asyncio.sleep(0.001)
        Waiter.now -= 1
        return super().act(turn)

    async def close(self) -> None:
        Waiter.closed += 1


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("most", "now", "closed"):
        monkeypatch.setattr(Waiter, name, 0)


def everything(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_policy_by_name_leaves_the_very_files_that_the_command_leaves(tmp_path: Path) -> None:
    by_command, by_call = tmp_path / "a", tmp_path / "b"
    arguments = ["--policy", "random", "--tasks", f"{ONE},{OTHER}", "--trials", "2", "--seed", "7"]
    setting = "no_communication+short_horizon"
    assert run_command(["evaluate", *arguments, "--setting", setting, "--out", str(by_command), "-q"]) == 0
    run = run_evaluation("random", [ONE, OTHER], trials=2, seed=7, setting=setting, out=by_call)
    assert everything(by_call) == everything(by_command)
    assert run == load_run(by_call)
    assert [(one.score.task, one.score.seed) for one in run.finished] == [
        (ONE, 7),
        (ONE, 8),
        (OTHER, 7),
        (OTHER, 8),
    ]
    assert run_command(["report", str(by_command), str(by_call), "--json"]) == 0


@pytest.mark.parametrize("player", [Sleeper(3), lambda: Sleeper(3)], ids=["an object", "what makes one"])
def test_a_policy_of_ones_own_stands_in_the_manifest_as_in_its_records(player: Any, tmp_path: Path) -> None:
    run = run_evaluation(player, ONE, trials=2, out=tmp_path / "run")
    manifest = read_manifest(tmp_path / "run")
    assert manifest.policy == {"name": "sleeper", "settings": {"rounds": 3}}
    assert manifest.cast.members == (("*", "object:sleeper"),)
    assert (run.label, len(run.finished), run.unfinished) == ("sleeper", 2, ())
    alone = run_episode(ONE, Sleeper(3), seed=1, out=tmp_path / "alone")
    assert alone.path is not None
    assert records(tmp_path / "run")[Path(alone.path).name] == Path(alone.path).read_bytes()
    assert run_command(["report", str(tmp_path / "run"), "--verify"]) == 0


def test_a_class_makes_a_new_policy_for_every_episode(tmp_path: Path) -> None:
    made: list[Sleeper] = []

    class Counted(Sleeper):
        def begin(self, briefs: Any, seed: int) -> None:
            assert all(each is not self for each in made)
            made.append(self)

    run_evaluation(Counted, ONE, trials=3, out=tmp_path)
    assert len(made) == 4  # one is asked beforehand whether it can begin
    assert len({id(each) for each in made}) == 4


def test_an_object_plays_one_episode_after_the_other_and_what_makes_them_several(tmp_path: Path) -> None:
    run_evaluation(Waiter(), ONE, trials=3, out=tmp_path / "object")
    assert Waiter.most == 1
    run_evaluation(Waiter, ONE, trials=3, out=tmp_path / "class")
    assert Waiter.most == 3
    assert records(tmp_path / "object") == records(tmp_path / "class")


@pytest.mark.parametrize("player", [Waiter(), Waiter], ids=["an object", "a class"])
def test_a_policy_of_ones_own_is_closed_after_every_episode_and_every_look_at_it(
    player: Any, tmp_path: Path
) -> None:
    looks = (
        2 if isinstance(player, Waiter) else 3
    )  # its settings, whether it can begin; of a class also its name
    run_evaluation(player, ONE, trials=3, out=tmp_path)
    assert Waiter.closed == looks + 3


def test_an_object_beside_a_model_plays_one_episode_after_the_other(tmp_path: Path) -> None:
    with Loopback(NAP) as server:
        team = {"w*": Waiter(), "*": server.model}
        run = run_evaluation(team, ONE, trials=3, out=tmp_path, concurrency=8)
    assert len(run.finished) == 3
    assert Waiter.most == 1
    assert run.spent.calls > 0


@pytest.mark.parametrize("how", [dict, list], ids=["a dict", "pairs"])
def test_a_mixed_team_may_hold_names_and_policies_of_ones_own(
    how: Callable[[Any], Any], tmp_path: Path
) -> None:
    run_evaluation(
        how([("w*", Sleeper(2)), ("l*", "planner"), ("*", RandomPolicy)]), ONE, out=tmp_path / "run"
    )
    manifest = read_manifest(tmp_path / "run")
    assert manifest.cast.members == (("w*", "object:sleeper"), ("l*", "planner"), ("*", "object:random"))
    team = MixedPolicy([("w*", Sleeper(2)), ("l*", _planner()), ("*", RandomPolicy())])
    alone = run_episode(ONE, team, seed=0, out=tmp_path / "alone")
    assert alone.path is not None
    assert list(records(tmp_path / "run").values()) == [Path(alone.path).read_bytes()]


def _planner() -> Any:
    from agentworld_env.evaluate import policy_by_name

    return policy_by_name("planner")


def test_what_is_missing_is_played_on_and_nothing_else(tmp_path: Path) -> None:
    run_evaluation(Sleeper(), [ONE, OTHER], trials=2, out=tmp_path)
    whole = records(tmp_path)
    name = next(iter(whole))
    lines = whole[name].splitlines(keepends=True)
    (tmp_path / name).write_bytes(b"".join(lines[: len(lines) // 2]))
    asked: list[int] = []

    class Asked(Sleeper):
        def act(self, turn: Any) -> dict[str, Any]:
            asked.append(turn.round)
            return super().act(turn)

    assert len(run_evaluation(Asked(), resume=tmp_path).finished) == 4
    assert records(tmp_path) == whole
    assert len(asked) == len(lines) - len(lines) // 2 - 1  # the last line is the footer


def test_a_run_by_name_goes_on_by_command_or_by_call(tmp_path: Path) -> None:
    run_evaluation("random", ONE, trials=2, out=tmp_path)
    whole = records(tmp_path)
    for go_on in (
        lambda: run_command(["evaluate", "--resume", str(tmp_path), "-q"]),
        lambda: run_evaluation(resume=tmp_path),
    ):
        for path in tmp_path.glob("*.jsonl"):
            path.unlink()
        go_on()
        assert records(tmp_path) == whole


def test_a_run_of_an_object_cannot_be_gone_on_with_without_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_evaluation(Sleeper(), ONE, out=tmp_path)
    with pytest.raises(AgentWorldError, match="'sleeper', a policy of a Python program"):
        run_evaluation(resume=tmp_path)
    assert run_command(["evaluate", "--resume", str(tmp_path)]) == 2
    assert "run_evaluation(policy, resume=...)" in capsys.readouterr().err
    with pytest.raises(AgentWorldError, match=r"policy.settings.rounds: begun with 5, now 4"):
        run_evaluation(Sleeper(4), resume=tmp_path)


def test_a_suite_stands_for_its_tasks_and_a_task_for_its_id(tmp_path: Path) -> None:
    run_evaluation("idle", "practice", setting="short_horizon", out=tmp_path / "suite")
    suite = [info.id for info in agentworld_env.list_tasks("practice")]
    assert [entry.id for entry in read_manifest(tmp_path / "suite").tasks] == suite
    run_evaluation("idle", get_task(ONE), out=tmp_path / "task")
    assert [entry.source for entry in read_manifest(tmp_path / "task").tasks] == [ONE]


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    def look(state: RunState) -> None:
        told.append((state.done, state.total))

    run_evaluation("idle", ONE, trials=2, out=tmp_path, progress=look)
    assert told == [(1, 2), (2, 2)]


def test_what_a_limit_leaves_unfinished_is_a_warning_and_not_scored(tmp_path: Path) -> None:
    with (
        Loopback(NAP) as server,
        pytest.warns(
            UserWarning, match=r"2 of 2 episodes are unfinished and not scored \(.*the limit is 300\)"
        ),
    ):
        run = run_evaluation(server.model, [ONE, OTHER], max_tokens=300, concurrency=1, out=tmp_path)
    assert (len(run.finished), len(run.unfinished)) == (0, 2)


MISTAKES: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    (("idle", ONE), {"out": None}, "say where the run goes: out= for a new one, resume= to go on with one"),
    (("idle", ONE), {"resume": "y"}, "say where the run goes"),
    ((), {}, "say which tasks to play"),
    ((None, ONE), {}, "say who plays"),
    (("plannner", ONE), {}, "did you mean planner"),
    (("idle", "t01_magic_stuff"), {}, "did you mean t01_magic_staff"),
    (("idle", [ONE, ONE]), {}, "named twice"),
    (("idle", ONE), {"setting": "no_dox"}, "did you mean no_docs"),
    (("idle", ONE), {"trials": 0}, "trials= is a whole number from 1 on, not 0"),
    (("idle", ONE), {"trials": True}, "trials= is a whole number from 1 on, not True"),
    (("idle", ONE), {"seed": -1}, "seed= is a whole number from 0 on, not -1"),
    (("idle", ONE), {"concurrency": 0}, "concurrency= is a whole number from 1 on"),
    (("idle", ONE), {"turn_seconds": float("nan")}, "turn_seconds= is a number from 0.1 on, not nan"),
    (("idle", ONE), {"executor": "rey"}, "'local' or 'ray', not 'rey'"),
    (("idle", ONE), {"memory": 3}, "memory= would change nothing"),
    ((Sleeper(), ONE), {"processes": 2}, "name it python:FILE.py:NAME"),
    ((Sleeper(), ONE), {"max_tokens": 5}, "count what models by name use"),
    ((object(), ONE), {}, "object has no name"),
    (({"": "idle"}, ONE), {}, "expected a pattern of agent ids"),
    (([("w*", "idle", 3)], ONE), {}, "a part of a team is a pattern and a policy"),
    (({}, ONE), {}, "at least one member"),
    (({"w*": Sleeper()}, ONE), {}, "nobody plays 'lumberjack'"),
]


@pytest.mark.parametrize(("given", "options", "said"), MISTAKES, ids=[said for _, _, said in MISTAKES])
def test_a_mistake_is_one_line_and_leaves_nothing(
    given: tuple[Any, ...],
    options: dict[str, Any],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgentWorldError) as raised:
        run_evaluation(*given, **{"out": "x", **options})
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_option_or_no_task_is_a_type_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"no option 'concurency'; did you mean concurrency\?"):
        run_evaluation("idle", ONE, out=tmp_path / "x", concurency=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="a task is an id"):
        run_evaluation("idle", [3], out=tmp_path / "x")  # type: ignore[list-item]
    assert list(tmp_path.iterdir()) == []


def test_a_changed_copy_of_a_task_must_be_given_by_its_file(tmp_path: Path) -> None:
    changed = get_task(ONE)
    changed = type(changed)(changed.spec.model_copy(update={"max_rounds": 7}))
    with pytest.raises(AgentWorldError, match="give the path of its file"):
        run_evaluation("idle", changed, out=tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_in_a_running_loop_the_twin_plays_and_the_other_says_so(tmp_path: Path) -> None:
    async def notebook() -> None:
        with pytest.raises(AgentWorldError, match=r"use 'await run_evaluation_async\(...\)'"):
            run_evaluation(Sleeper(), ONE, out=tmp_path / "run")
        assert list(tmp_path.iterdir()) == []
        run = await run_evaluation_async(Waiter(), ONE, trials=2, out=tmp_path / "run")
        assert len(run.finished) == 2
        with pytest.raises(AgentWorldError, match="run_evaluation"):
            await run_evaluation_async("idle", ONE, out=tmp_path / "two", processes=2)
        assert run_evaluation("idle", ONE, trials=2, out=tmp_path / "two", processes=2).unfinished == ()

    asyncio.run(notebook())


def test_a_fault_of_the_policys_own_is_not_hidden_and_leaves_what_was_played(tmp_path: Path) -> None:
    class Faulty(Sleeper):
        def act(self, turn: Any) -> dict[str, Any]:
            if turn.round > 5:
                raise ZeroDivisionError("mine")
            return super().act(turn)

    with pytest.raises(ZeroDivisionError, match="mine"):
        run_evaluation(Faulty(), ONE, out=tmp_path)
    assert len(run_evaluation(Sleeper(), resume=tmp_path).finished) == 1


def test_the_example_of_the_docs_runs_in_an_empty_directory(tmp_path: Path) -> None:
    [code] = re.findall(r"```python\n(.+?)```", EVALUATING.read_text("utf-8"), re.S)
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    first, *each = done.stdout.splitlines()
    assert (
        first
        == "<RunResults of sleeper (sleeper, no_communication): 0 of 36 finished episodes are successes, 0 unfinished>"
    )
    assert len(each) == 36


def test_the_call_is_there_in_an_instant() -> None:
    code = "import sys, agentworld_env as a; assert 'agentworld_env.evaluate' not in sys.modules; a.run_evaluation"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["out", "resume"])
def test_an_empty_name_of_a_folder_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgentWorldError, match=f"expected the name of a folder for {name}, got ''"):
        agentworld_env.run_evaluation("random", "p03_small_bowl", **{name: ""})
    with pytest.raises(AgentWorldError, match="expected the name of a file or folder for the record, got ''"):
        agentworld_env.run_episode("p03_small_bowl", "random", seed=0, out="")
    assert list(tmp_path.iterdir()) == []
