"""The world's own turn at the end of each round: mobs, respawns, regeneration."""

from __future__ import annotations

from agentworld_env.sim.combat import mob_strikes, regain, stride
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import ACTIVE, MobState
from agentworld_env.world.geometry import manhattan


def world_turn(sim: Simulation) -> None:
    """Runs the world's turn of the present round."""
    for number in sim.raiders:
        _seek(sim, number)
    for number in sorted(sim.state.mobs):
        _mob_turn(sim, number, sim.state.mobs[number])
    _regenerate(sim)


def _mob_turn(sim: Simulation, number: int, mob: MobState) -> None:
    state, spec = sim.state, sim.spec(number)
    if mob.dead_until:
        if state.round >= mob.dead_until:
            sim.forget_mob(number)
        return
    enough = len(mob.attackers) >= spec.team
    mob.attackers = ()
    if spec.team > 1 and not enough and mob.hits:
        # A named boss shrugs off anything less than a joint attack in every round.
        regain(sim, number)
        return
    target = _target(sim, mob)
    if target < 0:
        regain(sim, number)
        return
    mob.target = target
    prey = state.agents[target]
    # Whoever fought in the round has had its exchanges; all others come after their prey and strike.
    idle = mob.fought != state.round
    apart = abs(mob.x - prey.x) + abs(mob.y - prey.y)
    if idle and apart > spec.reach:
        stride(sim, mob, prey.x, prey.y, sim.rules.mob_chase, spec.reach)
        sim.mob_moved(number, mob)
        apart = abs(mob.x - prey.x) + abs(mob.y - prey.y)
    home_x, home_y = sim.home(number)
    if abs(mob.x - home_x) + abs(mob.y - home_y) > max(sim.rules.leash, spec.seeks):
        regain(sim, number)
    elif idle and apart <= spec.reach:
        mob_strikes(sim, number, target)


def _seek(sim: Simulation, number: int) -> None:
    """Lets a raider that is after nobody go for the nearest agent that has ended the round near its home."""
    where = sim.where(number)
    mob = sim.state.mobs.get(number)
    if where is None or (mob is not None and mob.target >= 0 and _in_leash(sim, mob, mob.target)):
        return
    home, seeks = sim.home(number), sim.spec(number).seeks
    found = [
        (manhattan(agent.x, agent.y, *where), i)
        for i, agent in enumerate(sim.state.agents)
        if agent.status == ACTIVE and manhattan(agent.x, agent.y, *home) <= seeks
    ]
    if found:
        sim.touch(number).target = min(found)[1]


def _target(sim: Simulation, mob: MobState) -> int:
    """Returns whom a mob is after: its target, or else the earliest of those who hit it, within the leash."""
    if mob.target >= 0 and _in_leash(sim, mob, mob.target):
        return mob.target
    for hit in mob.hits:
        if _in_leash(sim, mob, hit[0]):
            return hit[0]
    return -1


def _in_leash(sim: Simulation, mob: MobState, agent: int) -> bool:
    prey = sim.state.agents[agent]
    return prey.status == ACTIVE and manhattan(mob.x, mob.y, prey.x, prey.y) <= 2 * sim.rules.leash


def _regenerate(sim: Simulation) -> None:
    rules, round_ = sim.rules, sim.state.round
    for i, agent in enumerate(sim.state.agents):
        if agent.status != ACTIVE or agent.fought == round_:
            continue
        most_hp, most_mana = sim.max_hp[i], sim.max_mana[i]
        if agent.hp < most_hp or agent.mana < most_mana:
            share = rules.regain * (rules.sleep_factor if agent.asleep else 1)
            agent.hp = min(most_hp, agent.hp + max(1, most_hp * share // 1000))
            agent.mana = min(most_mana, agent.mana + max(1, most_mana * share // 1000))
