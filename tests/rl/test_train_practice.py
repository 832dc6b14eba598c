"""The training example runs as its docs say, here for a few updates."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.optional import optional

import agentworld_env
from agentworld_env.episodes import read_episode

ROOT = Path(__file__).parents[2]
SCRIPT = str(ROOT / "examples" / "train_practice.py")

learning = pytest.mark.usefixtures("libraries")

TRAINED = """
from train_practice import load_policy

def policy():
    return load_policy("models/p01_corn_and_shrimp-seed0.zip", name="ppo0")
"""


@pytest.fixture
def libraries() -> None:
    """What the example trains and draws with."""
    optional("sb3_contrib", "rl")
    optional("matplotlib", "rl")


def surroundings(*folders: Path) -> dict[str, str]:
    """Returns the environment variables of a process that imports the package, and what lies in some folders."""
    path = [str(ROOT / "src"), os.environ.get("PYTHONPATH", ""), *map(str, folders)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def run(*command: str, cwd: Path, timeout: int = 200) -> subprocess.CompletedProcess[str]:
    """Runs Python with arguments to its end."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=timeout,
    )


@learning
def test_the_example_trains_writes_its_figures_and_draws_the_curve(tmp_path: Path) -> None:
    given = ["--task", "p01_corn_and_shrimp", "--seeds", "2", "--steps", "4096", "--every", "1"]
    given += ["--evaluated", "4", "--csv", "new/figures.csv", "--plot", "new/curve.png"]
    given += ["--save", "models", "--record", "runs"]
    done = run(SCRIPT, *given, cwd=tmp_path, timeout=500)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "new" / "figures.csv").open(encoding="utf-8")))
    assert [(row["seed"], row["steps"]) for row in rows] == [
        (seed, steps) for seed in ("0", "1") for steps in ("0", "2048", "4096")
    ]
    assert all(0.0 <= float(row["success"]) <= 1.0 for row in rows)
    assert (tmp_path / "new" / "curve.png").read_bytes().startswith(b"\x89PNG")
    record = tmp_path / "runs" / "p01_corn_and_shrimp-ppo0-seed1000000.jsonl"
    assert len(agentworld_env.replay(record).html) > 10_000
    # What was saved plays the same episode again, as a policy by name; the record is compared to the byte.
    (tmp_path / "trained.py").write_text(TRAINED)
    code = (
        "from agentworld_env import run_episode;"
        "run_episode('p01_corn_and_shrimp', 'python:trained.py:policy', seed=1_000_000, out='again')"
    )
    environment = surroundings(ROOT / "examples")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True, timeout=200)
    assert (tmp_path / "again" / record.name).read_bytes() == record.read_bytes()


@learning
def test_a_network_that_is_trained_again_leaves_its_own_record_and_not_the_older_ones(tmp_path: Path) -> None:
    given = ["--task", "p01_corn_and_shrimp", "--every", "1", "--evaluated", "1", "--record", "runs"]
    path = tmp_path / "runs" / "p01_corn_and_shrimp-ppo0-seed1000000.jsonl"
    played: list[tuple[str, bytes]] = []
    for steps in ("2048", "4096"):
        done = run(SCRIPT, *given, "--steps", steps, cwd=tmp_path)
        assert (done.returncode, "Warning" in done.stderr) == (0, False), done.stderr
        network = read_episode(path).header.policy["settings"]["network"]
        played.append((network, path.read_bytes()))
        assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert played[0][0] != played[1][0]
    assert played[0][1] != played[1][1]


@learning
def test_an_interruption_is_one_line_and_leaves_no_process(tmp_path: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, SCRIPT, "--evaluated", "1", "--csv", "figures.csv"],
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline().startswith("task p03_small_bowl seed 0 steps 0")
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (130, "interrupted: no figures were written\n")
    for _ in range(100):
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("a process is left")
    assert list(tmp_path.iterdir()) == []


def test_the_checked_in_curve_rises_from_nothing_to_more_than_four_fifths_with_every_seed() -> None:
    rows = list(csv.DictReader((ROOT / "docs" / "learning.csv").open(encoding="utf-8")))
    for seed in ("0", "1", "2"):
        curve = [float(row["success"]) for row in rows if row["seed"] == seed]
        assert curve[0] == 0.0
        assert curve[-1] >= 0.8


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--task", "p03_smal_bowl"], "did you mean p03_small_bowl"),
        (["--csv", "/proc/figures.csv"], "cannot write /proc/figures.csv: "),
        (["--plot", "/proc/new/curve.png"], "cannot write /proc/new/curve.png: "),
        (["--save", "/proc/models"], "/proc cannot be written to "),
        (["--record", "/proc/new/runs"], "/proc cannot be written to "),
        (["--csv", "."], "is a directory; expected the name of a file"),
        (["--plot", "curve.xyz"], "expected a name that ends in .png"),
        (["--seeds", "0"], "all numbers must be at least 1"),
    ],
)
def test_a_mistake_is_refused_before_anything_is_trained(wrong: list[str], said: str, tmp_path: Path) -> None:
    done = run(SCRIPT, *wrong, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("usage: train_practice.py")
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (["--help"], 0, "--record DIR"),
        (
            ["--save", "models"],
            2,
            "training needs the extra rl (No module named 'torch'); in a checkout: pip install",
        ),
    ],
)
def test_without_the_extra_help_is_shown_and_training_refused_in_one_line(
    given: list[str], code: int, said: str, tmp_path: Path
) -> None:
    # As Python has it for a package that is not there, whether or not it is here.
    without = (
        "import runpy, sys\n"
        "class Without:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'torch':\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Without())\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    done = run("-c", without, SCRIPT, *given, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert said in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
