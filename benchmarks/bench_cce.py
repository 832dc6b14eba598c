"""Times the causal methods and measures CCE of known teams: ``python -m benchmarks.bench_cce [OPTION]``.

Without an option: seconds for the events method over 100 recorded episodes, alone and as the command that re-simulates
them first, over failures, which are played on, and for the counterfactual method on one of about 150 actions. With
``--figures``: over every main task, the planner's CCE and the share of waiting that bounds it, and the same for teams
in which one agent plays at random. With ``--necessity``: whether what is necessary in the planner's episodes is
counted. With ``--write`` these figures replace those of docs/cce.md, which has a place for the teams of seeds 0 and 1,
and for the necessary calls of seed 0.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.arguments import at_least
from benchmarks.cce_page import check, put

from agentworld_env import list_tasks, run_episode
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, read_episode, resimulate
from agentworld_env.metrics import episode_metrics, events_finding
from agentworld_env.metrics.continuation import play_on
from agentworld_env.metrics.counterfactual import counterfactual, shapley
from agentworld_env.metrics.parallel import in_parallel
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies.protocol import Brief, Call, Decision, Turn
from agentworld_env.policies.random_play import RandomPolicy


class Substituted:
    """A planner's team in which one agent plays at random.

    Args:
        agent: The agent that does.
    """

    wants_text = False
    needs_state = True

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.name = f"planner-random-{agent}"
        self._planner = PlannerPolicy()
        self._random = RandomPolicy()

    def attach(self, env: AgentWorldEnv) -> None:
        """Lets the planner see the state."""
        self._planner.attach(env)

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts both."""
        self._planner.begin(briefs, seed)
        self._random.begin(briefs, seed)

    def act(self, turn: Turn) -> Call:
        """Returns the next call of an agent."""
        planned = self._planner.act(turn)
        return self._random.act(turn) if turn.agent == self.agent else planned

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Plays along with a recorded turn."""
        self.act(turn)

    def config(self) -> dict[str, Any]:
        """Returns its settings."""
        return {"agent": self.agent}


def timings() -> None:
    """Prints how long the methods take."""
    tasks = [info.id for info in list_tasks("main")]
    with tempfile.TemporaryDirectory() as directory:
        paths: list[Path] = []
        for number in range(100):
            task, seed = tasks[number % len(tasks)], number // len(tasks)
            episode = run_episode(task, PlannerPolicy(), seed=seed, out=directory)
            paths.append(Path(str(episode.path)))
        started = time.perf_counter()
        read = [read_episode(path) for path in paths]
        reading = time.perf_counter() - started
        started = time.perf_counter()
        for episode in read:
            episode_metrics(episode)
        measuring = time.perf_counter() - started
        commands = [_command(directory) for _ in range(3)]
    actions = sum(len(episode.lines) for episode in read)
    print(f"events, 100 episodes, {actions} actions: {measuring:.2f} s (reading the files: {reading:.2f} s)")
    print(f"agentworld-env cce over their directory, best of 3: {min(commands):.2f} s, start-up included")
    played = [run_episode(task, RandomPolicy(), seed=0) for task in tasks]
    lost = [episode for episode in played if not episode.verdict.success]
    ends = [resimulate(episode) for episode in lost]
    started = time.perf_counter()
    for episode, env in zip(lost, ends, strict=True):
        episode_metrics(episode, env)
    measuring = time.perf_counter() - started
    actions = sum(len(episode.lines) for episode in lost)
    print(f"events, {len(lost)} failures of random play, {actions} actions, played on: {measuring:.2f} s")
    nearest = min(read, key=lambda episode: abs(len(episode.lines) - 150))
    for episode in (nearest, run_episode(nearest.header.task, RandomPolicy(), seed=0)):
        started = time.perf_counter()
        counterfactual(episode)
        seconds = time.perf_counter() - started
        name = f"{episode.header.task}, {episode.header.policy['name']}"
        print(f"counterfactual, {name}, {len(episode.lines)} actions: {seconds:.2f} s")
    started = time.perf_counter()
    found = shapley(nearest, orders=64)
    seconds = time.perf_counter() - started
    print(f"Shapley, {len(found.agents)} agents, {found.orders} orders: {seconds:.2f} s")


def _command(directory: str) -> float:
    """Returns the seconds that the command takes over the records in a directory."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "agentworld_env.cli", "cce", directory], check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - started


