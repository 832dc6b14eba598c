from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from tests.sim.worlds import EXACT, SURE, agent, do, end_round, full_bag, of_type, start

from agentworld_env.sim import ACTIVE, DEAD, Rules
from agentworld_env.sim.combat import drops_of, hit_chance
from agentworld_env.sim.events import (
    Consumed,
    Died,
    Dropped,
    Hurt,
    Killed,
    Looted,
    Regained,
    Struck,
    Woke,
)
from agentworld_env.world.catalogue import Drop

STRONG = {"strength": 60, "health": 90}
KING = "ogre-king-1"


def test_a_call_fights_at_most_ten_exchanges() -> None:
    sim = start(agent("a", 200, 201, skills=STRONG))
    assert do(sim, "a", "attack_entity", target="wolf-0001").ok
    assert of_type(sim, Struck)[0].exchanges == 10


def test_damage_per_strike_stays_within_the_published_formula() -> None:
    for seed in range(40):
        sim = start(agent("a", 200, 201, skills={"health": 90}, worn=("sword",)), seed=seed)
        do(sim, "a", "attack_entity", target="wolf-0001")
        # 1.25 x (bonus 40 + level 1) + 5 = 56 a strike; the wolf's is 2.5 x attack 8 = 20.
        assert 0 <= of_type(sim, Struck)[0].damage <= 560
        assert all(hurt.damage <= 200 for hurt in of_type(sim, Hurt))


def test_hit_chances_move_with_the_ratings_and_stay_within_floor_and_ceiling() -> None:
    sim = start(agent("a"), rules=EXACT)
    assert hit_chance(sim, 10, 10) == 600
    assert hit_chance(sim, 20, 10) == 680
    assert hit_chance(sim, 1, 900) == 200
    assert hit_chance(sim, 900, 1) == 950


def test_loot_goes_to_the_last_striker() -> None:
    sim = start(agent("a", 110, 109, skills=STRONG, worn=("sword",)))
    assert do(sim, "a", "attack_entity", target="rat-0001").ok
    assert sim.state.agents[0].bag == {"fang": ((0, 0, 2),)}
    assert of_type(sim, Looted)[0].count == 2


def test_loot_falls_to_the_ground_when_the_bag_is_full_and_anybody_may_take_it() -> None:
    sim = start(
        agent("a", 110, 109, skills=STRONG, worn=("sword",), bag=full_bag()),
        agent("b", 110, 111),
    )
    do(sim, "a", "attack_entity", target="rat-0001")
    (dropped,) = of_type(sim, Dropped)
    assert (dropped.item, dropped.lots) == ("fang", ((0, 0, 2),))
    assert do(sim, "b", "pickup_item", target=dropped.ground).ok
    assert sim.state.agents[1].bag == {"fang": ((0, 1, 2),)}
    assert sim.state.ground == {}


def test_equal_drops_of_one_kill_fall_as_one_heap() -> None:
    sim = start(
        agent("a", 150, 149, skills=STRONG, worn=("sword",), bag=full_bag()),
        agent("b", 150, 151, skills=STRONG, worn=("sword",), bag=full_bag()),
        spawns=(KING,),
    )
    _kill_king(sim)
    (dropped,) = of_type(sim, Dropped)
    assert dropped.lots[0][2] == 2
    assert len(sim.state.ground) == 1


def _kill_king(sim: object) -> None:
    for _ in range(20):
        for name in ("a", "b"):
            do(sim, name, "attack_entity", target=KING)  # type: ignore[arg-type]
            if of_type(sim, Killed):  # type: ignore[arg-type]
                return
        end_round(sim)  # type: ignore[arg-type]
    raise AssertionError("two strikers with a long sword must fell 100 hit points in 20 rounds")


