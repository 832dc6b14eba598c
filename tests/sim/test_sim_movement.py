from __future__ import annotations

from tests.sim.worlds import EXACT, agent, do, end_round, of_type, small_world, start

from agentworld_env.sim.events import Moved, Regained, Travelled


def test_a_walk_ends_after_120_tiles_of_path_and_still_succeeds() -> None:
    sim = start(agent("a", 10, 10))
    assert do(sim, "a", "move_character", x=200, y=10).ok
    assert (sim.state.agents[0].x, sim.state.agents[0].y) == (130, 10)
    assert of_type(sim, Moved)[0].stopped == "limit"


def test_a_walk_into_water_ends_at_the_nearest_tile_of_the_shore_and_succeeds() -> None:
    sim = start(agent("a", 290, 120))
    assert do(sim, "a", "move_character", x=301, y=120).ok
    assert (sim.state.agents[0].x, sim.state.agents[0].y) == (299, 120)
    assert of_type(sim, Moved)[0].stopped == "blocked"


def test_a_walk_that_cannot_leave_its_tile_fails() -> None:
    sim = start(agent("a", 299, 120))
    result = do(sim, "a", "move_character", x=300, y=120)
    assert (result.ok, result.code) == (False, "no_way")


def test_a_walk_around_the_lake_is_longer_than_the_straight_line() -> None:
    sim = start(agent("a", 299, 101))
    assert do(sim, "a", "move_character", x=340, y=101).ok
    moved = of_type(sim, Moved)[0]
    # Two rows up to the free row 99, 41 columns east, two rows down.
    assert (moved.x, moved.y, moved.steps) == (340, 101, 45)


def test_standing_already_there_fails() -> None:
    sim = start(agent("a"))
    assert do(sim, "a", "move_character", x=100, y=100).code == "already_there"


def test_agents_may_share_a_tile() -> None:
    sim = start(agent("a", 100, 100), agent("b", 101, 100))
    assert do(sim, "a", "move_character", x=101, y=100).ok
    assert (sim.state.agents[0].x, sim.state.agents[0].y) == (101, 100)


def test_nothing_notices_anybody_in_the_first_round() -> None:
    sim = start(agent("a", 180, 200))
    assert do(sim, "a", "move_character", x=220, y=200).ok
    assert sim.state.agents[0].x == 220
    assert sim.state.mobs == {}


def test_a_walk_stops_at_the_first_tile_where_a_hostile_mob_notices_the_agent() -> None:
    sim = start(agent("a", 180, 200))
    end_round(sim)
    assert do(sim, "a", "move_character", x=220, y=200).ok
    # The wolf at (200, 200) notices within 4 tiles.
    assert sim.state.agents[0].x == 196
    assert of_type(sim, Moved)[0].stopped == "wolf-0001"


def test_who_is_already_noticed_can_walk_on() -> None:
    sim = start(agent("a", 180, 200))
    end_round(sim)
    do(sim, "a", "move_character", x=220, y=200)
    do(sim, "a", "move_character", x=220, y=200)
    assert sim.state.agents[0].x == 220


def test_a_mob_leaves_agents_alone_that_are_more_than_twice_its_level() -> None:
    # The wolf has level 10; combat level is 1 + 20.
    sim = start(agent("a", 180, 200, skills={"strength": 21}))
    end_round(sim)
    assert do(sim, "a", "move_character", x=220, y=200).ok
    assert sim.state.agents[0].x == 220


def test_a_mob_follows_to_its_leash_then_goes_home_and_regains() -> None:
    sim = start(agent("a", 200, 202, skills={"strength": 10, "health": 90}, worn=("sword",)))
    assert do(sim, "a", "attack_entity", target="wolf-0001").ok
    wolf = sim.mob_number("wolf-0001")
    assert wolf is not None
    assert sim.state.mobs[wolf].hp < 5000
    end_round(sim)
    do(sim, "a", "move_character", x=200, y=236)
    # 12 tiles a round towards its prey: at 200 + 12, then 24 and still within the leash, then beyond it.
    end_round(sim)
    assert (sim.state.mobs[wolf].x, sim.state.mobs[wolf].y) == (200, 212)
    end_round(sim)
    assert (sim.state.mobs[wolf].x, sim.state.mobs[wolf].y) == (200, 224)
    assert not of_type(sim, Regained)
    end_round(sim)
    assert wolf not in sim.state.mobs
    assert len(of_type(sim, Regained)) == 1


def test_a_mob_that_was_drawn_away_notices_from_where_it_is() -> None:
    sim = start(agent("bait", 200, 202, skills={"health": 20}), agent("b", 170, 215))
    end_round(sim)
    do(sim, "bait", "move_character", x=200, y=204)
    do(sim, "bait", "move_character", x=200, y=230)
    end_round(sim)
    do(sim, "bait", "complete", response="bye")
    # The wolf now stands without prey 12 tiles south of its home.
    assert do(sim, "b", "move_character", x=230, y=215).ok
    # (x, 215) is within 4 of (200, 212) from x = 199 on.
    assert sim.state.agents[1].x == 199


def test_a_portal_within_two_tiles_leads_to_its_fixed_tile() -> None:
    sim = start(agent("a", 91, 91))
    assert do(sim, "a", "enter_portal").ok
    assert (sim.state.agents[0].x, sim.state.agents[0].y) == (500, 501)
    assert of_type(sim, Travelled)[0].portal == "hole"
    assert do(sim, "a", "enter_portal").ok
    assert (sim.state.agents[0].x, sim.state.agents[0].y) == (90, 91)


def test_a_portal_three_tiles_away_is_out_of_reach() -> None:
    sim = start(agent("a", 92, 91))
    assert do(sim, "a", "enter_portal").code == "no_portal"


def test_the_seed_moves_starts_by_at_most_three_tiles_onto_walkable_ones() -> None:
    from agentworld_env.sim import RULES

    seen = set()
    for seed in range(60):
        sim = start(agent("a", 299, 120), rules=RULES, seed=seed)
        me = sim.state.agents[0]
        assert abs(me.x - 299) <= 3
        assert abs(me.y - 120) <= 3
        assert small_world().is_walkable(me.x, me.y)
        seen.add((me.x, me.y))
    assert len(seen) > 10


def test_without_jitter_everybody_starts_on_the_tile_of_the_set_up() -> None:
    sim = start(agent("a", 123, 45), rules=EXACT, seed=77)
    assert (sim.state.agents[0].x, sim.state.agents[0].y) == (123, 45)
