"""Measures what is proven and measured of a suite, and writes it to ``docs/suite_figures.json``.

    python -m benchmarks.suite_figures main --seeds 10
    python -m pages.tasks

Per task: the planner on every seed, the idle team on every seed, random legal calls on five seeds, the planner with one
agent at a time, the planner in the setting ``single_agent``, and the certificate (groups, near misses, mutants,
hand-overs), the latter three on seed 0 only. Tasks are shared out over processes, the largest teams first. ``--tasks
ID,ID`` measures some tasks only; give such a run another ``--out``. ``--groups`` measures anew why role groups are
necessary and leaves all other figures in the file, which must be about these very tasks.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean, median
from typing import Any

import msgspec
from benchmarks.arguments import at_least, suite_name, task_ids
from pages.suite_figures import FILE, RANDOM_SEEDS, SuiteFigures, content_of, read_figures

from agentworld_env.certify import certify_task, lower_bound
from agentworld_env.certify.play import attempt, play_idle, play_planner
from agentworld_env.certify.proofs import group_needs
from agentworld_env.env import AgentWorldEnv
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate import run_episode
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies.protocol import Turn
from agentworld_env.sim import Simulation
from agentworld_env.tasks import Task, get_task, list_tasks


def measure(task_id: str, seeds: int) -> dict[str, Any]:
    """Returns the figures of one task."""
    task = get_task(task_id)
    sim = Simulation(task.world, task.setup())
    sim.reset(0)
    certificate = certify_task(task, (0,))
    rounds = {0: certificate.rounds[0]}
    for seed in range(1, seeds):
        played = play_planner(task, seed)
        rounds[seed] = played.rounds if played.verdict.success else 0
    idle = [play_idle(task, seed) for seed in range(seeds)]
    chance = [run_episode(task, "random", seed=seed).footer for seed in range(RANDOM_SEEDS)]
    alone = sum(
        attempt(task, 0, tuple(other for other in task.team if other != name)).success for name in task.team
    )
    return {
        "task": task_id,
        "rounds": rounds,
        "budget": task.spec.max_rounds,
        "bounds": {seed: lower_bound(task.spec, sim, seed=seed).rounds for seed in range(seeds)},
        "idle": [(verdict.success, verdict.psr) for verdict in idle],
        "random": [(footer.verdict.success, footer.verdict.psr) for footer in chance if footer is not None],
        "alone": alone,
        "agents": len(task.team),
        "single": play_single(task_id),
        "problems": Counter(problem.kind for problem in certificate.problems),
        "near_misses": certificate.near_misses,
        "mutants": certificate.mutants,
        "groups": [need.how or "none" for need in certificate.groups],
        "handovers": certificate.handovers,
        "joint": certificate.joint,
    }


def measure_groups(task_id: str) -> dict[str, Any]:
    """Returns why the role groups of one task are necessary, as in ``measure``."""
    task = get_task(task_id)
    sim = Simulation(task.world, task.setup())
    sim.reset(0)
    return {"task": task_id, "groups": [need.how or "none" for need in group_needs(task, sim, 0)]}


def play_single(task_id: str) -> int:
    """Returns the rounds that the planner takes in the setting ``single_agent``, 0 if it fails."""
    env = AgentWorldEnv(get_task(task_id), setting="single_agent")
    env.reset(seed=0)
    policy = PlannerPolicy()
    policy.attach(env)
    policy.begin({}, 0)
    while not env.is_over:
        env.step(policy.act(Turn(agent=env.agent_selection, round=env.round, observation="", info={})))
    verdict = env.verdict()
    return max(point.round for point in verdict.checkpoints) if verdict.success else 0


def summary(suite: str, seeds: int, found: list[dict[str, Any]]) -> SuiteFigures:
    """Returns the figures of a suite from those of its tasks."""
    solved = [(it, seed) for it in found for seed, rounds in it["rounds"].items() if rounds]
    if not solved:
        raise AgentWorldError("the planner solved nothing: there is nothing to compare")
    ratio = {(it["task"], seed): it["rounds"][seed] / it["bounds"][seed] for it, seed in solved}
    single = [it for it in found if it["single"]]
    survived = sum(it["problems"]["mutant"] for it in found)
    passed = sum(it["problems"]["near_miss"] for it in found)
    return SuiteFigures(
        suite=suite,
        content=content_of([get_task(it["task"]) for it in found]),
        tasks=len(found),
        seeds=seeds,
        planner=len(solved),
        slack=round(median(1 - it["rounds"][seed] / it["budget"] for it, seed in solved), 3),
        ratios=tuple(
            round(median(value for (_, at), value in ratio.items() if at == seed), 3)
            for seed in range(seeds)
            if any(at == seed for _, at in ratio)
        ),
        ratio=round(median(ratio.values()), 3),
        idle=_rates([pair for it in found for pair in it["idle"]]),
        random=_rates([pair for it in found for pair in it["random"]]),
        alone=sum(it["alone"] for it in found),
        agents=sum(it["agents"] for it in found),
        single=len(single),
        single_rounds=median(it["single"] for it in single) if single else 0,
        team_rounds=median(it["rounds"][0] for it in single) if single else 0,
        mutants=(sum(it["mutants"] for it in found), sum(it["mutants"] for it in found) - survived),
        near_misses=(sum(it["near_misses"] for it in found), sum(it["near_misses"] for it in found) - passed),
        shared=(sum(it["handovers"] > 0 for it in found), sum(it["joint"] > 0 for it in found)),
        **necessity(found),
    )


def necessity(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the figures of a suite that are about role groups."""
    needed = {it["task"]: [how for how in it["groups"] if how != "none"] for it in found}
    named = tuple(task for task, hows in needed.items() if "named" in hows)
    return {
        "groups": dict(sorted(Counter(how for it in found for how in it["groups"]).items())),
        "named": named,
        "unnamed": tuple(task for task in named if sum(how != "named" for how in needed[task]) < 2),
        "least_groups": min(map(len, needed.values())),
        "group_share": round(median(len(needed[it["task"]]) / len(it["groups"]) for it in found), 3),
    }


