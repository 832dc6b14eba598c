"""How smooth a replay page is: milliseconds per step of the scrubber in headless Chromium, 55 rounds of 20 agents.

Run it with ``python benchmarks/replay_page.py``; it needs the extra ``browser``, Chromium and chromedriver.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.report.browser import chromium, opened, press

import agentworld_env
from agentworld_env import run_episode

TASK = "t99_kingdom_festival"
PANELS = {"1": "turn", "2": "team", "3": "chat", "4": "goals"}

MEASURE = """
const done = arguments[arguments.length - 1], last = arguments[0];
const scrub = document.getElementById('scrub');
const work = [], painted = [];
const frame = () => new Promise(requestAnimationFrame);
(async () => {
  await frame();
  for (let moment = 1; moment <= last; moment += 7) {
    await frame();
    const start = performance.now();
    scrub.value = moment;
    scrub.dispatchEvent(new Event('input'));
    work.push(performance.now() - start);
    await frame();
    await new Promise((next) => setTimeout(next, 0));
    painted.push(performance.now() - start);
  }
  const at = (list, share) => list.sort((a, b) => a - b)[Math.floor(share * (list.length - 1))];
  done([at(work, 0.5), at(work, 0.95), at(painted, 0.5), at(painted, 0.95)]);
})();
"""


class Busy:
    """Walks, talks, fails and sleeps, so that everything on the page changes; nobody dies."""

    name = "busy"
    wants_text = False

    def begin(self, briefs: Any, seed: int) -> None:
        self.turns = 0

    def act(self, turn: Any) -> dict[str, Any]:
        self.turns += 1
        me, kind = turn.info["view"], self.turns % 7
        if kind == 3:
            return {"tool": "chat", "arguments": {"message": f"{turn.agent} needs 3 logs at (388, 10)"}}
        if kind in (0, 4):
            step = 8 if turn.round % 2 else -8
            return {"tool": "move_character", "arguments": {"x": me.x + step, "y": me.y}}
        if kind == 1:
            return {"tool": "craft_item", "arguments": {"item": "sword1"}}
        return {"tool": "sleep", "arguments": {"rounds": 1}}


def main() -> None:
    episode = run_episode(TASK, Busy(), seed=0)
    assert (len(episode.lines), len(episode.team)) == (1100, 20)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        page = agentworld_env.replay(episode).save(Path(folder) / "page.html")
        print(f"page: {page.stat().st_size / 1024:.0f} KiB in {time.perf_counter() - start:.2f} s")
        with chromium(Path(folder) / "profile") as browser:
            start = time.perf_counter()
            opened(browser, page)
            print(f"opened in {time.perf_counter() - start:.2f} s")
            print("panel   script ms (median, 95 %)   until painted ms (median, 95 %)")
            for key, name in PANELS.items():
                press(browser, key)
                script, script95, paint, paint95 = browser.execute_async_script(MEASURE, len(episode.lines))
                print(f"{name:6}  {script:10.1f} {script95:8.1f} {paint:20.1f} {paint95:8.1f}")


if __name__ == "__main__":
    main()