def test_a_fallen_mob_stands_again_at_home_after_its_respawn() -> None:
    sim = start(agent("a", 110, 109, skills=STRONG, worn=("sword",)))
    do(sim, "a", "attack_entity", target="rat-0001")
    for _ in range(2):
        assert do(sim, "a", "attack_entity", target="rat-0001").code == "out_of_sight"
        end_round(sim)
    assert do(sim, "a", "attack_entity", target="rat-0001").code == "out_of_sight"
    end_round(sim)
    assert do(sim, "a", "attack_entity", target="rat-0001").ok


def test_one_agent_alone_never_takes_a_bosss_last_hit_point() -> None:
    sim = start(agent("a", 150, 149, skills=STRONG, worn=("sword",)), agent("b"), spawns=(KING,))
    for _ in range(8):
        do(sim, "a", "attack_entity", target=KING)
        assert of_type(sim, Struck)[-1].hp >= 1
    assert of_type(sim, Struck)[-1].hp == 1
    assert not of_type(sim, Killed)


def test_a_boss_regains_everything_unless_enough_different_agents_struck_in_the_round() -> None:
    sim = start(agent("a", 150, 149, skills=STRONG, worn=("sword",)), agent("b"), spawns=(KING,))
    do(sim, "a", "attack_entity", target=KING)
    do(sim, "a", "attack_entity", target=KING)
    end_round(sim)
    assert [event.mob for event in of_type(sim, Regained)] == [KING]
    assert sim.named[KING] not in sim.state.mobs


def test_a_boss_keeps_its_wounds_when_enough_agents_struck_and_asks_anew_each_round() -> None:
    sim = start(
        agent("a", 150, 149, skills=STRONG),
        agent("b", 150, 151, skills=STRONG),
        spawns=(KING,),
        rules=_weak(),
    )
    do(sim, "a", "attack_entity", target=KING)
    do(sim, "b", "attack_entity", target=KING)
    hp = of_type(sim, Struck)[-1].hp
    end_round(sim)
    assert sim.state.mobs[sim.named[KING]].hp == hp
    do(sim, "a", "attack_entity", target=KING)
    end_round(sim)
    assert len(of_type(sim, Regained)) == 1


def _weak() -> Rules:
    return Rules(jitter=0, start_depleted=0, exchanges=1)


def test_a_joint_attack_fells_a_boss_and_credits_all_who_dealt_damage() -> None:
    sim = start(
        agent("a", 150, 149, skills=STRONG, worn=("sword",)),
        agent("b", 150, 151, skills=STRONG, worn=("sword",)),
        spawns=(KING,),
    )
    _kill_king(sim)
    killed = of_type(sim, Killed)[0]
    assert sum(damage for _, damage in killed.by) == 100
    assert killed.kind == "ogre"
    strikes = {event.agent: event.damage for event in of_type(sim, Struck)}
    assert dict(killed.by) == {name: damage for name, damage in strikes.items() if damage}


def test_who_struck_without_hurting_gets_no_credit_but_helps_to_fell_a_boss() -> None:
    for seed in range(300):
        sim = start(
            agent("a", 150, 149, skills=STRONG, worn=("sword",)),
            agent("b", 150, 151),
            spawns=(KING,),
            rules=Rules(jitter=0, start_depleted=0, exchanges=9, hit_floor=1, hit_base=0),
            seed=seed,
        )
        sim.state.turn = 0
        # Nobody hits: chances are 8 in a thousand for a, level 1 accuracy against defence 0.
        do(sim, "b", "attack_entity", target=KING)
        if of_type(sim, Struck)[0].damage == 0:
            break
    mob = sim.state.mobs[sim.named[KING]]
    mob.hp = 1
    while not of_type(sim, Killed):
        do(sim, "a", "attack_entity", target=KING)
        sim.state.actions += 0
        sim.state.round += 1
        mob.attackers = (1, *mob.attackers)
    killed = of_type(sim, Killed)[0]
    assert [name for name, _ in killed.by] == ["a"]
    assert ("damage", 0) in killed.causes


