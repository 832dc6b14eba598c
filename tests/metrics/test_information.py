from __future__ import annotations

import msgspec
import pytest
from benchmarks.cce_laws import again, calls_of
from tests.metrics.hand_made import Stage

from agentworld_env import make, run_episode
from agentworld_env.env.settings import setting_names
from agentworld_env.episodes import Episode, played_spec
from agentworld_env.metrics import Edge, behaviour, events_finding
from agentworld_env.metrics.causal import Briefing, Log
from agentworld_env.metrics.causal.information import information_edges
from agentworld_env.sim import events as ev
from agentworld_env.sim.events import Mention


def test_no_message_counts_by_the_default_method() -> None:
    stage = Stage(scout=(300, 0), miner=(0, 0))
    stage.say("scout", Mention("tile", "100,0"))
    walk = stage.move("miner", 100, 0)
    ore = stage.harvest("miner", "ore", 150, 0)
    assert stage.trace(ore).contributing == (walk, ore)


def test_a_message_counts_if_a_walk_led_to_the_tile_it_named() -> None:
    stage = Stage(scout=(300, 0), miner=(0, 0))
    word = stage.say("scout", Mention("tile", "100,0"))
    walk = stage.move("miner", 100, 0)
    ore = stage.harvest("miner", "ore", 150, 0)
    trace = stage.trace(ore, method="events+chat")
    assert trace.contributing == (word, walk, ore)
    assert Edge(word, walk, "information") in trace.edges


def test_a_message_about_what_the_reader_saw_itself_does_not_count() -> None:
    stage = Stage(scout=(300, 0), miner=(0, 0))
    stage.move("miner", 50, 0)
    stage.say("scout", Mention("entity", "ore-0001"))
    ore = stage.harvest("miner", "ore", 100, 0)  # 50 tiles off when it was named
    contributing = stage.trace(ore, method="events+chat").contributing
    assert all(stage.lines[number].call["tool"] != "chat" for number in contributing)


def test_a_message_about_what_was_out_of_sight_counts() -> None:
    stage = Stage(scout=(300, 0), miner=(0, 0))
    word = stage.say("scout", Mention("entity", "ore-0001"))
    walk = stage.move("miner", 50, 0)
    ore = stage.harvest("miner", "ore", 100, 0)
    assert stage.trace(ore, method="events+chat").contributing == (word, walk, ore)


def test_only_the_first_message_that_says_so_counts() -> None:
    stage = Stage(smith=(0, 0), miner=(1, 0))
    stage.own("miner", "ore", 1)
    word = stage.say("smith", Mention("item", "ore"))
    stage.say("smith", Mention("item", "ore"))
    gift = stage.give("miner", "smith", "ore")
    assert stage.trace(gift, method="events+chat").contributing == (word, gift)


def test_who_said_a_thing_first_is_not_informed_by_its_echo() -> None:
    stage = Stage(smith=(0, 0), miner=(1, 0))
    stage.own("miner", "ore", 1)
    stage.say("miner", Mention("item", "ore"))
    stage.say("smith", Mention("item", "ore"))
    gift = stage.give("miner", "smith", "ore")
    assert stage.trace(gift, method="events+chat").contributing == (gift,)


def test_a_message_that_came_after_the_act_does_not_count() -> None:
    stage = Stage(smith=(0, 0), miner=(1, 0))
    stage.own("miner", "ore", 1)
    gift = stage.give("miner", "smith", "ore")
    stage.say("smith", Mention("item", "ore"))
    assert stage.trace(gift, method="events+chat").contributing == (gift,)


def test_a_quantity_alone_informs_nobody() -> None:
    stage = Stage(smith=(0, 0), miner=(1, 0))
    stage.own("miner", "ore", 1)
    stage.say("smith", Mention("quantity", "1"))
    gift = stage.give("miner", "smith", "ore")
    assert stage.trace(gift, method="events+chat").contributing == (gift,)


# -- what a reader knows or sees for itself is no news ---------------------------------------------------------------


def _counts(stage: Stage, word: int, *success: int) -> bool:
    return word in stage.trace(*success, method="events+chat").contributing


OAKS = (388, 3)
"""In a wood of oaks."""

NOWHERE = (0, 400)
"""In a corner of the world without a tree, a merchant or a mob in sight."""


@pytest.mark.parametrize(
    "mention", [Mention("item", "ore"), Mention("entity", "ore-0001"), Mention("node", "ore")]
)
@pytest.mark.parametrize(("away", "news"), [(3, False), (64, False), (65, True), (150, True)])
def test_whatever_names_a_node_in_sight_tells_nothing(mention: Mention, away: int, news: bool) -> None:
    stage = Stage(scout=(300, 0), miner=NOWHERE)
    word = stage.say("scout", mention)
    stage.move("miner", max(away - 60, 1), 400)
    ore = stage.harvest("miner", "ore", away, 400)
    assert _counts(stage, word, ore) == news


