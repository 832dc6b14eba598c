"""Times the path finder on the packaged map: ``python benchmarks/bench_paths.py``."""

from __future__ import annotations

import statistics
import time

from agentworld_env.world.generate.noise import hash_int
from agentworld_env.world.paths import PathFinder
from agentworld_env.world.terrain import Terrain, load_terrain

Pair = tuple[int, int, int, int]


def pairs(terrain: Terrain, finder: PathFinder, reach: int, count: int) -> list[Pair]:
    """Returns connected pairs of tiles at most ``reach`` tiles apart along each axis."""
    found: list[Pair] = []
    draw = 0
    while len(found) < count:
        draw += 1
        x0, y0 = hash_int(1, draw) * terrain.width // 1024, hash_int(2, draw) * terrain.height // 1024
        x1 = x0 + (hash_int(3, draw) - 512) * reach // 512
        y1 = y0 + (hash_int(4, draw) - 512) * reach // 512
        if finder.connected(x0, y0, x1, y1):
            found.append((x0, y0, x1, y1))
    return found


def report(name: str, seconds: list[float]) -> None:
    """Prints the mean, the median, the 95th centile and the worst (microseconds)."""
    micro = sorted(value * 1e6 for value in seconds)
    tail, mean = micro[len(micro) * 95 // 100], statistics.mean(micro)
    middle = micro[len(micro) // 2]
    print(
        f"{name:36} mean {mean:9.1f}  median {middle:9.1f}  p95 {tail:9.1f}  max {micro[-1]:9.1f} us  n={len(micro)}"
    )


def main() -> None:
    """Runs all timings."""
    begin = time.perf_counter()
    terrain = load_terrain()
    loaded = time.perf_counter()
    finder = PathFinder(terrain)
    ready = time.perf_counter()
    print(f"load {1e3 * (loaded - begin):.1f} ms, set-up {1e3 * (ready - loaded):.1f} ms")
    for reach in (12, 30, 60, 250, 700):
        sample = pairs(terrain, finder, reach, 400 if reach <= 60 else 120)
        clear, turning, blocked = [], [], []
        for pair in sample:
            begin = time.perf_counter()
            finder.walk(*pair)
            spent = time.perf_counter() - begin
            if finder._straight(*pair, 0) is not None:
                clear.append(spent)
            elif finder._grid.monotone(*pair, 0) is not None:
                turning.append(spent)
            else:
                blocked.append(spent)
        for kind, spent_all in (("clear", clear), ("turning", turning), ("obstructed", blocked)):
            if spent_all:
                report(f"cold, reach {reach}, {kind}", spent_all)
        warm = []
        for pair in sample:
            begin = time.perf_counter()
            finder.walk(*pair)
            warm.append(time.perf_counter() - begin)
        report(f"warm, reach {reach}", warm)


if __name__ == "__main__":
    main()