def test_kill_credit_forgets_what_was_dealt_before_a_full_regeneration() -> None:
    sim = start(
        agent("a", 150, 149, skills=STRONG, worn=("sword",)),
        agent("b", 150, 151, skills=STRONG, worn=("sword",)),
        agent("c", 149, 150, skills=STRONG, worn=("sword",)),
        spawns=(KING,),
    )
    do(sim, "c", "attack_entity", target=KING)
    end_round(sim)
    assert of_type(sim, Regained)
    _kill_king(sim)
    assert "c" not in dict(of_type(sim, Killed)[0].by)


def test_a_boss_that_the_task_does_not_list_does_not_exist() -> None:
    sim = start(agent("a", 150, 149))
    assert do(sim, "a", "attack_entity", target=KING).code == "unknown_target"


def test_each_shot_uses_up_one_arrow_and_none_left_ends_the_fight() -> None:
    sim = start(agent("a", 200, 206, skills={"archery": 5, "health": 90}, worn=("bow",), bag={"arrow": 3}))
    assert do(sim, "a", "attack_entity", target="wolf-0001").ok
    assert of_type(sim, Struck)[0].exchanges == 3
    assert of_type(sim, Consumed)[0].count == 3
    assert "arrow" not in sim.state.agents[0].bag
    assert do(sim, "a", "attack_entity", target="wolf-0001").code == "no_ammunition"


def test_a_staff_costs_mana_per_exchange() -> None:
    sim = start(agent("a", 200, 205, skills={"magic": 1, "health": 90}, worn=("staff",)))
    # 20 + 24 x 1 mana pays for six exchanges of seven.
    assert do(sim, "a", "attack_entity", target="wolf-0001").ok
    assert of_type(sim, Struck)[0].exchanges == 6
    assert sim.state.agents[0].mana == 2
    assert do(sim, "a", "attack_entity", target="wolf-0001").code == "no_mana"


def test_a_far_striker_is_not_struck_while_the_mob_comes_nearer() -> None:
    sim = start(
        agent("a", 200, 206, skills={"health": 90}, worn=("bow",), bag={"arrow": 2}),
    )
    do(sim, "a", "attack_entity", target="wolf-0001")
    wolf = sim.mob_number("wolf-0001")
    assert wolf is not None
    # Two tiles an exchange.
    assert (sim.state.mobs[wolf].x, sim.state.mobs[wolf].y) == (200, 204)
    assert not of_type(sim, Hurt)


def test_a_mob_nobody_fought_in_the_round_comes_after_its_target_and_strikes() -> None:
    sim = start(agent("a", 200, 210, skills={"health": 20}), rules=SURE)
    end_round(sim)
    do(sim, "a", "move_character", x=200, y=203)
    end_round(sim)
    assert of_type(sim, Hurt)[0].action == -1
    assert sim.state.agents[0].hp < sim.max_hp[0]


def test_damage_wakes_a_sleeper() -> None:
    sim = start(agent("a", 200, 210, skills={"health": 20}))
    end_round(sim)
    do(sim, "a", "move_character", x=200, y=203)
    do(sim, "a", "sleep", rounds=5)
    end_round(sim)
    assert of_type(sim, Woke)[0].by == "wolf-0001"
    assert sim.state.agents[0].asleep == 0


def test_the_dead_drop_everything_they_carried_and_wore_for_good() -> None:
    sim = start(
        agent("a", 400, 399, bag={"apple": 3, "axe": 1}, worn=("axe", "leather")),
        agent("b", 401, 399),
    )
    do(sim, "a", "attack_entity", target="reaper-0001")
    assert sim.state.agents[0].status == DEAD
    assert (sim.state.agents[0].bag, sim.state.agents[0].worn) == ({}, {})
    assert {event.item: sum(lot[2] for lot in event.lots) for event in of_type(sim, Dropped)} == {
        "apple": 3,
        "axe": 2,
        "leather": 1,
    }
    assert of_type(sim, Died)[0].mob == "reaper-0001"
    end_round(sim, 40)
    for item in ("apple", "axe", "leather"):
        assert do(sim, "b", "pickup_item", target=f"{item}-of-a").ok
    assert sim.state.agents[1].count("axe") == 2