@pytest.mark.parametrize("mention", [Mention("item", "logs"), Mention("node", "oak")])
@pytest.mark.parametrize(("place", "news"), [(OAKS, False), (NOWHERE, True)])
def test_any_node_in_sight_that_gives_the_thing_will_do(
    mention: Mention, place: tuple[int, int], news: bool
) -> None:
    stage = Stage(scout=NOWHERE, cutter=place)
    word = stage.say("scout", mention)
    x, y = place[0] + 100, place[1]
    stage.move("cutter", x, y)
    number = stage.next
    felled = ev.Harvested(number, 1, (), "cutter", "oak-0001", "logs", 1, "lumberjacking", 1)
    stage.turn("cutter", "harvest_resource", felled, needs=(ev.Need("cutter", x, y, 64),))
    assert _counts(stage, word, number) == news


@pytest.mark.parametrize(("place", "news"), [((520, 380), False), (NOWHERE, True)])
def test_what_a_merchant_in_sight_gives_is_no_news(place: tuple[int, int], news: bool) -> None:
    stage = Stage(scout=NOWHERE, cook=place)  # Orla, who gives sugar for gold, stands at (530, 386)
    word = stage.say("scout", Mention("item", "sugar"))
    stage.move("cook", place[0] + 1, place[1])
    sweet = stage.craft("cook", "sugar")
    assert _counts(stage, word, sweet) == news


@pytest.mark.parametrize(("away", "news"), [(40, False), (90, True)])
def test_what_lies_on_the_ground_in_sight_is_no_news(away: int, news: bool) -> None:
    stage = Stage(scout=(300, 0), miner=NOWHERE)
    stage.sleep("miner")
    stage.world(ev.Dropped(-1, 1, (), "rat-0001", "ground-1", "ore", ((0, 0, 1),), away, 400))
    word = stage.say("scout", Mention("item", "ore"))
    stage.move("miner", 1, 400)
    made = stage.craft("miner", "ore")
    assert _counts(stage, word, made) == news


def test_what_has_been_picked_up_lies_on_the_ground_no_more() -> None:
    stage = Stage(scout=(300, 0), miner=NOWHERE)
    stage.sleep("miner")
    stage.world(ev.Dropped(-1, 1, (), "rat-0001", "ground-1", "ore", ((0, 0, 1),), 40, 400))
    stage.turn(
        "scout", "pickup_item", ev.PickedUp(stage.next, 2, (), "scout", "ground-1", "ore", ((0, 0, 1),))
    )
    word = stage.say("scout", Mention("item", "ore"))
    stage.move("miner", 1, 400)
    made = stage.craft("miner", "ore")
    assert _counts(stage, word, made)


@pytest.mark.parametrize("mention", [Mention("entity", "rat-0001"), Mention("mob", "rat")])
@pytest.mark.parametrize(("away", "news"), [(50, False), (51, True)])
def test_mobs_are_seen_less_far_than_nodes(mention: Mention, away: int, news: bool) -> None:
    stage = Stage(scout=(300, 0), guard=NOWHERE)
    word = stage.say("scout", mention)
    stage.move("guard", 1, 400)
    number = stage.next
    blow = ev.Struck(number, 1, (), "guard", "rat-0001", 1, 5, 0, "")
    stage.turn("guard", "attack_entity", blow, needs=(ev.Need("guard", away, 400, 64),))
    assert _counts(stage, word, number) == news


@pytest.mark.parametrize(("place", "news"), [((12, 12), False), (NOWHERE, True)])
def test_any_mob_of_the_kind_in_sight_will_do(place: tuple[int, int], news: bool) -> None:
    stage = Stage(scout=(300, 0), guard=place)  # goblins live in the corner of the map
    word = stage.say("scout", Mention("mob", "goblin"))
    x, y = place[0] + 100, place[1]
    stage.move("guard", x, y)
    number = stage.next
    blow = ev.Struck(number, 1, (), "guard", "goblin-0001", 1, 5, 0, "")
    stage.turn("guard", "attack_entity", blow, needs=(ev.Need("guard", x, y, 64),))
    assert _counts(stage, word, number) == news


