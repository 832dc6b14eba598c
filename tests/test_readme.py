"""What the README and the examples promise, done."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.+?)```", README, re.S)
# The training example needs an extra and minutes; tests/rl runs some updates of it where the extra is installed.
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py") if path.stem != "train_practice")


def run_python(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_readme_has_its_snippets() -> None:
    assert len(SNIPPETS) == 4


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_a_readme_snippet_runs_in_an_empty_directory(number: int, tmp_path: Path) -> None:
    script = tmp_path / "snippet.py"
    script.write_text(SNIPPETS[number], encoding="utf-8")
    done = run_python([str(script)], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_in_an_empty_directory(path: Path, tmp_path: Path) -> None:
    done = run_python([str(path)], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_readme_shows_the_real_observation() -> None:
    shown = re.search(r"<!-- observation -->\n```text\n(.+?)\n```", README, re.S)
    assert shown is not None
    import agentworld_env

    env = agentworld_env.make("t01_magic_staff")
    env.reset(seed=0)
    assert shown.group(1) == str(env.observe("lumberjack"))


@pytest.mark.parametrize("mark", ["run", "test"])
def test_the_gate_finds_the_readme_commands(mark: str) -> None:
    found = re.search(rf"<!-- ci: {mark} -->\s*```bash\n(.+?)\n```", README, re.S)
    assert found is not None
    assert "\n" not in found.group(1)


def test_on_a_package_index_no_link_or_picture_of_the_readme_is_dead_and_no_command_differs() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shown = README
    for rule in settings["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        shown = re.sub(rule["pattern"], rule["replacement"], shown)
    targets = re.findall(r"\]\(([^)]+)\)", shown)
    assert targets
    assert all(target.startswith("https://") for target in targets)
    assert "<!--" not in shown
    assert "](docs/" in README  # otherwise nothing was tried
    blocks = r"```\w+\n.+?```"
    assert re.findall(blocks, shown, re.S) == re.findall(blocks, README, re.S)
    for name in ("docs/evaluating.md", "examples/real_model", "(docs/practice.md)", "CHANGELOG.md"):
        assert name in shown
