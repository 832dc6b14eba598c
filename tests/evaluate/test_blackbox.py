"""A policy is a blackbox: what it is handed leads to nothing but what its own agent sees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

import agentworld_env
from agentworld_env.env import AgentWorldEnv, ParallelAgentWorldEnv, StaleViewError
from agentworld_env.episodes import read_episode, resimulate
from agentworld_env.evaluate.seating import turn_of
from agentworld_env.policies import Turn
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.sim import Simulation
from agentworld_env.sim.events import Event
from agentworld_env.sim.state import AgentState, LastCall, MobState, Snapshot, State
from agentworld_env.tasks import get_task
from agentworld_env.verifiers import Verifier
from agentworld_env.world import World

TASK = "t86_forge_vanguard"

STATEFUL = (Simulation, State, AgentState, LastCall, MobState, Snapshot, Event, Verifier, World)
STATEFUL += (AgentWorldEnv, ParallelAgentWorldEnv)

PLAIN = (str, int, float, bool, type(None))


def reachable(thing: Any, path: str = "turn") -> Iterator[tuple[str, Any]]:
    """Yields everything that public attributes, keys, items and calls without arguments lead to, with its path."""
    seen: dict[int, Any] = {}
    waiting = [(path, thing)]
    while waiting:
        path, thing = waiting.pop()
        if isinstance(thing, PLAIN):
            yield path, thing
            continue
        if id(thing) in seen or isinstance(thing, type):
            continue
        seen[id(thing)] = thing  # kept alive, so that no id is given twice
        yield path, thing
        if isinstance(thing, Mapping):
            waiting += [(f"{path}[{key!r}]", thing[key]) for key in thing]
        elif isinstance(thing, (tuple, list, set, frozenset)):
            waiting += [(f"{path}[{k}]", value) for k, value in enumerate(thing)]
        if isinstance(thing, (dict, list, tuple, set, frozenset, MappingProxyType)) and not hasattr(
            thing, "_fields"
        ):
            continue
        for name in dir(thing):
            if not name.startswith("_"):
                waiting.append((f"{path}.{name}", getattr(thing, name)))
        owner = getattr(thing, "__self__", None)
        if owner is not None and type(thing).__name__ == "method":
            waiting.append((f"{path}.__self__", owner))
            try:
                waiting.append((f"{path}()", thing()))
            except TypeError:  # it wants arguments
                continue


class Nosy(RandomPolicy):
    """Plays at random, and notes the state that its turns lead to."""

    wants_text = True

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.reached: dict[str, str] = {}

    def act(self, turn: Turn) -> Any:
        self.asked += 1
        if self.asked <= 25:
            self.reached.update(
                {path: type(thing).__name__ for path, thing in reachable(turn) if isinstance(thing, STATEFUL)}
            )
        return super().act(turn)


@pytest.mark.parametrize("setting", [None, "oracle_view"])
def test_nothing_that_a_turn_hands_out_leads_to_the_state(setting: str | None) -> None:
    nosy = Nosy()
    agentworld_env.run_episode(TASK, nosy, seed=3, setting=setting)
    assert nosy.asked > 25
    assert nosy.reached == {}


def test_no_number_of_a_team_mates_bag_reaches_a_turn() -> None:
    env = AgentWorldEnv(get_task(TASK))
    env.reset(seed=3)
    own, mate = env.sim.state.agents[:2]
    mate.bag["apple"] = ((0, 0, 7_919),)
    own.bag["apple"] = ((0, 0, 6_997),)
    numbers = [thing for _, thing in reachable(turn_of(env, Nosy())) if type(thing) is int]
    assert 7_919 not in numbers
    assert 6_997 in numbers


def test_the_walk_finds_state_where_there_is_some() -> None:
    env = AgentWorldEnv(get_task(TASK))
    env.reset(seed=0)

    class Leaky:
        def __init__(self) -> None:
            self.inner = {"deep": [env.sim]}

    assert any(isinstance(thing, Simulation) for _, thing in reachable(Leaky()))


def test_nothing_of_a_view_can_be_set() -> None:
    env = AgentWorldEnv(get_task(TASK))
    env.reset(seed=0)
    view = env.view(env.agent_selection)
    for name in [name for name in dir(view) if not name.startswith("_")]:
        with pytest.raises(AttributeError):
            setattr(view, name, 1)


def test_what_a_view_hands_out_changes_nothing_if_it_is_changed() -> None:
    env = AgentWorldEnv(get_task(TASK))
    env.reset(seed=0)
    agent = env.agent_selection
    env.step({"tool": "sleep", "arguments": {"rounds": 1}})
    before = env.state_hash(), env.view(agent).to_dict(), env.observe(agent)
    wants = [dict(person.wants) for person in env.sim.world.npcs.values()]
    view = env.view(agent)
    view.bag.clear()
    view.worn.clear()
    view.map.clear()
    view.depleted.update(range(1_000))
    view.to_dict()["last"]["arguments"]["rounds"] = 7
    for name in env.possible_agents:
        for _, person in env.view(name).people:
            person.wants.clear()
    legal = env.legal(agent)
    with pytest.raises(TypeError):
        legal.present_tools["sleep"] = None  # type: ignore[index]
    env._texts.clear()
    assert (env.state_hash(), env.view(agent).to_dict(), env.observe(agent)) == before
    assert [dict(person.wants) for person in env.sim.world.npcs.values()] == wants


def test_a_policy_that_spoils_all_it_is_handed_plays_the_episode_that_its_calls_make(tmp_path: Any) -> None:
    class Spoiler(RandomPolicy):
        def act(self, turn: Turn) -> Any:
            decision = super().act(turn)
            call = msgspec.to_builtins(getattr(decision, "call", decision))
            for _, thing in list(reachable(turn)):
                if isinstance(thing, (dict, list, set)):
                    thing.clear()
            return call

    honest = agentworld_env.run_episode("t01_magic_staff", RandomPolicy(), seed=5)
    spoilt = agentworld_env.run_episode("t01_magic_staff", Spoiler(), seed=5, out=tmp_path)
    assert spoilt.verdict == honest.verdict
    assert resimulate(read_episode(spoilt.path)).verdict() == honest.verdict


def test_nothing_that_is_spoilt_in_one_turn_is_shared_with_any_other() -> None:
    def shown(seed: int) -> tuple[Turn, Any]:
        env = AgentWorldEnv(get_task(TASK))
        env.reset(seed=seed)
        env.step({"tool": "sleep", "arguments": {"rounds": 1}})
        turn = turn_of(env, Nosy())
        plain = turn.observation, turn.tools, turn.info["view"].to_dict(), turn.info["legal"].calls()
        return turn, json.dumps(plain)

    spoilt, before = shown(4)
    for _, thing in list(reachable(spoilt)):
        if isinstance(thing, (dict, list, set)):
            thing.clear()
    assert shown(4)[1] == before


def test_a_view_has_what_its_plain_form_says() -> None:
    env = AgentWorldEnv(get_task(TASK))
    env.reset(seed=1)
    for name in env.possible_agents:
        view = env.view(name)
        plain = view.to_dict()
        for field in (
            "round",
            "max_rounds",
            "x",
            "y",
            "hp",
            "max_hp",
            "mana",
            "max_mana",
            "bag",
            "worn",
            "map",
        ):
            assert getattr(view, field) == plain[field], field
        assert (view.name, view.levels()) == (plain["agent"], plain["skills"])


def test_a_view_that_has_gone_stale_says_so_instead_of_telling_of_another_moment() -> None:
    env = AgentWorldEnv(get_task(TASK))
    env.reset(seed=1)
    view = env.view(env.agent_selection)
    env.step({"tool": "sleep", "arguments": {"rounds": 1}})
    for field in ("x", "y", "hp", "max_hp", "mana", "max_mana", "bag", "worn"):
        with pytest.raises(StaleViewError):
            getattr(view, field)