def blame(metrics: Mapping[str, Any], agent: str) -> str:
    """Returns how PAC without waiting points at an agent.

    Agents that only waited have no such figure: they neither point away from anybody nor can they be pointed at.

    Returns:
        ``alone`` if the agent's is lower than that of everybody else; ``told apart`` if others', but not everybody's,
        are as low, and it made more calls in vain than each of those; ``jointly`` if others', but not everybody's, are
        as low otherwise; else an empty string.
    """
    shares = {name: share for name, share in metrics["pac_active"].items() if share is not None}
    lowest = [name for name, share in shares.items() if share == min(shares.values())]
    if agent not in lowest or len(lowest) == len(shares) > 1:
        return ""
    if len(lowest) == 1:
        return "alone"
    wasted = metrics["wasted"]
    apart = all(wasted[agent] > wasted[name] for name in lowest if name != agent)
    return "told apart" if apart else "jointly"


def highest(metrics: Mapping[str, Any], figure: str, agent: str) -> bool:
    """Returns whether a figure is higher for an agent than for everybody else."""
    values = metrics[figure]
    return all(values[agent] > value for name, value in values.items() if name != agent)


def figures(seed: int, processes: int) -> str:
    """Returns the CCE of planner teams, and of those with one agent that plays at random; prints that of each task."""
    planned: list[Mapping[str, Any]] = []
    substituted: list[Mapping[str, Any]] = []
    blamed: Counter[str] = Counter()
    of_successes: Counter[str] = Counter()
    completed = 0
    pointed: dict[str, list[bool]] = {"wasted": [], "aimless": []}
    tasks = [info.id for info in list_tasks("main")]
    for task, whole, of_task, complete in in_parallel(_of_task, [(task, seed) for task in tasks], processes):
        planned.append(whole)
        completed += complete
        for agent, metrics in of_task.items():
            for figure, hits in pointed.items():
                hits.append(highest(metrics, figure, agent))
            blamed[blame(metrics, agent)] += 1
            if metrics["success"]:
                of_successes[blame(metrics, agent)] += 1
        rows = list(of_task.values())
        substituted += rows
        print(
            f"{task:36} planner {whole['cce']:.2f} (idle {whole['idle_share']:.2f}, active "
            f"{whole['cce_active']:.2f}); one at random: CCE {_mean(rows, 'cce'):.2f}, "
            f"partial {_mean(rows, 'partial'):.2f}, SR {_mean(rows, 'success'):.2f}"
        )
    won = sum(bool(row["success"]) for row in planned)
    median = {
        name: statistics.median(row[name] for row in planned) for name in ("cce", "idle_share", "cce_active")
    }
    hits = {figure: _share(sum(found), len(found)) for figure, found in pointed.items()}
    teams = len(substituted)
    failed = teams - of_successes.total()
    together = teams - blamed[""]
    return "\n".join(
        (
            f"- {len(tasks)} tasks, seed {seed}. The planner succeeds in {won}; median CCE {median['cce']:.2f} with a "
            f"median of {median['idle_share']:.2f}",
            f"  of all turns slept; median CCE without waiting {median['cce_active']:.2f}.",
            f"- One agent at random ({teams} teams): mean CCE {_mean(substituted, 'cce'):.2f}, mean "
            f"`partial` {_mean(substituted, 'partial'):.2f}; {_mean(substituted, 'success'):.0%} still succeed.",
            f"  Played on, {completed} of the {failed} teams that failed reach every checkpoint.",
            f"- The random agent's PAC without waiting (`pac_active`) is lower than everybody else's in "
            f"{_share(blamed['alone'], teams)},",
            f"  and in {of_successes['alone']} of the {of_successes.total()} that succeed all the same, where PAC is "
            "what is published.",
            f"- In {together - blamed['alone']} more teams others, though not all, are as low: lowest, alone or among "
            f"some, it is in {_share(together, teams)}.",
            f"  In {blamed['told apart']} of these it has `wasted` more calls than each of those others. With this "
            "tie-break the figures name it",
            f"  in {_share(blamed['alone'] + blamed['told apart'], teams)}.",
            f"- `aimless` is higher for the random agent than for anybody else in {hits['aimless']},",
            f"  `wasted` in {hits['wasted']}.",
        )
    )


def _share(part: int, teams: int) -> str:
    # One decimal: 94.9 % must not read as the 95 % that were asked for.
    return f"{part} of {teams} teams ({part / teams:.1%})"


