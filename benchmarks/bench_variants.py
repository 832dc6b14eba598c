"""How long fresh certified variants take, and how many candidates pass: ``python benchmarks/bench_variants.py 100``."""

from __future__ import annotations

import os
import sys
import time

from agentworld_env.tasks import get_task, list_tasks
from agentworld_env.variants.digests import fingerprint
from agentworld_env.variants.generator import known
from agentworld_env.variants.many import Harvest, make_variants


def main(count: int, processes: int, seed: int) -> None:
    sources = [get_task(info.id) for info in list_tasks("main")]
    harvest = Harvest()
    began, busy = time.perf_counter(), os.times()
    variants = list(make_variants(sources, seed, count, jobs=processes, harvest=harvest))
    seconds, now = time.perf_counter() - began, os.times()
    core = sum(now[:4]) - sum(busy[:4])
    prints = {fingerprint(variant.task.spec) for variant in variants}
    print(f"variants              {len(variants)} of {len({v.source for v in variants})} tasks")
    print(f"distinct fingerprints {len(prints)}, of these main or augmented {len(prints & known())}")
    print(f"candidates            {harvest.candidates}, certified {len(variants) / harvest.candidates:.1%}")
    print(f"wall clock            {seconds:.1f} s with {processes} processes")
    print(f"processor time        {core:.1f} s, {core / harvest.candidates:.2f} s a candidate")
    for reason, number in harvest.rejected.most_common():
        print(f"  {number:5}  {reason}")
    for source, why in harvest.exhausted.items():
        print(f"{source}: {why}")
    print(f"given up              {len(harvest.exhausted)} tasks, {harvest.filled} variants in their place")


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    main(*(given + [100, 2, 0][len(given) :]))