def _rates(pairs: list[tuple[bool, float]]) -> tuple[float, float]:
    return round(fmean(success for success, _ in pairs), 4), round(fmean(psr for _, psr in pairs), 4)


def _kept(path: Path, tasks: list[Task]) -> SuiteFigures:
    """Returns the figures in a file.

    Raises:
        AgentWorldError: They are about other tasks.
    """
    figures = read_figures(path)
    if figures.content != content_of(tasks):
        raise AgentWorldError(
            f"{path}: expected figures of these very tasks; measure all of them without --groups"
        )
    return figures


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", nargs="?", type=suite_name, default="main")
    parser.add_argument("--seeds", type=at_least(1), default=10)
    parser.add_argument("--processes", type=at_least(1), default=os.cpu_count() or 1)
    parser.add_argument(
        "--tasks", type=task_ids, help="ids, separated by commas; all of the suite if not given"
    )
    parser.add_argument("--groups", action="store_true", help="only why role groups are necessary")
    parser.add_argument("--out", type=Path, default=FILE)
    chosen = parser.parse_args()
    began = time.perf_counter()
    try:
        if not chosen.out.parent.is_dir():
            raise AgentWorldError(f"{chosen.out.parent}: expected a directory to write to")
        known = [info.id for info in list_tasks(chosen.suite)]
        wanted = chosen.tasks or known
        tasks = sorted((get_task(name) for name in wanted), key=lambda task: -len(task.team))
        kept = _kept(chosen.out, [get_task(name) for name in wanted]) if chosen.groups else None
        found: dict[str, dict[str, Any]] = {}
        with ProcessPoolExecutor(chosen.processes, mp_context=multiprocessing.get_context("spawn")) as pool:
            if chosen.groups:
                futures = [pool.submit(measure_groups, task.id) for task in tasks]
            else:
                futures = [pool.submit(measure, task.id, chosen.seeds) for task in tasks]
            for future in futures:
                figures = future.result()
                found[figures["task"]] = figures
                print(f"{len(found)}/{len(tasks)} {figures['task']}", file=sys.stderr)
        ordered = [found[name] for name in wanted]
        if kept is not None:
            result = msgspec.structs.replace(kept, **necessity(ordered))
        else:
            result = summary(chosen.suite, chosen.seeds, ordered)
    except AgentWorldError as error:
        sys.exit(f"error: {error}")
    chosen.out.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    print(f"{chosen.out}: {len(found)} tasks in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