def _of_task(job: tuple[str, int]) -> tuple[str, Mapping[str, Any], dict[str, Mapping[str, Any]], int]:
    """Plays a task with the planner, and with each contributing agent at random.

    Returns:
        The task, its planner's figures, agent -> those of the team in which it plays at random, and how many of these
        teams failed and, played on, reach every checkpoint.
    """
    task, seed = job
    whole = _metrics(run_episode(task, PlannerPolicy(), seed=seed))
    rows: dict[str, Mapping[str, Any]] = {}
    completed = 0
    for agent in [agent for agent, share in whole["pac_partial"].items() if share]:
        episode = run_episode(task, Substituted(agent), seed=seed)
        rows[agent] = _metrics(episode)
        completed += not episode.verdict.success and play_on(resimulate(episode)).complete
    print(f"{task}: {len(rows)} teams", file=sys.stderr, flush=True)
    return task, whole, rows, completed


def necessity(seed: int, processes: int) -> str:
    """Returns how what is necessary in the planner's episodes and what is counted differ; prints every such call."""
    tasks = [info.id for info in list_tasks("main")]
    equal = within = 0
    tools: Counter[str] = Counter()
    spared: Counter[str] = Counter()
    apart: list[str] = []
    for task, missed, spare in in_parallel(_compared, [(task, seed) for task in tasks], processes):
        equal += not missed and not spare
        within += not missed
        spared.update(spare)
        if missed:
            apart.append(task)
            tools.update(tool for _, tool in missed)
            said = "; ".join(f"{where}, {tool}" for where, tool in missed)
            print(f"{task}: necessary, but not counted: {said}")
    lines = [
        f"- {len(tasks)} episodes of the planner, seed {seed}: in {within} every necessary call contributes, and in "
        f"{equal} the two sets are equal."
    ]
    if apart:
        lines += [
            f"- Calls that are necessary and do not contribute: {_numbers(tools)};",
            *textwrap.wrap(f"in {', '.join(apart)}.", 118, initial_indent="  ", subsequent_indent="  "),
        ]
    if spared:
        lines.append(f"- Calls that contribute and are not necessary: {_numbers(spared)}.")
    return "\n".join(lines)


def _numbers(tools: Counter[str]) -> str:
    return ", ".join(f"{count} {tool}" for tool, count in tools.most_common())


def _compared(job: tuple[str, int]) -> tuple[str, list[tuple[str, str]], list[str]]:
    """Returns a task, place and tool of what is necessary and does not contribute, and the tools of the reverse."""
    episode = run_episode(job[0], PlannerPolicy(), seed=job[1])
    counted = set(events_finding(episode).trace.contributing)
    necessary = set(counterfactual(episode).necessary)
    missed = [episode.lines[number] for number in sorted(necessary - counted)]
    return (
        job[0],
        [(f"{line.agent} in round {line.round}", str(line.call["tool"])) for line in missed],
        [str(episode.lines[number].call["tool"]) for number in sorted(counted - necessary)],
    )


def _metrics(episode: Episode) -> Mapping[str, Any]:
    assert episode.footer is not None
    return episode.footer.metrics


def _mean(rows: list[Mapping[str, Any]], name: str) -> float:
    return sum(float(row[name]) for row in rows) / len(rows)


def main() -> None:
    """Runs what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", action="store_true", help="measure CCE of known teams instead")
    parser.add_argument(
        "--necessity", action="store_true", help="compare with the counterfactual method instead"
    )
    parser.add_argument("--seed", type=at_least(0), help="seed of these episodes; 0 if not given")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/cce.md")
    parser.add_argument("--processes", type=at_least(1), help="processes for them; 1 if not given")
    arguments = parser.parse_args()
    if not (arguments.necessity or arguments.figures):
        given = {
            "--seed": arguments.seed is not None,
            "--write": arguments.write,
            "--processes": arguments.processes is not None,
        }
        if any(given.values()):
            named = ", ".join(name for name in given if given[name])
            parser.error(f"{named} would change nothing: expected --figures or --necessity beside it")
        timings()
        return
    number = arguments.seed or 0
    seed = f" seed {number}" if number else ""
    chosen = {}
    if arguments.figures:
        chosen[f"teams{seed}"] = figures
    if arguments.necessity:
        chosen[f"necessity{seed}"] = necessity
    if arguments.write:
        check(parser, *chosen)
    for name, measure in chosen.items():
        text = measure(number, arguments.processes or 1)
        print(text)
        if arguments.write:
            put(name, text)


if __name__ == "__main__":
    main()
