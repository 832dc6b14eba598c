"""A large team sees, hears and may do exactly what looking at everything one by one finds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.env.crowds import crowd
from tests.env.teams import active, chance, fresh, playable, random_calls

from agentworld_env.env import AgentWorldEnv
from agentworld_env.env.legal import LISTERS
from agentworld_env.sim import whereabouts
from agentworld_env.sim.crowd import FEW
from agentworld_env.sim.events import Died, Hurt, Said, Transferred, Woke
from agentworld_env.world.geometry import manhattan

SEEDS = st.integers(0, 2**32)


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_few() -> Iterator[None]:
    """Lets every look go through an index: fights and things on the ground are seldom many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whereabouts, "FEW", 0)
        yield


def after_play(seed: int, steps: int) -> AgentWorldEnv:
    env = fresh(crowd(), seed)
    for k, _ in enumerate(random_calls(env, seed, steps)):
        # Looking now and then builds the indices, so that the rest of the play has to keep them up to date.
        if k % 7 == 0 and playable(env):
            env.observe(env.agent_selection)
    return env


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, steps=st.integers(0, 300))
def test_views_in_a_crowd_show_what_is_there_and_nothing_else(seed: int, steps: int) -> None:
    env = after_play(seed, steps)
    sim = env.sim
    assert len(sim.names) > FEW
    for agent in env.agents[::5]:
        view = env.view(agent)
        mates = sorted(
            (manhattan(view.x, view.y, other.x, other.y), name)
            for name, other in zip(sim.names, sim.state.agents, strict=True)
            if name != agent and manhattan(view.x, view.y, other.x, other.y) <= sim.rules.sight_people
        )
        assert [(mate.distance, mate.name) for mate in view.mates] == mates
        reach = sim.rules.transfer_reach
        assert [row[:2] for row in env.view(agent).mates_within(reach)] == [m for m in mates if m[0] <= reach]
        things = sorted(
            (manhattan(view.x, view.y, x, y), key)
            for key, (_, _, x, y) in sim.state.ground.items()
            if manhattan(view.x, view.y, x, y) <= sim.rules.sight_people
        )
        assert [(thing.distance, thing.id) for thing in view.ground] == things
        mobs = sorted(
            (manhattan(view.x, view.y, *where), number)
            for number in range(len(sim.world.mob_spawns))
            if (where := sim.where(number)) is not None
            and manhattan(view.x, view.y, *where) <= sim.rules.sight_mobs
        )
        assert [(mob.distance, mob.number) for mob in view.mobs] == mobs
        assert view.mob_count == len(mobs)
        assert env.view(agent).any_mob == bool(mobs)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, steps=st.integers(0, 300))
def test_everybody_in_a_crowd_hears_what_was_said_to_it(seed: int, steps: int) -> None:
    env = after_play(seed, steps)
    sim = env.sim
    said = [sim.state.events[i] for i in sim.state.said]
    for i in range(0, len(sim.names), 4):
        heard = [
            place
            for place, event in enumerate(said)
            if isinstance(event, Said) and sim.names[i] in event.heard
        ]
        assert sim.whereabouts.heard_by(i) == heard
    present = active(env)
    for name in present[::5]:
        index = sim.index[name]
        assert list(sim.whereabouts.present_but(index)) == [other for other in present if other != name]
    asleep = [i for i, agent in enumerate(sim.state.agents) if agent.asleep]
    assert sim.whereabouts.sleepers() == asleep


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_what_befell_an_agent_is_found_in_a_long_log(seed: int) -> None:
    env = after_play(seed, 300)
    sim = env.sim
    events = sim.state.events
    for index, name in enumerate(sim.names[::6]):
        i = index * 6
        mine = [
            event
            for event in events
            if (isinstance(event, Hurt | Woke) and event.agent == name)
            or (isinstance(event, Transferred) and event.to == name)
            or isinstance(event, Died)
        ]
        found = [event for event in sim.whereabouts.befell(i, 0) if event in mine]
        assert found == mine


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS, steps=st.integers(50, 250))
def test_a_snapshot_of_a_crowd_is_seen_as_it_was(seed: int, steps: int) -> None:
    env = after_play(seed, steps)
    aside, agent = env.snapshot(), env.agents[0]
    text, hash_ = env.observe(agent), env.state_hash()
    for _ in random_calls(env, seed + 1, 60):
        pass
    env.restore(aside)
    assert env.observe(agent) == text
    assert env.state_hash() == hash_


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS, steps=st.integers(0, 200))
def test_a_tool_is_on_offer_exactly_when_it_has_a_call(seed: int, steps: int) -> None:
    env, below = after_play(seed, steps), chance(seed)
    for _ in range(6):
        agent = env.agents[below(len(env.agents))]
        listed = {tool for tool in env.tools if list(LISTERS[tool](env.view(agent)))}
        assert set(env.legal(agent)) == (listed if agent in active(env) else set())
