"""Win rates of each named boss against teams of published fighters, played by the planner.

    python benchmarks/balance.py [--seeds 10] [--out docs/balance.md]

A fight is won if the boss falls within 45 rounds and nobody dies. Each boss meets teams of typical fighters, and teams
of strong ones; all fighters of a team are alike.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from arguments import at_least

from agentworld_env.certify.play import play_planner
from agentworld_env.tasks.schema import AllAlive, Killed, Role, TaskSpec
from agentworld_env.tasks.task import Task
from agentworld_env.world import load_world

SIZES = (1, 2, 3, 5)
ROUNDS = 45

TYPICAL = {"strength": 42, "accuracy": 38, "defense": 38, "health": 46}
"""A fighter of the middling published tasks, such as number 76."""

STRONG = {"strength": 75, "accuracy": 60, "defense": 60, "health": 80}
"""A fighter of the hard published tasks, such as numbers 64 and 67."""


def fight(boss: str, size: int, skills: dict[str, int], seed: int) -> tuple[bool, int]:
    """Returns whether a team wins, and in how many rounds."""
    world = load_world()
    spawn = world.named_spawns[boss]
    start = world.paths.walk(spawn.x, spawn.y, spawn.x, max(0, spawn.y - 30), 20, 20)
    x, y = start.end if start is not None else (spawn.x, spawn.y)
    role = Role(
        group="fighters",
        about="Fights.",
        start=(x, y),
        skills=skills,
        inventory={"flask": 30, "apple": 35},
        worn=("sword2", "platearmor", "leatherboots"),
    )
    spec = TaskSpec(
        id="balance",
        title="Balance",
        category="combat",
        max_rounds=ROUNDS,
        objective="Bring the boss down.",
        team={f"fighter{i + 1}": role for i in range(size)},
        spawns=(boss,),
        checkpoints=(Killed(kind="killed", label="Boss", mob=boss),),
        constraints=(AllAlive(kind="all_alive"),),
    )
    played = play_planner(Task(spec), seed)
    return played.verdict.success, played.rounds


def row(boss: str, skills: dict[str, int], seeds: int) -> list[str]:
    """Returns the win rates of one boss, with the mean rounds of the wins."""
    cells = []
    for size in SIZES:
        results = [fight(boss, size, skills, seed) for seed in range(seeds)]
        wins = [rounds for won, rounds in results if won]
        mean = f" ({sum(wins) / len(wins):.0f})" if wins else ""
        cells.append(f"{100 * len(wins) // seeds} %{mean}")
    return cells


def page(seeds: int) -> str:
    """Returns the table in Markdown."""
    heads = [f"{kind} x{size}" for kind in ("typical", "strong") for size in SIZES]
    lines = [
        "# Balance of the named bosses",
        "",
        f"Made by `python benchmarks/balance.py --seeds {seeds}`: share of fights won within {ROUNDS} rounds without a",
        "death, and in brackets the mean rounds of the wins, by number of fighters. *Typical*: strength 42, accuracy",
        "38, defense 38, health 46; *strong*: strength 75, accuracy 60, defense 60, health 80; all with a heavy sword,",
        "plate and 35 apples, played by the planner. `team` is how many must strike in every round.",
        "",
        f"| boss | level | hit points | team | {' | '.join(heads)} |",
        "| --- | --- | --- | --- |" + " --- |" * len(heads),
    ]
    for boss, spawn in load_world().named_spawns.items():
        cells = row(boss, TYPICAL, seeds) + row(boss, STRONG, seeds)
        lines.append(f"| {boss} | {spawn.level} | {spawn.hp} | {spawn.team} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=at_least(1), default=10, help="fights of each kind")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    text = page(options.seeds)
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
