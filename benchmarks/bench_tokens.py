"""Counts what observations cost a language model: ``python benchmarks/bench_tokens.py --tokenizer DIR``.

DIR holds the npm package ``gpt-tokenizer`` (``npm install gpt-tokenizer --prefix DIR``), whose o200k table is counted
with; Node runs it. The texts are those of random play on every task, so they hold many messages and much fighting.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from pathlib import Path

from workload import chooser, play

from agentworld_env.env import AgentWorldEnv
from agentworld_env.tasks import get_task, list_tasks

STRIDE = 5
"""Every so manieth observation is counted."""

_COUNT = """
const { countTokens } = require(process.argv[1] + '/cjs/encoding/o200k_base.js')
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'))
console.log(JSON.stringify(texts.map(text => countTokens(text))))
"""


def texts_of(task_id: str, seed: int) -> list[str]:
    """Returns some observations of an episode of random legal calls."""
    texts: list[str] = []
    draw = chooser(seed)
    turns = 0

    def look(env: AgentWorldEnv) -> dict[str, object]:
        nonlocal turns
        if turns % STRIDE == 0:
            texts.append(str(env.observe(env.agent_selection)))
        turns += 1
        return draw(env)

    play(AgentWorldEnv(get_task(task_id)), seed, look, text=False)
    return texts


def count(texts: list[str], tokenizer: Path) -> list[int]:
    """Returns the o200k tokens of texts."""
    node = ["node", "-e", _COUNT, str(tokenizer)]
    found = subprocess.run(node, input=json.dumps(texts), capture_output=True, text=True, check=True)
    counts: list[int] = json.loads(found.stdout)
    return counts


def main() -> None:
    """Prints the distribution."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--tokenizer", type=Path, required=True, help="folder of the npm package gpt-tokenizer"
    )
    folder = parser.parse_args().tokenizer.resolve()
    if (folder / "node_modules" / "gpt-tokenizer").is_dir():
        folder = folder / "node_modules" / "gpt-tokenizer"
    if not (folder / "cjs").is_dir():
        parser.error(
            f"{folder} does not hold gpt-tokenizer; try: npm install gpt-tokenizer --prefix {folder}"
        )
    per_task = {info.id: count(texts_of(info.id, 1), folder) for info in list_tasks("main")}
    every = sorted(tokens for counts in per_task.values() for tokens in counts)
    medians = {task: statistics.median(counts) for task, counts in per_task.items()}
    dearest = max(medians, key=lambda task: medians[task])
    print(f"{len(every):,} observations of {len(per_task)} tasks, o200k tokens")
    print(f"median of the tasks' medians {statistics.median(medians.values()):,.0f}")
    print(f"dearest task's median        {medians[dearest]:,.0f} ({dearest})")
    for share in (50, 95, 99):
        print(f"{share:>2}th percentile of all        {every[len(every) * share // 100]:,}")
    print(f"longest                      {every[-1]:,}")


if __name__ == "__main__":
    main()