def test_a_thing_in_the_readers_own_bag_is_no_news_for_a_gift_to_a_third() -> None:
    stage = Stage(scout=(300, 0), miner=NOWHERE, smith=(1, 400))
    stage.harvest("miner", "ore", 0, 400)
    word = stage.say("scout", Mention("item", "ore"))
    gift = stage.give("miner", "smith", "ore")
    assert not _counts(stage, word, gift)


def test_that_somebody_wants_a_thing_is_news_to_whoever_has_it() -> None:
    stage = Stage(scout=(300, 0), miner=NOWHERE, smith=(1, 400))
    stage.harvest("miner", "ore", 0, 400)
    word = stage.say("smith", Mention("item", "ore"))
    gift = stage.give("miner", "smith", "ore")
    assert _counts(stage, word, gift)


def test_what_the_reader_had_used_up_is_news_again() -> None:
    stage = Stage(scout=(300, 0), miner=NOWHERE, smith=(1, 400))
    stage.harvest("miner", "ore", 0, 400)
    stage.craft("miner", "bar", ore=1)
    word = stage.say("scout", Mention("item", "ore"))
    stage.move("miner", 100, 400)
    ore = stage.harvest("miner", "ore", 150, 400)
    assert _counts(stage, word, ore)


# -- briefs -----------------------------------------------------------------------------------------------------------

STAFF = "t01_magic_staff"


@pytest.fixture(scope="module")
def planned() -> Episode:
    return run_episode(STAFF, "planner", seed=0)


def test_every_agent_knows_the_objective_and_its_own_role_and_guide_only(planned: Episode) -> None:
    briefing = Briefing(planned.header)
    objective = {Mention("item", key) for key in ("logs", "stick", "staff")}
    for agent in planned.team:
        assert objective <= briefing.named(agent)
    oak, grove = Mention("node", "oak"), Mention("place", "oak-grove")
    assert {oak, grove} <= briefing.named("lumberjack")
    assert not {oak, grove} & briefing.named("wizard")
    assert briefing.bags["wizard", "bead"] == 1


@pytest.mark.parametrize("speaker", ["woodworker", "wizard"])
def test_a_message_that_repeats_the_objective_is_no_cause(speaker: str, planned: Episode) -> None:
    calls = dict(calls_of(planned))
    assert calls[2, speaker]["tool"] == "sleep"
    words = "There are no logs here. Do not make any stick!"
    calls[2, speaker] = {"tool": "chat", "arguments": {"message": words}}
    played = again(planned, calls, method="events+chat")
    assert played.success
    assert len(played.contributing) == len(events_finding(planned).trace.contributing)
    briefing = Briefing(planned.header)
    assert behaviour(played.episode.lines, planned.team, briefing=briefing).unheeded_messages == 1


@pytest.mark.parametrize(("mate", "news"), [("woodworker", False), ("lumberjack", True)])
def test_a_team_mate_is_news_only_to_a_reader_whose_brief_does_not_name_it(
    mate: str, news: bool, planned: Episode
) -> None:
    """The wizard is told of the woodworker, from whom it gets its shafts, and not of the lumberjack."""
    stage = Stage(lumberjack=(300, 400), woodworker=(300, 400), wizard=(0, 400))
    word = stage.say("lumberjack" if mate == "woodworker" else "woodworker", Mention("agent", mate))
    stage.move(mate, 301, 400)
    walk = stage.move("wizard", 298, 400)
    edges = list(information_edges(Log(stage.lines), Briefing(planned.header)))
    assert edges == ([Edge(word, walk, "information")] if news else [])


def test_a_brief_can_be_read_in_every_setting(planned: Episode) -> None:
    for setting in (name for name in setting_names() if "(" not in name):
        header = msgspec.structs.replace(planned.header, setting=setting)
        for agent in played_spec(header)["team"]:
            assert Mention("item", "logs") in Briefing(header).named(agent)


def test_who_never_walked_stands_where_the_seed_put_it(planned: Episode) -> None:
    env = make(STAFF)
    env.reset(seed=planned.header.seed)
    briefing = Briefing(planned.header)
    assert briefing.starts == {agent: (env.view(agent).x, env.view(agent).y) for agent in planned.team}
    stage = Stage(scout=NOWHERE, lumberjack=OAKS)
    word = stage.say("scout", Mention("entity", "oak-0001"))
    number = stage.next
    felled = ev.Harvested(number, 1, (), "lumberjack", "oak-0001", "logs", 1, "lumberjacking", 1)
    stage.turn("lumberjack", "harvest_resource", felled, needs=(ev.Need("lumberjack", *OAKS, 64),))
    log = Log(stage.lines)
    assert [edge.source for edge in information_edges(log)] == [word]  # nobody knows where it stands
    assert list(information_edges(log, briefing)) == []
