from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.metrics.hand_made import Plain, Stage

from agentworld_env.metrics import ActionGraph, Edge
from agentworld_env.metrics.causal import Stay
from agentworld_env.metrics.causal.goals import Box
from agentworld_env.metrics.causal.log import Log
from agentworld_env.metrics.causal.wilds import Watcher
from agentworld_env.sim import events as ev


def test_moves_that_were_needed_in_a_row_all_count() -> None:
    stage = Stage(a=(0, 0))
    moves = [stage.move("a", x, 0) for x in (120, 240, 360)]
    ore = stage.harvest("a", "ore", 400, 0)
    trace = stage.trace(ore)
    assert trace.contributing == (*moves, ore)
    assert [edge.kind for edge in trace.edges] == ["movement"] * 3


def test_a_move_counts_only_if_the_need_did_not_hold_before_it() -> None:
    stage = Stage(a=(0, 0))
    stage.move("a", 10, 0)
    ore = stage.harvest("a", "ore", 60, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_a_detour_on_the_way_drops_out() -> None:
    stage = Stage(a=(0, 0))
    stage.move("a", 0, 30)
    stage.move("a", 0, 60)
    direct = stage.move("a", 100, 0)
    ore = stage.harvest("a", "ore", 140, 0)
    assert stage.trace(ore).contributing == (direct, ore)


def test_a_detour_that_returns_drops_out_with_its_way_back() -> None:
    stage = Stage(a=(0, 0))
    stage.move("a", 0, 100)
    stage.move("a", 0, 0)
    ore = stage.harvest("a", "ore", 40, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_the_way_back_counts_if_the_agent_was_needed_out_there() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    out = stage.move("a", 0, 100)
    ore = stage.harvest("a", "ore", 0, 100)
    back = stage.move("a", 0, 0)
    gift = stage.give("a", "b", "ore")
    assert stage.trace(gift).contributing == (out, ore, back, gift)


def test_both_who_walked_to_a_handover_are_credited() -> None:
    stage = Stage(a=(0, 0), b=(200, 0))
    stage.own("a", "bead", 1)
    there = stage.move("a", 100, 0)
    here = stage.move("b", 100, 0)
    gift = stage.give("a", "b", "bead")
    assert stage.trace(gift).edges == (Edge(there, gift, "movement"), Edge(here, gift, "movement"))


def test_a_receiver_who_could_have_stayed_is_not_credited() -> None:
    stage = Stage(a=(0, 0), b=(100, 0))
    stage.own("a", "bead", 1)
    stage.move("b", 103, 0)
    there = stage.move("a", 100, 0)
    gift = stage.give("a", "b", "bead")
    assert stage.trace(gift).contributing == (there, gift)


def test_a_walk_inside_a_harvest_counts_even_if_its_yield_is_surplus() -> None:
    stage = Stage(a=(0, 0), b=(60, 0))
    stage.own("a", "bead", 1)
    berry = stage.harvest("a", "berry", 60, 0, tool=False)
    gift = stage.give("a", "b", "bead")
    assert stage.trace(gift).edges == (Edge(berry, gift, "movement"),)


def test_a_failed_call_counts_for_the_walk_it_made() -> None:
    stage = Stage(a=(0, 0), b=(60, 0))
    stage.own("a", "bead", 1)
    stumble = stage.stumble("a", 60, 0)
    gift = stage.give("a", "b", "bead")
    assert stage.trace(gift).edges == (Edge(stumble, gift, "movement"),)


def test_an_errand_that_served_nothing_is_no_station() -> None:
    stage = Stage(a=(0, 0), b=(1, 0))
    stage.own("a", "bead", 1)
    stage.move("a", 0, 100)
    stage.harvest("a", "berry", 0, 100, tool=False)
    stage.move("a", 0, 0)
    gift = stage.give("a", "b", "bead")
    assert stage.trace(gift).contributing == (gift,)


def test_a_portal_is_needed_where_only_it_leads() -> None:
    stage = Stage(a=(990, 0))
    through = stage.portal("a", (1000, 0))
    ore = stage.harvest("a", "ore", 1010, 0)
    # As the crow flies the ore was near enough from the start; it lies on the island.
    assert stage.trace(ore).edges == (Edge(through, ore, "movement"),)


def test_going_through_a_portal_and_back_drops_out() -> None:
    stage = Stage(a=(990, 0))
    stage.portal("a", (1000, 0))
    stage.portal("a", (990, 0))
    ore = stage.harvest("a", "ore", 980, 0)
    assert stage.trace(ore).contributing == (ore,)


def test_a_shortcut_too_long_to_walk_is_no_shortcut() -> None:
    class Ridge(Plain):
        def distance(self, x0: int, y0: int, x1: int, y1: int) -> int | None:
            straight = super().distance(x0, y0, x1, y1)
            # From the west foot to the east foot the way leads round the ridge.
            return None if straight is None else straight + (100 if x0 < 50 <= x1 and y0 == 0 else 0)

    stage = Stage(a=(0, 0))
    pass_ = stage.move("a", 40, 40)
    beyond = stage.move("a", 100, 0)
    ore = stage.harvest("a", "ore", 160, 0)
    assert stage.trace(ore).contributing == (beyond, ore)
    trace = ActionGraph(stage.lines, land=Ridge()).trace([ore])
    assert trace.contributing == (pass_, beyond, ore)


def test_a_stay_rests_on_the_move_into_the_area_and_not_on_strolling_inside() -> None:
    stage = Stage(a=(0, 0))
    inside = stage.move("a", 100, 0)
    stage.move("a", 102, 0)
    stage.move("a", 100, 1)
    area = ev.Need("a", 100, 0, 8)
    trace = stage.graph().trace((), [Stay("a", 3, area)])
    assert trace.success == trace.contributing == (inside,)


def test_a_stay_where_the_agent_began_rests_on_nothing() -> None:
    stage = Stage(a=(5, 5))
    stage.move("a", 50, 5)
    stage.move("a", 5, 6)
    trace = stage.graph().trace((), [Stay("a", 2, Box(0, 0, 10, 10))])
    assert trace.contributing == ()


@pytest.mark.parametrize("extra", [1, 2, 5])
def test_more_detours_never_make_more_moves_count(extra: int) -> None:
    stage = Stage(a=(0, 0))
    for i in range(extra):
        stage.move("a", 0, 100 + i)
        stage.move("a", 0, 0)
    stage.move("a", 100, 0)
    ore = stage.harvest("a", "ore", 100, 0)
    assert len(stage.trace(ore).contributing) == 2


def test_of_several_moves_within_reach_the_one_that_first_came_there_counts() -> None:
    stage = Stage(a=(0, 0))
    first = stage.move("a", 100, 0)
    stage.move("a", 105, 0)
    ore = stage.harvest("a", "ore", 110, 0)
    assert stage.trace(ore).contributing == (first, ore)


def test_the_fewest_moves_are_found_even_if_an_earlier_place_was_as_near() -> None:
    stage = Stage(a=(0, 0))
    stage.move("a", 100, 0)
    stage.move("a", 200, 0)  # two moves from the start
    nearer = stage.move("a", 110, 0)  # one move from the start
    last = stage.move("a", 225, 0)  # could have followed either, but not the first
    ore = stage.harvest("a", "ore", 285, 0)
    assert stage.trace(ore).contributing == (nearer, last, ore)


def test_a_portal_to_the_receiver_counts_even_where_no_walk_follows() -> None:
    stage = Stage(a=(998, 0), b=(1001, 0))
    stage.own("a", "bead", 1)
    through = stage.portal("a", (1002, 0))
    gift = stage.give("a", "b", "bead")
    assert stage.trace(gift).edges == (Edge(through, gift, "movement"),)


def test_a_walk_that_a_mob_cut_short_on_the_way_is_needed_though_one_walk_would_have_been_short_enough() -> (
    None
):
    stage = Stage(a=(0, 0))
    first = stage.noticed("a", 40, 0, "wolf-0001")
    last = stage.move("a", 80, 0)
    ore = stage.harvest("a", "ore", 140, 0)
    assert stage.trace(ore).contributing == (first, last, ore)


def test_a_walk_that_a_mob_cut_short_beside_the_way_is_no_cause() -> None:
    stage = Stage(a=(0, 0))
    stage.noticed("a", 0, 40, "wolf-0001")
    last = stage.move("a", 80, 0)
    ore = stage.harvest("a", "ore", 140, 0)
    assert stage.trace(ore).contributing == (last, ore)


class _Wolf:
    """A wolf that notices whoever sets out from the origin for a column or row far from it."""

    def watchers(self, agent: str, x0: int, y0: int, x: int, y: int) -> tuple[Watcher, ...]:
        return (Watcher("wolf-0001", 3),) if (x0, y0) == (0, 0) and x >= 30 and y >= 30 else ()

    def told(self, log: Log, resumed: int | None) -> Log:
        return log


def _contributing(stage: Stage, *success: int) -> tuple[int, ...]:
    graph = ActionGraph(stage.lines, land=Plain(), team=stage.team, wilds=_Wolf())
    return graph.trace(success).contributing


def _round_about(stage: Stage) -> tuple[int, int, int]:
    """Walks round the wolf in two moves, though one would have been short enough, and works there."""
    stage.round = max(2, stage.round)
    return stage.move("a", 0, 40), stage.move("a", 60, 40), stage.harvest("a", "ore", 120, 40)


def test_a_way_round_a_mob_that_would_have_noticed_the_walker_is_needed() -> None:
    stage = Stage(a=(0, 0))
    done = _round_about(stage)
    assert _contributing(stage, done[-1]) == done


def test_without_the_mob_the_way_round_is_a_detour() -> None:
    stage = Stage(a=(0, 0))
    _, last, ore = _round_about(stage)
    assert stage.trace(ore).contributing == (last, ore)


def test_nobody_is_noticed_in_the_first_round() -> None:
    stage = Stage(a=(0, 0))
    stage.move("a", 0, 40)
    last = stage.move("a", 60, 40)
    ore = stage.harvest("a", "ore", 120, 40)
    assert _contributing(stage, ore) == (last, ore)


def test_a_mob_that_was_after_somebody_else_bars_no_way() -> None:
    stage = Stage(a=(0, 0), b=(0, 1))
    stage.round = 2
    blow = stage.strike("b", "wolf-0001", 1)
    _, last, ore = _round_about(stage)
    assert _contributing(stage, blow, ore) == (blow, last, ore)


@pytest.mark.parametrize("useless", [False, True])
def test_a_mob_bars_the_way_again_in_the_round_after_the_last_blow_that_counts(useless: bool) -> None:
    """However long it was after somebody: blows that lead to nothing could have kept it away."""
    stage = Stage(a=(0, 0), b=(0, 1), c=(0, 2))
    stage.round = 2
    blow = stage.strike("b", "wolf-0001", 1)
    stage.round += 1
    if useless:
        stage.strike("c", "wolf-0001", 1)
    done = _round_about(stage)
    assert _contributing(stage, blow, done[-1]) == (blow, *done)


@pytest.mark.parametrize(("rounds", "bars"), [(1, False), (2, False), (3, True)])
def test_a_fallen_mob_bars_the_way_once_it_is_back(rounds: int, bars: bool) -> None:
    stage = Stage(a=(0, 0), b=(0, 1))
    stage.round = 2
    kill = stage.strike("b", "wolf-0001", 9, kills=())
    stage.round += rounds
    first, last, ore = _round_about(stage)
    assert _contributing(stage, kill, ore) == ((kill, first, last, ore) if bars else (kill, last, ore))


def _lure(stage: Stage) -> int:
    return stage.noticed("b", 0, 30, "wolf-0001")


def _strike(stage: Stage) -> int:
    return stage.strike("b", "wolf-0001", 1)


def _fell(stage: Stage) -> int:
    return stage.strike("b", "wolf-0001", 9, kills=())


@pytest.mark.parametrize("away", [_lure, _strike, _fell])
def test_a_mob_that_was_taken_away_for_nothing_bars_the_way_all_the_same(
    away: Callable[[Stage], int],
) -> None:
    """Whether somebody's way round was needed must not hang on a team-mate's useless call."""
    stage = Stage(a=(0, 0), b=(0, 1))
    stage.round = 2
    away(stage)
    done = _round_about(stage)
    assert _contributing(stage, done[-1]) == done


def test_a_blow_that_counts_takes_a_mob_away_that_a_useless_walk_had_drawn() -> None:
    stage = Stage(a=(0, 0), b=(0, 1), c=(0, 2))
    stage.round = 2
    _lure(stage)
    blow = stage.strike("c", "wolf-0001", 1)
    _, last, ore = _round_about(stage)
    assert _contributing(stage, blow, ore) == (blow, last, ore)


def test_a_mob_that_a_useless_blow_felled_is_away_no_longer_than_the_fight() -> None:
    """The first blow guards somebody and counts; what felled the mob in the end does not."""
    stage = Stage(a=(0, 0), b=(0, 1))
    stage.round = 2
    blow = stage.strike("b", "wolf-0001", 1)
    _fell(stage)
    stage.round += 1
    first, last, ore = _round_about(stage)
    assert _contributing(stage, blow, ore) == (blow, first, last, ore)


def test_work_that_would_have_been_reached_past_a_mob_needs_the_walk_that_went_round_it() -> None:
    stage = Stage(a=(0, 0))
    stage.round = 2
    around = stage.move("a", 0, 31)
    stage.move("a", 30, 31)
    # 63 tiles from the start: near enough to be told to go there, but not past the wolf.
    ore = stage.harvest("a", "ore", 31, 32, walk=False)
    assert _contributing(stage, ore) == (around, ore)
    assert stage.trace(ore).contributing == (ore,)
