from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.hand_made import Stage

from agentworld_env.metrics import behaviour
from agentworld_env.metrics.behaviour import redundant
from agentworld_env.metrics.causal.information import information_edges
from agentworld_env.metrics.causal.log import Log
from agentworld_env.sim.events import Mention, Said

ORE, COAL = Mention("item", "ore"), Mention("item", "coal")


def _said(action: int, agent: str, heard: tuple[str, ...], *mentions: Mention, text: str = "words") -> Said:
    return Said(action, 1, (), agent, "team", text, heard, mentions)


def test_a_silent_team_has_no_first_message() -> None:
    stage = Stage(a=(0, 0))
    stage.sleep("a")
    found = behaviour(stage.lines, stage.at)
    assert (found.chat_share, found.first_chat_round, found.redundant_messages) == (0.0, None, 0)


def test_share_and_first_round_of_chat() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.sleep("a")
    stage.sleep("b")
    stage.round = 2
    stage.say("a", ORE)
    stage.sleep("b")
    found = behaviour(stage.lines, stage.at)
    assert (found.chat_share, found.first_chat_round) == (1 / 4, 2)


def test_only_transfers_between_agents_are_handovers() -> None:
    from agentworld_env.sim import events as ev

    stage = Stage(a=(0, 0), b=(1, 0))
    ore = stage.harvest("a", "ore", 0, 0)
    stage.harvest("a", "ore", 0, 0)
    stage.give("a", "b", "ore")
    number = stage.next
    stage.turn(
        "a",
        "transfer_items",
        ev.Transferred(number, 1, (), "a", "trader", "ore", 1, ((ore, ore, 1),)),
    )
    assert behaviour(stage.lines, stage.at).handovers == 1


def test_a_message_is_redundant_if_every_reader_has_been_told_all_of_it() -> None:
    said = [
        _said(0, "a", ("b", "c"), ORE),
        _said(1, "a", ("b", "c"), ORE),
        _said(2, "a", ("b", "c"), ORE, COAL),
        _said(3, "c", ("a", "b"), COAL),
    ]
    assert redundant(said) == [1, 3]


def test_a_message_is_not_redundant_if_one_reader_had_not_been_told() -> None:
    assert redundant([_said(0, "a", ("b",), ORE), _said(1, "a", ("b", "c"), ORE)]) == []


def test_telling_somebody_what_it_said_itself_is_redundant() -> None:
    assert redundant([_said(0, "b", ("a",), ORE), _said(1, "a", ("b",), ORE)]) == [1]


def test_messages_that_name_nothing_are_compared_by_their_words() -> None:
    said = [
        _said(0, "a", ("b",), text="Hello"),
        _said(1, "a", ("b",), text="hello"),
        _said(2, "a", ("b",), text="Ready"),
    ]
    assert redundant(said) == [1]


def test_a_message_that_nobody_hears_is_redundant() -> None:
    assert redundant([_said(0, "a", (), ORE)]) == [0]


def test_a_message_is_unheeded_if_no_reader_acts_on_what_it_names() -> None:
    stage = Stage(smith=(0, 0), miner=(1, 0))
    stage.own("miner", "ore", 1)
    stage.say("smith", ORE)
    stage.say("smith", COAL)
    stage.give("miner", "smith", "ore")
    found = behaviour(stage.lines, stage.at)
    assert found.unheeded_messages == 1
    assert found.redundant_messages == 0


_WORDS = st.lists(st.sampled_from((ORE, COAL, Mention("quantity", "3"))), max_size=2, unique=True)


@given(
    st.lists(
        st.tuples(st.sampled_from(("a", "b")), st.sampled_from(("say", "give", "dig")), _WORDS), max_size=25
    )
)
def test_nobody_ever_acts_on_a_redundant_message(script: list[tuple[str, str, list[Mention]]]) -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    for agent, verb, mentions in script:
        if verb == "say":
            stage.say(agent, *mentions)
        elif verb == "dig":
            stage.harvest(agent, "ore", 0, 0, walk=False)
        elif "ore" in stage.bags[agent]:
            stage.give(agent, "b" if agent == "a" else "a", "ore")
    log = Log(stage.lines)
    said = [event for _, event in log.events if isinstance(event, Said)]
    heeded = {edge.source for edge in information_edges(log)}
    assert not heeded.intersection(redundant(said))
