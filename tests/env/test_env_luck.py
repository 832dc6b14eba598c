"""Leaving one action out changes nothing that does not depend on it.

A recorded random episode is played twice, once with one call replaced by a call that does nothing. What depends on the
call is found by following who and what is touched: an event touches its agents, mobs, nodes, things and receivers, and
whatever shares an event with something touched is touched from then on. So is a mob that is after somebody touched, as
it follows where that one goes. Everything else must happen as before.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.teams import Call, chance, fresh, hunters, playable

from agentworld_env.env import AgentWorldEnv
from agentworld_env.sim import randomness
from agentworld_env.sim.events import Died

PASS: Call = {"tool": "no_such_tool"}
STEPS = 90

Turn = tuple[tuple[int, str], Call, list[Any], list[Any], list[set[str]]]
"""One turn: (round, agent), the call, its own events, the world's events after it, and who is after whom before it."""


def hunt(seed: int) -> list[Call]:
    """Records an episode of calls that are eager to fight; without chat, which would make everybody depend on all."""
    env, below = fresh(hunters(), seed), chance(seed)
    calls: list[Call] = []
    while env.agents and len(calls) < STEPS:
        if not playable(env):
            env.step(None)
            continue
        legal = env.infos[env.agent_selection]["legal"]
        tools = [
            tool
            for tool in ("move_character", "harvest_resource", "use_item", "transfer_items")
            if tool in legal
        ]
        if "attack_entity" in legal and below(3):
            tools = ["attack_entity"]
        tool = tools[below(len(tools))]
        call = {"tool": tool, "arguments": dict(legal[tool][below(len(legal[tool]))])}
        calls.append(call)
        env.step(call)
    return calls


def turns(seed: int, calls: list[Call]) -> list[Turn]:
    """Plays calls literally and returns what each brought about."""
    env = fresh(hunters(), seed)
    played: list[Turn] = []
    for call in calls:
        while env.agents and not playable(env):
            env.step(None)
        if not env.agents:
            break
        slot = (env.round, env.agent_selection)
        first = len(env.sim.state.events)
        number = env.sim.state.actions
        ties = grudges(env)
        env.step(call)
        events = env.sim.state.events[first:]
        own = [event for event in events if event.action == number]
        played.append((slot, call, own, [event for event in events if event.action != number], ties))
    return played


def grudges(env: AgentWorldEnv) -> list[set[str]]:
    """Returns every roused mob together with its prey and with those who have hit it."""
    sim = env.sim
    return [
        {sim.spec(number).id, *(sim.names[i] for i in (mob.target, *(hit[0] for hit in mob.hits)) if i >= 0)}
        for number, mob in sim.state.mobs.items()
    ]


def touched(event: Any) -> set[str]:
    """Returns the ids of everything that takes part in an event."""
    names: set[str] = set()
    for field in (
        "agent",
        "mob",
        "node",
        "ground",
        "to",
        "site",
        "npc",
        "source",
        "guarded",
        "stopped",
        "by",
    ):
        value = getattr(event, field, None)
        if isinstance(value, str):
            names.add(value)
        elif isinstance(value, tuple):
            names.update(name for name, _ in value)
    return names - {"", "limit", "blocked"}


def named(call: Call) -> set[str]:
    """Returns the ids that a call names."""
    return {str(value) for key, value in call.get("arguments", {}).items() if key in ("target", "to")}


def differences(seed: int, left_out: int) -> tuple[list[str], int]:
    """Returns what changed without depending on the call left out, and how many events were compared."""
    calls = hunt(seed)
    left_out %= len(calls)
    with_it = turns(seed, calls)
    without = turns(seed, [PASS if i == left_out else call for i, call in enumerate(calls)])
    changed: set[str] = set()
    found: list[str] = []
    compared = 0
    for i, ((slot, call, own, world, ties), (other_slot, _, other_own, other_world, other_ties)) in enumerate(
        zip(with_it, without, strict=False)
    ):
        if slot != other_slot:
            break
        _rouse(ties + other_ties, changed)
        if i == left_out:
            changed.add(slot[1])
            changed |= named(call)
            for event in own:
                changed |= touched(event)
        elif not (_spread(own + other_own, changed) or {slot[1], *named(call)} & changed):
            compared += len(own)
            if own != other_own:
                found.append(f"{slot} {call}: {own} became {other_own}")
        else:
            changed.add(slot[1])
            changed |= named(call)
        _rouse(ties + other_ties, changed)
        _spread(world + other_world, changed)
        before = Counter(repr(event) for event in world if not touched(event) & changed)
        after = Counter(repr(event) for event in other_world if not touched(event) & changed)
        compared += sum(before.values())
        if before != after:
            found.append(f"world after {slot}: {before} became {after}")
        if _fallen(own + world) != _fallen(other_own + other_world):
            break  # Somebody dies in only one of the two: from here on turns no longer stand side by side.
    return found, compared


def _rouse(ties: list[set[str]], changed: set[str]) -> None:
    """Lets mobs be changed that are after a changed agent, or have been hit by one."""
    for tie in ties:
        if any(name in changed for name in tie if name.startswith("hunter")):
            changed |= {name for name in tie if not name.startswith("hunter")}


def _fallen(events: list[Any]) -> set[str]:
    return {event.agent for event in events if type(event) is Died}


def _spread(events: list[Any], changed: set[str]) -> bool:
    """Lets what events share with something changed be changed, too; returns whether there was any."""
    any_hit = False
    again = True
    while again:
        again = False
        for event in events:
            names = touched(event)
            if names & changed and not names <= changed:
                changed |= names
                again = True
            any_hit = any_hit or bool(names & changed)
    return any_hit


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32), left_out=st.integers(0, STEPS - 1))
def test_leaving_one_action_out_changes_no_event_that_does_not_depend_on_it(seed: int, left_out: int) -> None:
    found, _ = differences(seed, left_out)
    assert not found


def test_the_comparison_sees_hundreds_of_independent_fights() -> None:
    compared = sum(differences(seed, 5)[1] for seed in range(8))
    assert compared > 300


def test_randomness_that_counts_its_draws_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pure = randomness.draw
    drawn = 0

    def counting(seed: int, stream: int, actor: int, target: int, round_: int = 0, exchange: int = 0) -> int:
        nonlocal drawn
        drawn += 1
        return pure(seed, stream, drawn, 0)

    fresh_env = AgentWorldEnv.reset

    def reset(self: AgentWorldEnv, seed: int | None = None, options: Any = None) -> None:
        nonlocal drawn
        drawn = 0
        fresh_env(self, seed, options)

    monkeypatch.setattr(randomness, "draw", counting)
    monkeypatch.setattr(AgentWorldEnv, "reset", reset)
    assert any(differences(seed, 5)[0] for seed in range(8))


def test_every_stream_actor_target_round_and_exchange_draws_on_its_own() -> None:
    keys = [
        (7, s, a, t, r, e) for s in (1, 2) for a in range(4) for t in range(4) for r in (1, 2) for e in (0, 1)
    ]
    assert len({randomness.draw(*key) for key in keys}) == len(keys)
