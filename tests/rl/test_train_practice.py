"""The training example runs as its docs say, here for a few updates."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="needs agentworld-env[rl]")
pytest.importorskip("matplotlib", reason="needs agentworld-env[rl]")

ROOT = Path(__file__).parents[2]


def test_the_example_trains_writes_its_figures_and_draws_the_curve(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "train_practice.py"), "--task", "p01_corn_and_shrimp"]
    command += ["--seeds", "2", "--steps", "4096", "--every", "1", "--evaluated", "4"]
    command += ["--csv", "figures.csv", "--plot", "curve.png"]
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "figures.csv").open(encoding="utf-8")))
    assert [(row["seed"], row["steps"]) for row in rows] == [
        (seed, steps) for seed in ("0", "1") for steps in ("0", "2048", "4096")
    ]
    assert all(0.0 <= float(row["success"]) <= 1.0 for row in rows)
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


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
        (["--csv", "nowhere/figures.csv"], "there is no directory nowhere"),
        (["--seeds", "0"], "all numbers must be at least 1"),
    ],
)
def test_a_mistake_is_refused_before_anything_is_trained(wrong: list[str], said: str, tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(ROOT / "examples" / "train_practice.py"), *wrong]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
