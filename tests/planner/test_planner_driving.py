"""How agents are led: round mobs, through portals, and through joint fights without all eating at once."""

from __future__ import annotations

import pytest
from tests.sim.worlds import agent, end_round, of_type, start

from agentworld_env.certify.play import play_planner
from agentworld_env.planner import Team
from agentworld_env.planner.dodge import detour, free_steps
from agentworld_env.planner.fighting import Fighter
from agentworld_env.planner.jobs import Give, Kill, Plan
from agentworld_env.planner.repelling import Defender
from agentworld_env.planner.ways import Ways
from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.sim.setup import Raider
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.world import load_world

FERRY = "storm-islet"


def test_a_walk_that_a_wolf_would_stop_leads_round_it() -> None:
    # The wolf stands at (200, 200) and notices whoever comes within 4 tiles.
    sim = start(agent("a", 200, 150))
    sim.state.round = 2
    way = sim.world.paths.walk(200, 150, 200, 260, 120)
    assert way is not None
    assert free_steps(sim, 0, way) == 46
    x, y = detour(sim, 0, (200, 260))
    aside = sim.world.paths.walk(200, 150, x, y, 120)
    assert aside is not None
    assert free_steps(sim, 0, aside) == aside.length
    # It leads on, not only away.
    assert abs(x - 200) + abs(y - 260) < 60


@pytest.mark.parametrize("goal", [(150, 150), (200, 190)])
def test_a_walk_that_nobody_stops_is_left_alone(goal: tuple[int, int]) -> None:
    sim = start(agent("a", 200, 150))
    sim.state.round = 2
    assert detour(sim, 0, goal) == goal


def test_in_the_first_round_nothing_notices_anybody() -> None:
    sim = start(agent("a", 200, 150))
    way = sim.world.paths.walk(200, 150, 200, 260, 120)
    assert way is not None
    assert free_steps(sim, 0, way) == way.length


def test_where_nobody_can_walk_the_way_leads_through_a_portal() -> None:
    world = load_world()
    ways, ferry = Ways(world), world.portals[FERRY]
    here, islet = (ferry.x, ferry.y), (ferry.to_x, ferry.to_y)
    assert not ways.walkable(here, islet)
    step = ways.towards(here, islet)
    assert (step.tile, step.portal) == (here, ferry)
    back = ways.towards(islet, here)
    assert back.portal == world.portals[ferry.to]
    assert ways.towards(here, here).portal is None


def test_the_planner_sends_an_agent_over_by_ferry() -> None:
    ferry = load_world().portals[FERRY]
    spec = {
        "id": "over",
        "title": "Over",
        "category": "exploration",
        "max_rounds": 12,
        "objective": "Cross over.",
        "team": {
            "a": {"group": "a", "about": "You go.", "start": (ferry.x, ferry.y), "skills": {"health": 60}}
        },
        "checkpoints": [
            {"kind": "visited", "label": "Over", "area": {"at": (ferry.to_x, ferry.to_y), "within": 3}}
        ],
    }
    played = play_planner(Task(TaskSpec.model_validate(spec)), 0)
    assert played.verdict.success
    assert any(isinstance(event, ev.Travelled) for event in played.env.sim.state.events)


def _fight(*hp: int) -> tuple[Fighter, Kill]:
    """Returns a running joint attack on the ogre king, who takes two, by agents with so many hit points."""
    names = "abcd"[: len(hp)]
    agents = (agent(name, 150, 149, skills={"health": 30}, bag={"apple": 5}) for name in names)
    sim = start(*agents, spawns=("ogre-king-1",))
    sim.state.round = 3
    for me, points in zip(sim.state.agents, hp, strict=True):
        me.hp = points
    job = Kill(agents=tuple(range(len(hp))), mob="ogre-king-1", left=1, team=2, site=(150, 150), go=2)
    team = Team(sim, tuple(range(len(hp))))
    fighter = Fighter(team, Plan(jobs=[job], hubs={}, gaps=[]))
    return fighter, job


def test_attackers_rest_only_while_enough_others_strike(monkeypatch: pytest.MonkeyPatch) -> None:
    # A blow of the boss is taken to cost 100 hit points a call.
    monkeypatch.setattr(Fighter, "_harm", lambda *_: 100)
    fighter, job = _fight(900, 240, 230, 900)
    fighter.give_signals()
    eating = [i for i in range(4) if (call := fighter.eat(i)) and call["tool"] == "use_item"]
    # Both that could stand fewer than 2.5 calls rest, for two others go on.
    assert eating == [1, 2]
    assert job.go == 2


def test_the_weakest_rests_first_when_only_one_can_be_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fighter, "_harm", lambda *_: 100)
    fighter, job = _fight(900, 240, 230)
    fighter.give_signals()
    assert [i for i in range(3) if fighter.eat(i)] == [2]
    assert job.go == 2


def test_an_attack_is_broken_off_rather_than_fought_to_the_death(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fighter, "_harm", lambda *_: 100)
    # Two are needed, and one of the two could not stand another 1.5 calls.
    fighter, job = _fight(900, 140)
    fighter.give_signals()
    assert job.go == 0
    call = fighter.fight(1)
    assert call is not None
    assert call["tool"] == "use_item"


def test_an_attack_begins_only_when_all_who_are_near_are_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fighter, "_quick", lambda *_: False)
    fighter, job = _fight(939, 500)
    job.go = 0
    fighter.give_signals()
    assert job.go == 0
    fighter.sim.state.agents[1].hp = 939
    fighter.give_signals()
    assert job.go == 3


