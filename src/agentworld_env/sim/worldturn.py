"""The world's own turn at the end of each round: mobs, respawns, regeneration."""

from __future__ import annotations

from agentworld_env.sim.combat import mob_strikes, regain, stride
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import ACTIVE, MobState
from agentworld_env.world.geometry import manhattan

HOMEWARD = -2
"""What ``pursue`` returns of a mob that goes home."""


def world_turn(sim: Simulation) -> None:
    """Runs the world's turn of the present round."""
    for number in sim.raiders:
        seek(sim, number)
    for number in sorted(sim.state.mobs):
        mob_turn(sim, number, sim.state.mobs[number])
    regenerate(sim)


def mob_turn(sim: Simulation, number: int, mob: MobState) -> None:
    """Runs the turn of a mob that somebody has dealt with, at the end of each round.

    A named boss that has been struck, but in this round by fewer than ``team`` different agents, is back at home with
    all its hit points, and its last hit point never falls before ``team`` of them have struck it in the same round (own
    choice: no agent alone can fell it, whatever its figures and luck, which can be proven and is seen in the
    observation). Otherwise a mob is after whom it noticed or who struck it first, within ``pursuit`` tiles. If it has
    not fought in the round, it walks up to ``mob_chase`` tiles towards that agent, straight, and strikes up to
    ``mob_strikes`` times if within its reach. Once it is farther than ``leash`` tiles from home, or has nobody to be
    after, it is back at home with all its hit points (own choice: a fight left alone is over). A fallen mob stands
    again after its ``respawn`` (published).

    Args:
        sim: The simulation.
        number: Index of the mob.
        mob: Its state.
    """
    state = sim.state
    if mob.dead_until:
        if state.round >= mob.dead_until:
            sim.forget_mob(number)
        return
    prey = pursue(sim, number, mob)
    if prey == HOMEWARD:
        regain(sim, number)
    elif prey >= 0:
        mob_strikes(sim, number, prey)


def pursue(sim: Simulation, number: int, mob: MobState) -> int:
    """Lets a mob that stands go after its prey in the world's turn, as far as that changes its place and target.

    What follows, a strike or the way home, is for the caller to carry out.

    Returns:
        The index of the agent that it strikes, ``HOMEWARD`` if it goes home, or -1 if it does neither.
    """
    state, spec = sim.state, sim.spec(number)
    enough = len(mob.attackers) >= spec.team
    mob.attackers = ()
    if spec.team > 1 and not enough and mob.hits:
        # A named boss shrugs off anything less than a joint attack in every round.
        return HOMEWARD
    target = _target(sim, mob)
    if target < 0:
        return HOMEWARD
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
        return HOMEWARD
    return target if idle and apart <= spec.reach else -1


def seek(sim: Simulation, number: int) -> None:
    """Lets a raider that is after nobody go for the nearest agent that has ended the round near its home.

    Raiders are the creatures of a task's waves: they come in a stated round, seek within so many tiles of the place
    where they came up as the task says, spare nobody, and do not stand again once fallen (own choice: a place can be
    defended only against what goes for it).

    Args:
        sim: The simulation.
        number: Index of the raider.
    """
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
    return prey.status == ACTIVE and manhattan(mob.x, mob.y, prey.x, prey.y) <= sim.rules.pursuit


def regenerate(sim: Simulation) -> None:
    """Gives agents that neither struck nor were struck at in the round some hit points and mana.

    They regain ``regain`` thousandths of the most they can have, ``sleep_factor`` times that if asleep, rounded down,
    and at least ``regain_least`` (published: about 0.5 % every 7 s, none while fighting).
    """
    rules, round_ = sim.rules, sim.state.round
    for i, agent in enumerate(sim.state.agents):
        if agent.status != ACTIVE or agent.fought == round_:
            continue
        most_hp, most_mana = sim.max_hp[i], sim.max_mana[i]
        if agent.hp < most_hp or agent.mana < most_mana:
            share = rules.regain * (rules.sleep_factor if agent.asleep else 1)
            agent.hp = min(most_hp, agent.hp + max(rules.regain_least, most_hp * share // 1000))
            agent.mana = min(most_mana, agent.mana + max(rules.regain_least, most_mana * share // 1000))
