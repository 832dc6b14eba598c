"""Times this environment beside its peers in one run: ``python benchmarks/bench_peers.py [--venvs DIR] [--rounds N]``.

Each peer gets a virtual environment of its own, built from PyPI on the first run. The machine's mood changes from
minute to minute, so that everybody takes turns, round by round, in a fresh process each; the best of the rounds counts,
and what can be compared between machines are the ratios. All times are process times; an agent-step is one action of
one agent.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from arguments import at_least
from workload import choosing, rate, record, replay

from agentworld_env.env import AgentWorldEnv
from agentworld_env.tasks import get_task

HERE = Path(__file__).parent
SMALL, LARGE = "t01_magic_staff", "t94_maritime_trading"
"""Our teams of 3 and of 20."""

PEERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "overcooked-ai": ("overcooked.py", ("overcooked-ai", "scipy", "numpy<2")),
    "mpe2": ("spread.py", ("mpe2",)),
    "TextArena": ("arena.py", ("textarena",)),
}
"""Peer -> its script, and what has to be installed for it."""

Rates = dict[str, float]


def build(venvs: Path, peer: str, packages: tuple[str, ...]) -> Path:
    """Returns the interpreter of a peer's virtual environment, made on the first call.

    Raises:
        SystemExit: The peer cannot be installed; the installer's last words are shown.
    """
    folder = venvs / peer
    python = folder / "bin" / "python"
    mark = folder / "installed"
    if mark.exists():
        return python
    print(f"installing {peer} into {folder} ...", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"cannot install {peer}:\n{done.stderr.strip()[-2000:]}")
    mark.touch()
    return python


def run(name: str, command: list[str]) -> Rates:
    """Returns the rates that a script prints on its last line.

    Raises:
        SystemExit: The script fails.
    """
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} does not run:\n{done.stderr.strip()[-2000:]}")
    rates: Rates = json.loads(done.stdout.strip().splitlines()[-1])
    return {f"{name}: {what}": value for what, value in rates.items()}


def ours() -> Rates:
    """Returns our own rates."""
    rates = {}
    for task in (SMALL, LARGE):
        env = AgentWorldEnv(get_task(task))
        size = len(env.possible_agents)
        episodes = record(env)
        rates[f"stepping, {size} agents"] = rate(lambda env=env, e=episodes: replay(env, e, text=False), 0.5)  # type: ignore[misc]
        rates[f"choosing, {size} agents"] = rate(lambda env=env: choosing(env, text=False), 0.5)  # type: ignore[misc]
        rates[f"enumerating, {size} agents"] = rate(
            lambda env=env: choosing(env, text=False, enumerate_all=True),
            0.5,  # type: ignore[misc]
        )
        rates[f"with text, {size} agents"] = rate(lambda env=env, e=episodes: replay(env, e, text=True), 0.5)  # type: ignore[misc]
    return rates


RATIOS: tuple[tuple[str, str, float], ...] = (
    ("ours: stepping, 3 agents", "overcooked-ai: stepping", 1.5),
    ("ours: stepping, 3 agents", "overcooked-ai: with observations", 1.5),
    ("ours: stepping, 20 agents", "mpe2: stepping, N=20", 10),
    ("ours: stepping, 20 agents", "mpe2: with observations, N=20", 10),
    ("ours: with text, 3 agents", "TextArena: ThreePlayerIPD-v0, 3 players", 5),
    ("ours: with text, 20 agents", "TextArena: SecretMafia-v0, 15 players", 5),
)
"""What is compared, and the ratio aimed at."""


def main() -> None:
    """Prints all rates and the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--venvs", type=Path, default=Path(tempfile.gettempdir()) / "agentworld-peers")
    parser.add_argument("--rounds", type=at_least(1), default=3, help="how often everybody takes a turn")
    parser.add_argument("--ours", action="store_true", help="only print our own rates, as JSON")
    arguments = parser.parse_args()
    if arguments.ours:
        print(json.dumps(ours()))
        return
    commands = {"ours": [sys.executable, str(HERE / "bench_peers.py"), "--ours"]}
    for peer, (script, packages) in PEERS.items():
        commands[peer] = [str(build(arguments.venvs, peer, packages)), str(HERE / "peers" / script)]
    best: Rates = {}
    for _ in range(arguments.rounds):
        for name, command in commands.items():
            for what, value in run(name, command).items():
                best[what] = max(value, best.get(what, 0.0))
    for what, value in best.items():
        print(f"{what:48}{value:>12,.0f} agent-steps/s")
    print()
    for mine, theirs, aim in RATIOS:
        print(f"{mine} / {theirs}: {best[mine] / best[theirs]:.2f} (aim {aim:g})")


if __name__ == "__main__":
    main()