def test_a_weapon_without_ammunition_gives_way_to_the_next_best() -> None:
    bag = {"bow": 1, "sword": 1}
    sim = start(agent("a", skills={"archery": 90, "strength": 30}, bag=bag, worn=("axe",)))
    fighter = Fighter(Team(sim, (0,)), Plan(jobs=[], hubs={}, gaps=[]))
    call = fighter.arm(0)
    assert call is not None
    assert call["arguments"]["item"] == "sword"
    armed = start(agent("a", skills={"archery": 90}, bag={**bag, "arrow": 9}, worn=("axe",)))
    call = Fighter(Team(armed, (0,)), Plan(jobs=[], hubs={}, gaps=[])).arm(0)
    assert call is not None
    assert call["arguments"]["item"] == "bow"


def test_a_staff_without_mana_is_put_away_unless_there_is_something_to_drink() -> None:
    thirsty = start(agent("a", skills={"magic": 9}, worn=("staff",), bag={"flask": 1}))
    thirsty.state.agents[0].mana = 0
    call = Fighter(Team(thirsty, (0,)), Plan(jobs=[], hubs={}, gaps=[])).arm(0)
    assert call == {"tool": "use_item", "arguments": {"item": "flask"}}
    dry = start(agent("a", skills={"magic": 9}, worn=("staff",)))
    dry.state.agents[0].mana = 0
    call = Fighter(Team(dry, (0,)), Plan(jobs=[], hubs={}, gaps=[])).arm(0)
    assert call == {"tool": "equip_item", "arguments": {"item": "staff"}}


def test_kills_without_a_share_of_those_named_do_not_count_for_the_plan() -> None:
    from agentworld_env.planner.progress import PlanProgress

    sim = start(agent("a"), agent("b"))
    job = Kill(agents=(0, 1), mob="rat", left=2, team=1, site=(110, 110), by=(0,))
    progress = PlanProgress(sim, Plan(jobs=[job], hubs={}, gaps=[]))
    sim.log(ev.Killed(0, 1, (), "rat-0001", "rat", "b", (("b", 5),)))
    progress.catch_up()
    assert job.left == 2
    sim.log(ev.Killed(1, 1, (), "rat-0001", "rat", "b", (("a", 1), ("b", 4))))
    progress.catch_up()
    assert job.left == 1
    assert len(of_type(sim, ev.Killed)) == 2


RAID = Raider(id="ogre-wave1-1", kind="ogre", x=100, y=120, appears=2, seeks=40)


def _defender(hp: int, *, raider: Raider = RAID, **bag: int) -> tuple[Defender, Simulation]:
    """Returns the planner's hand on an agent with so many hit points, 20 tiles from a raider that stands there."""
    sim = start(agent("a", 100, 100, skills={"health": 10, "strength": 60}, bag=bag), raiders=(raider,))
    end_round(sim)
    sim.state.agents[0].hp = hp
    return Defender(Team(sim, (0,)), Plan(jobs=[], hubs={}, gaps=[]), 50), sim


def test_a_raider_in_sight_is_struck_before_anything_else_is_done() -> None:
    hand, sim = _defender(339)
    assert hand.repel(0) == {"tool": "attack_entity", "arguments": {"target": "ogre-wave1-1"}}
    sim.place(0, 100, 120 + sim.rules.sight_mobs + 1)
    assert hand.repel(0) is None


def test_an_agent_eats_before_a_raider_could_kill_it_and_with_nothing_to_eat_leaves_it_alone() -> None:
    # A reaper strikes for up to 10,000, more than anybody has.
    reaper = Raider(id="reaper-wave1-1", kind="reaper", x=100, y=120, appears=2, seeks=40)
    hand, _ = _defender(100, raider=reaper, apple=1)
    assert hand.repel(0) == {"tool": "use_item", "arguments": {"item": "apple"}}
    bare, _ = _defender(100, raider=reaper)
    assert bare.repel(0) is None


def test_a_raider_that_is_after_somebody_is_struck_before_a_nearer_one() -> None:
    near = Raider(id="ogre-wave1-2", kind="ogre", x=100, y=105, appears=2, seeks=1)
    sim = start(agent("a", 100, 100, skills={"health": 10}), raiders=(near, RAID))
    end_round(sim)
    hand = Defender(Team(sim, (0,)), Plan(jobs=[], hubs={}, gaps=[]), 50)
    assert hand.repel(0) == {"tool": "attack_entity", "arguments": {"target": "ogre-wave1-2"}}
    end_round(sim)
    assert hand.repel(0) == {"tool": "attack_entity", "arguments": {"target": "ogre-wave1-1"}}


def test_what_must_be_handed_over_is_not_taken_into_the_hand_as_a_weapon() -> None:
    sim = start(agent("a", 100, 100, bag={"sword": 1}), agent("b", 100, 101))
    plain = Fighter(Team(sim, (0, 1)), Plan(jobs=[], hubs={}, gaps=[]))
    assert plain.arm(0) == {"tool": "equip_item", "arguments": {"item": "sword"}}
    gift = Give(agent=0, item="sword", left=1, to="b")
    bound = Fighter(Team(sim, (0, 1)), Plan(jobs=[gift], hubs={}, gaps=[]))
    assert bound.arm(0) is None
