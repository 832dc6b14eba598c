"""A short run of ``benchmarks/fuzz.py``, and the proof that it would notice what it looks for."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks import fuzz
from tests.env.teams import boss_crew, crew, hunters

from agentworld_env.env import AgentWorldEnv
from agentworld_env.sim import gathering, simulation
from agentworld_env.sim.events import Lot, Result
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import Bag
from agentworld_env.tasks import get_task, list_tasks

SPREAD = [info.id for info in list_tasks()][::14]
"""Tasks of all sizes and kinds; the script plays all of them."""


@pytest.mark.parametrize("name", SPREAD)
def test_random_and_malformed_calls_raise_nothing_and_break_no_invariant(name: str) -> None:
    calls, failed = fuzz.episode(AgentWorldEnv(get_task(name)), seed=3, most=120)
    assert calls > 20
    assert 0 < failed < calls


def test_units_that_appear_from_nowhere_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(bag: Bag, item: str, lots: tuple[Lot, ...]) -> None:
        bag[item] = (*bag.get(item, ()), *lots, *lots)

    monkeypatch.setattr(gathering, "put", doubled)
    with pytest.raises(SystemExit, match="items came from nowhere or were lost"):
        sum(fuzz.episode(AgentWorldEnv(crew()), seed, 240)[0] for seed in range(20))


def test_hit_points_beyond_the_greatest_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    perform = Simulation.perform

    def blessed(sim: Simulation, *given: Any) -> Result:
        sim.state.agents[sim.state.turn].hp = 10**6
        return perform(sim, *given)

    monkeypatch.setattr(simulation.Simulation, "perform", blessed)
    with pytest.raises(SystemExit, match="1000000 hit points"):
        fuzz.episode(AgentWorldEnv(hunters()), 1, 240)


def test_a_call_that_raises_is_named_with_task_seed_and_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Result:
        raise ZeroDivisionError

    monkeypatch.setattr(simulation.Simulation, "perform", broken)
    with pytest.raises(SystemExit, match=r"boss_crew, seed 1, call 0 by miner: .*\n.*ZeroDivisionError"):
        fuzz.episode(AgentWorldEnv(boss_crew()), 1, 10)