def test_a_mob_turns_to_the_next_who_hit_it_when_its_target_dies() -> None:
    sim = start(agent("a", 400, 399), agent("b", 400, 401))
    reaper = sim.mob_number("reaper-0001")
    assert reaper is not None
    do(sim, "a", "attack_entity", target="reaper-0001")
    assert sim.state.mobs[reaper].target == -1
    do(sim, "b", "attack_entity", target="reaper-0001")
    assert sim.state.agents[1].status == DEAD
    end_round(sim)
    assert reaper not in sim.state.mobs


def test_attacking_what_is_after_a_mate_is_noted_as_guarding() -> None:
    sim = start(
        agent("a", 200, 210, skills={"health": 20}), agent("b", 201, 206, skills={"health": 20}), rules=SURE
    )
    end_round(sim)
    do(sim, "a", "move_character", x=200, y=203)
    do(sim, "b", "attack_entity", target="wolf-0001")
    assert of_type(sim, Struck)[0].guarded == "a"


def test_leaving_nobody_to_chase_sends_a_mob_home() -> None:
    sim = start(agent("a", 200, 210, skills={"health": 20}), agent("b"))
    end_round(sim)
    do(sim, "a", "move_character", x=200, y=203)
    do(sim, "a", "complete", response="done")
    end_round(sim)
    assert sim.state.mobs == {}
    assert sim.state.agents[0].hp == sim.max_hp[0]
    assert sim.state.agents[1].status == ACTIVE


@pytest.mark.parametrize(("x", "code"), [(110, "out_of_sight"), (109, "")])
def test_mobs_are_out_of_sight_beyond_50_tiles(x: int, code: str) -> None:
    # rat-0001 stands at (110, 110).
    sim = start(agent("a", x, 159 if x == 109 else 161, skills=STRONG))
    assert do(sim, "a", "attack_entity", target="rat-0001").code == code


def test_ground_items_out_of_sight_are_as_unknown_as_none_at_all() -> None:
    sim = start(agent("a", 400, 399, bag={"apple": 1}), agent("b", 100, 100))
    do(sim, "a", "attack_entity", target="reaper-0001")
    hidden = do(sim, "b", "pickup_item", target="apple-of-a")
    nothing = do(sim, "b", "pickup_item", target="apple-of-z")
    assert hidden.code == nothing.code == "unknown_target"
    assert hidden.reason.replace("apple-of-a", "") == nothing.reason.replace("apple-of-z", "")


def test_picking_up_needs_two_tiles_and_room() -> None:
    sim = start(
        agent("a", 400, 399, bag={"apple": 1}), agent("b", 400, 396), agent("c", 400, 397, bag=full_bag())
    )
    do(sim, "a", "attack_entity", target="reaper-0001")
    assert do(sim, "b", "pickup_item", target="apple-of-a").code == "out_of_reach"
    assert do(sim, "c", "pickup_item", target="apple-of-a").code == "bag_full"
    assert "apple-of-a" in sim.state.ground


def test_a_kill_draws_one_entry_of_the_list_evenly_and_only_then_its_chance() -> None:
    sim = start(agent("a"))
    spec = msgspec.structs.replace(
        sim.spec(0),
        drops=(
            Drop(item="apple", per_10000=10_000),
            Drop(item="logs", per_10000=5_000),
            Drop(item="herb", per_10000=0),
            Drop(item="fang", count=2, always=True),
        ),
    )
    found: Counter[str] = Counter()
    for sim.state.round in range(1, 3_001):
        fallen = dict(drops_of(sim, 0, 0, spec))
        assert fallen.pop("fang") == 2
        assert len(fallen) <= 1
        found.update(fallen)
    # Each of the three is drawn a thousand times, and half of the second's chances come true; six deviations.
    assert abs(found["apple"] - 1_000) < 155
    assert abs(found["logs"] - 500) < 125
    assert found["herb"] == 0
