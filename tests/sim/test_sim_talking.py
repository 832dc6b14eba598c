from __future__ import annotations

from tests.sim.worlds import agent, do, end_round, of_type, start

from agentworld_env.sim import LEFT, READY, SKIPPED
from agentworld_env.sim.events import Left, Mention, Said, Woke
from agentworld_env.sim.talking import clean


def test_the_team_channel_reaches_everybody_at_any_distance() -> None:
    sim = start(agent("a"), agent("b", 600, 600), agent("c", 101, 100))
    assert do(sim, "a", "chat", message="hello").ok
    assert of_type(sim, Said)[0].heard == ("b", "c")


def test_speech_carries_16_tiles() -> None:
    sim = start(agent("a"), agent("b", 108, 108), agent("c", 108, 109))
    assert do(sim, "a", "send_chat_message", message="hello").ok
    assert of_type(sim, Said)[0].heard == ("b",)


def test_who_has_left_hears_nothing() -> None:
    sim = start(agent("a"), agent("b"))
    do(sim, "b", "complete", response="bye")
    do(sim, "a", "chat", message="hello")
    assert of_type(sim, Said)[0].heard == ()


def test_messages_are_cut_at_500_characters_and_stripped_of_control_characters() -> None:
    sim = start(agent("a"), agent("b"))
    do(sim, "a", "chat", message="x\n\x00\u202ey " + "z" * 900)
    text = of_type(sim, Said)[0].text
    assert text.startswith("x y zz")
    assert len(text) == 500
    assert clean("\t\n ", 500) == ""


def test_an_empty_message_is_refused() -> None:
    sim = start(agent("a"), agent("b"))
    assert do(sim, "a", "chat", message=" \n").code == "empty"
    assert not of_type(sim, Said)


def test_a_message_wakes_a_sleeper() -> None:
    sim = start(agent("a"), agent("b"))
    do(sim, "b", "sleep", rounds=5)
    do(sim, "a", "chat", message="up")
    assert sim.state.agents[1].asleep == 0
    assert of_type(sim, Woke)[0].by == "a"


def test_sleep_of_n_rounds_costs_n_turns() -> None:
    sim = start(agent("a"), agent("b"))
    do(sim, "a", "sleep", rounds=3)
    outcomes = []
    for _ in range(3):
        end_round(sim)
        outcomes.append(sim.next_turn())
    assert outcomes == [SKIPPED, SKIPPED, READY]
    assert sim.state.agents[0].turns == 3


def test_every_round_slept_restores_three_times_as_much() -> None:
    sim = start(agent("a", skills={"health": 99}), agent("b", skills={"health": 99}))
    # 39 + 30 x 99 = 3009 hit points; 0.7 % of it is 21.
    for me in sim.state.agents:
        me.hp = 100
    do(sim, "a", "sleep", rounds=2)
    end_round(sim)
    assert [me.hp for me in sim.state.agents] == [163, 121]
    assert sim.next_turn() == SKIPPED
    end_round(sim)
    assert [me.hp for me in sim.state.agents] == [226, 142]
    assert sim.next_turn() == READY
    end_round(sim)
    assert [me.hp for me in sim.state.agents] == [247, 163]


def test_sleep_is_limited_to_five_rounds() -> None:
    sim = start(agent("a"))
    assert do(sim, "a", "sleep", rounds=6).code == "arguments"
    assert do(sim, "a", "sleep", rounds=0).code == "arguments"
    assert do(sim, "a", "sleep").ok


def test_completing_is_final_and_counts_as_alive() -> None:
    sim = start(agent("a"), agent("b"))
    assert do(sim, "a", "complete", response="done\nhere").ok
    assert sim.state.agents[0].status == LEFT
    assert sim.alive(0)
    assert of_type(sim, Left)[0].response == "done here"
    end_round(sim)
    assert sim.next_turn() == SKIPPED


def test_mentions_find_agents_ids_names_places_tiles_and_quantities() -> None:
    sim = start(agent("Miner1"), agent("b"))
    do(
        sim,
        "Miner1",
        "chat",
        message="b: bring 5 logs and Long Swords to the old camp (105, 100), rat-0001 there; ask miner1",
    )
    assert of_type(sim, Said)[0].mentions == (
        Mention("agent", "b"),
        Mention("quantity", "5"),
        Mention("item", "logs"),
        Mention("item", "sword"),
        Mention("place", "camp"),
        Mention("tile", "105,100"),
        Mention("entity", "rat-0001"),
        Mention("agent", "Miner1"),
    )


def test_mentions_name_each_thing_once_and_nothing_that_is_only_part_of_a_word() -> None:
    sim = start(agent("a"), agent("b"))
    do(sim, "a", "chat", message="logs logs catalogs sticky")
    assert of_type(sim, Said)[0].mentions == (Mention("item", "logs"),)
