"""Fighting: exchanges of blows, kills, loot, and death."""

from __future__ import annotations

from agentworld_env.sim import randomness as rng
from agentworld_env.sim.bag import carried_by, material, put, take
from agentworld_env.sim.events import (
    Cause,
    Consumed,
    Died,
    Dropped,
    Hurt,
    Killed,
    Looted,
    Need,
    PickedUp,
    Regained,
    Result,
    Struck,
    Woke,
    fail,
)
from agentworld_env.sim.gathering import gear_causes
from agentworld_env.sim.mobspec import MobSpec
from agentworld_env.sim.movement import walk
from agentworld_env.sim.rules import max_strike, mob_max_strike
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import ACTIVE, DEAD, AgentState, MobState
from agentworld_env.world.catalogue import Item
from agentworld_env.world.geometry import manhattan


def weapon_of(sim: Simulation, agent: int) -> Item | None:
    """Returns what an agent fights with, or None for bare hands."""
    worn = sim.state.agents[agent].worn.get("weapon")
    return None if worn is None else sim.world.items[worn[0]]


def fighting_style(weapon: Item | None) -> tuple[str, str, int, int]:
    """Returns a weapon's skill of the hit roll, skill of the damage, bonus and reach (tiles), or those of bare hands.

    With a melee weapon, a tool or bare hands accuracy decides whether a blow hits and strength what it does; with a
    bow archery decides both, with a staff magic does. The bonus is the weapon's ``attack``, none for bare hands, which
    reach 1 tile (own choice: one skill serves either distant style, so that its roles are told by one figure).
    """
    if weapon is None:
        return "accuracy", "strength", 0, 1
    if weapon.weapon == "bow":
        return "archery", "archery", weapon.attack, weapon.reach
    if weapon.weapon == "staff":
        return "magic", "magic", weapon.attack, weapon.reach
    return "accuracy", "strength", weapon.attack, weapon.reach or 1


def hit_chance(sim: Simulation, attack: int, defence: int) -> int:
    """Returns the chance to hit (thousandths) of an attack rating against a defence rating.

    It is ``hit_base`` plus ``hit_slope`` for each point by which the attack rating exceeds the defence rating, within
    ``hit_floor`` and ``hit_ceiling`` (own choice: linear, so that each level and each piece of armour counts the same,
    and in integers, so that all machines agree). An agent's attack rating is its level in the skill of the hit roll,
    its defence rating that of ``armour_of``; a mob's are its attack and defence levels.
    """
    rules = sim.rules
    chance = rules.hit_base + rules.hit_slope * (attack - defence)
    return min(max(chance, rules.hit_floor), rules.hit_ceiling)


def _hit_mark(sim: Simulation, attack: int, defence: int) -> int:
    """Returns below which bits an attack rating hits a defence rating; fights ask for the same few again and again."""
    found = sim.hit_marks.get((attack, defence))
    if found is None:
        found = sim.hit_marks[attack, defence] = rng.mark(hit_chance(sim, attack, defence))
    return found


def armour_of(sim: Simulation, agent: int) -> int:
    """Returns an agent's defence rating: its defense level plus the ``defence`` of all it wears.

    Armour makes blows rarer, not weaker (own choice: the published greatest damage is "before armour", and one figure
    that both sides share is easy to learn).
    """
    items = sim.world.items
    rating = sim.skills[agent].get("defense", 1)
    for piece in sim.state.agents[agent].worn.values():
        rating += items[piece[0]].defence
    return rating


def attack(sim: Simulation, agent: int, target: str) -> Result:
    """The tool ``attack_entity``: walks into reach and fights till one falls or the exchanges are over."""
    state = sim.state
    number = sim.mob_number(target)
    if number is None:
        known = target in sim.index or target in sim.people or target in sim.world.node_index
        reason = f"{target} cannot be attacked" if known else f"there is no mob {target!r}"
        return fail("unknown_target", reason, "use the id of a mob in your surroundings")
    me = state.agents[agent]
    where = sim.where(number)
    if where is None or manhattan(me.x, me.y, *where) > sim.rules.sight_mobs:
        return fail("out_of_sight", f"{target} is not in sight", "move nearer first")
    weapon = weapon_of(sim, agent)
    style = fighting_style(weapon)
    short = _out_of_supplies(me, weapon)
    if short is not None:
        return short
    need = Need(sim.names[agent], where[0], where[1], sim.rules.sight_mobs)
    outcome = walk(sim, agent, where[0], where[1], style[3], ignore=number)
    if outcome.noticed:
        return fail(
            "interrupted", f"{outcome.noticed} noticed you on the way to {target}", "fight it or walk on"
        )
    if not outcome.reached:
        return fail(
            "out_of_reach",
            f"no way to {target} within {sim.rules.path_limit} tiles of path",
            "walk nearer first",
        )
    exchange(sim, agent, number, weapon, style)
    return Result(True, needs=(need,))


def _out_of_supplies(me: AgentState, weapon: Item | None) -> Result | None:
    if weapon is None:
        return None
    if weapon.ammunition and not me.count(weapon.ammunition):
        return fail(
            "no_ammunition", f"{weapon.name} needs {weapon.ammunition}", "equip another weapon or get some"
        )
    if weapon.mana_cost and me.mana < weapon.mana_cost:
        return fail(
            "no_mana", f"{weapon.name} needs {weapon.mana_cost} mana, you have {me.mana}", "drink or sleep"
        )
    return None


def exchange(
    sim: Simulation, agent: int, number: int, weapon: Item | None, style: tuple[str, str, int, int]
) -> None:
    """Fights up to ``exchanges`` exchanges of blows.

    In each one the agent strikes, then the mob, if it stands; a mob out of its reach walks ``mob_stride`` tiles nearer
    instead. A blow that hits does anything from 0 to the greatest damage, each number equally likely (own choice: the
    published figures give the greatest only). A bow uses up one unit of its ammunition and a staff its ``mana_cost`` in
    each exchange, hit or miss; without them the call fails, and if they run out in a fight it ends there (own choice:
    reach has its price).

    Args:
        sim: The simulation.
        agent: Index of the agent that strikes.
        number: Index of the mob.
        weapon: What the agent fights with; None for bare hands.
        style: What ``fighting_style`` returned.
    """
    state, spec, mob = sim.state, sim.spec(number), sim.touch(number)
    me, action = state.agents[agent], state.actions
    skills = sim.skills[agent]
    most = max_strike(style[2], skills.get(style[1], 1)) + 1
    chance = _hit_mark(sim, skills.get(style[0], 1), spec.defence)
    mob_chance = _hit_mark(sim, spec.attack, armour_of(sim, agent))
    mob_most = mob_max_strike(spec.attack) + 1
    victim = mob.target if mob.target not in (-1, agent) else -1
    engage(sim, mob, agent)
    floor = 1 if len(mob.attackers) < spec.team else 0
    supplies: list[Cause] = []
    shots = dealt = taken = rounds = 0
    stem = sim.stem
    hit, harm = stem(rng.HIT, agent, number), stem(rng.DAMAGE, agent, number)
    mob_hit, mob_harm = stem(rng.MOB_HIT, agent, number), stem(rng.MOB_DAMAGE, agent, number)
    spin, reach, costly = rng.spin, spec.reach, weapon is not None and (weapon.mana_cost or weapon.ammunition)
    for k in range(sim.rules.exchanges):
        if costly and weapon is not None:
            if weapon.mana_cost:
                if me.mana < weapon.mana_cost:
                    break
                me.mana -= weapon.mana_cost
            if weapon.ammunition:
                if weapon.ammunition not in me.bag:
                    break
                supplies.extend(material(take(me.bag, weapon.ammunition, 1)))
                shots += 1
        rounds += 1
        if spin(hit, k) < chance:
            damage = min((most * spin(harm, k)) >> 64, mob.hp - floor)
            mob.hp -= damage
            dealt += damage
            if mob.hp == 0:
                break
        if abs(me.x - mob.x) + abs(me.y - mob.y) > reach:
            close_in(sim, mob, me, reach)
        elif spin(mob_hit, k) < mob_chance:
            taken += _wound(me, (mob_most * spin(mob_harm, k)) >> 64)
            if me.hp == 0:
                break
    sim.mob_moved(number, mob)
    me.fought = state.round
    remember(mob, spec, agent, action, dealt, state.round)
    causes = gear_causes(sim, agent, "weapon") + tuple(dict.fromkeys(supplies))
    name = sim.names[agent]
    guarded = sim.names[victim] if victim >= 0 else ""
    sim.log(Struck(action, state.round, causes, name, spec.id, rounds, dealt, mob.hp, guarded))
    if shots and weapon is not None and weapon.ammunition:
        sim.log(Consumed(action, state.round, (), name, weapon.ammunition, shots, 0, 0))
    if taken:
        sim.log(Hurt(action, state.round, (), name, spec.id, taken, me.hp))
    if mob.hp == 0:
        _kill(sim, agent, number, spec, mob)
    elif me.hp == 0:
        die(sim, agent, number, action)


def _wound(agent: AgentState, damage: int) -> int:
    if damage > agent.hp:
        damage = agent.hp
    agent.hp -= damage
    return damage


def engage(sim: Simulation, mob: MobState, agent: int) -> None:
    """Makes a mob aware that an agent attacks it, which it goes for unless it is after another that stands."""
    if mob.target < 0 or sim.state.agents[mob.target].status != ACTIVE:
        mob.target = agent
    if agent not in mob.attackers:
        mob.attackers = (*mob.attackers, agent)


def close_in(sim: Simulation, mob: MobState, agent: AgentState, reach: int) -> None:
    """Lets a mob walk nearer to whoever it exchanges blows with, up to ``mob_stride`` tiles, till within its reach."""
    stride(sim, mob, agent.x, agent.y, sim.rules.mob_stride, reach)


def remember(mob: MobState, spec: MobSpec, agent: int, action: int, damage: int, round_: int) -> None:
    """Makes a mob remember an exchange of blows that is over.

    Args:
        mob: The mob.
        spec: What it is.
        agent: Index of the agent that struck it.
        action: Number of that agent's action.
        damage: What the agent's blows did (hit points).
        round_: The present round.
    """
    mob.fought = round_
    if damage or spec.team > 1:
        # Against a boss the blow itself counts, whether or not it hurt: its team rule asks who struck.
        mob.hits = (*mob.hits, (agent, action, damage))


def stride(sim: Simulation, mob: MobState, x: int, y: int, tiles: int, reach: int) -> None:
    """Walks a mob towards a tile, straight and without going round obstacles.

    Args:
        sim: The simulation.
        mob: The mob.
        x: Column of the goal.
        y: Row of the goal.
        tiles: At most so many steps.
        reach: It stops once so near (tiles).
    """
    for _ in range(tiles):
        dx, dy = x - mob.x, y - mob.y
        if abs(dx) + abs(dy) <= reach:
            return
        sx, sy = (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)
        steps = ((sx, 0), (0, sy)) if abs(dx) >= abs(dy) else ((0, sy), (sx, 0))
        for step in steps:
            if step != (0, 0) and sim.world.is_walkable(mob.x + step[0], mob.y + step[1]):
                mob.x += step[0]
                mob.y += step[1]
                break
        else:
            return


def _kill(sim: Simulation, agent: int, number: int, spec: MobSpec, mob: MobState) -> None:
    state = sim.state
    action = state.actions
    shares: dict[int, int] = {}
    for who, _, damage in mob.hits:
        shares[who] = shares.get(who, 0) + damage
    causes = tuple(dict.fromkeys(("damage", hit[1]) for hit in mob.hits if hit[1] != action))
    by = tuple((sim.names[who], damage) for who, damage in shares.items() if damage)
    sim.log(Killed(action, state.round, causes, spec.id, spec.kind, sim.names[agent], by))
    mob.dead_until = state.round + spec.respawn
    mob.target = -1
    mob.hits = ()
    mob.attackers = ()
    for item, units in drops_of(sim, agent, number, spec):
        _loot(sim, agent, spec, mob, item, units)
    mob.x, mob.y = sim.home(number)
    sim.mob_moved(number, mob)
    mob.hp = spec.hp


def drops_of(sim: Simulation, agent: int, number: int, spec: MobSpec) -> list[tuple[str, int]]:
    """Returns what a fallen mob gives to whoever struck the last blow, as (item, units).

    Of the entries of its drop list that have a chance, one is drawn, each equally likely, and rolled against its chance
    in ten-thousandths: at most one of them falls (published). Entries with ``always`` fall besides, every time (own
    choice: what a task counts must not hang on luck). What the bag has no room for lies on the ground.

    Args:
        sim: The simulation.
        agent: Index of the agent that struck the last blow.
        number: Index of the mob.
        spec: What the mob is.
    """
    given: dict[str, int] = {}
    for drop in spec.drops:
        if drop.always:
            given[drop.item] = given.get(drop.item, 0) + drop.count
    rolled = [drop for drop in spec.drops if not drop.always]
    if rolled:
        round_, seed = sim.state.round, sim.state.seed
        drop = rolled[rng.below(len(rolled), rng.draw(seed, rng.LOOT, agent, number, round_, 0))]
        if rng.below(10_000, rng.draw(seed, rng.LOOT, agent, number, round_, 1)) < drop.per_10000:
            given[drop.item] = given.get(drop.item, 0) + drop.count
    return list(given.items())


def _loot(sim: Simulation, agent: int, spec: MobSpec, mob: MobState, item: str, units: int) -> None:
    state, action = sim.state, sim.state.actions
    lots = ((action, action, units),)
    if sim.room_for(agent, item):
        put(state.agents[agent].bag, item, lots)
        sim.log(Looted(action, state.round, (), sim.names[agent], spec.id, item, units))
    else:
        ground = f"{item}-{action}"
        sim.put_down(ground, (item, lots, mob.x, mob.y))
        sim.log(Dropped(action, state.round, (), spec.id, ground, item, lots, mob.x, mob.y))


def mob_strikes(sim: Simulation, number: int, agent: int) -> None:
    """Lets a mob strike an agent in the world's turn."""
    state, spec, me = sim.state, sim.spec(number), sim.state.agents[agent]
    chance = _hit_mark(sim, spec.attack, armour_of(sim, agent))
    most = mob_max_strike(spec.attack) + 1
    taken = 0
    hit, harm = sim.stem(rng.MOB_HIT, number, agent), sim.stem(rng.MOB_DAMAGE, number, agent)
    # Numbered after the exchanges, so that no two rolls of an episode share a key.
    first = sim.rules.exchanges
    spin = rng.spin
    for k in range(first, first + sim.rules.mob_strikes):
        if spin(hit, k) < chance:
            taken += _wound(me, (most * spin(harm, k)) >> 64)
            if me.hp == 0:
                break
    me.fought = state.round
    if not taken:
        return
    sim.log(Hurt(-1, state.round, (), sim.names[agent], spec.id, taken, me.hp))
    if me.hp == 0:
        die(sim, agent, number, -1)
    elif me.asleep:
        sim.lay_down(agent, 0)
        sim.log(Woke(-1, state.round, (), sim.names[agent], spec.id))


def regain(sim: Simulation, number: int) -> None:
    """Sends a mob home with all its hit points; it forgets who hit it."""
    mob, spec = sim.forget_mob(number), sim.spec(number)
    if mob.hp < spec.hp:
        sim.log(Regained(-1, sim.state.round, (), spec.id))


def die(sim: Simulation, agent: int, number: int, action: int) -> None:
    """Ends an agent's life: everything it carried comes to lie on the ground, to the end of the episode."""
    state, me, name = sim.state, sim.state.agents[agent], sim.names[agent]
    sim.depart(agent, DEAD)
    sim.log(Died(action, state.round, (), name, sim.spec(number).id))
    things, me.bag = me.bag, {}
    for item, origin, via, _ in me.worn.values():
        put(things, item, ((origin, via, 1),))
    me.worn = {}
    for item, lots in things.items():
        ground = remains(name, item)
        sim.put_down(ground, (item, lots, me.x, me.y))
        sim.log(Dropped(action, state.round, (), name, ground, item, lots, me.x, me.y))


def remains(name: str, item: str) -> str:
    """Returns the id of what a dead agent had of an item, as it lies on the ground."""
    return f"{item}-of-{name}"


def pickup(sim: Simulation, agent: int, target: str) -> Result:
    """The tool ``pickup_item``: takes a ground item within reach, whole."""
    state, me = sim.state, sim.state.agents[agent]
    thing = state.ground.get(target)
    if thing is None or manhattan(me.x, me.y, thing[2], thing[3]) > sim.rules.sight_people:
        return fail("unknown_target", f"nothing called {target!r} lies in sight", "use an id you see")
    item, lots, x, y = thing
    if manhattan(me.x, me.y, x, y) > sim.rules.pickup_reach:
        return fail(
            "out_of_reach",
            f"{target} lies more than {sim.rules.pickup_reach} tiles away",
            f"move to ({x}, {y})",
        )
    if not sim.room_for(agent, item):
        return fail(
            "bag_full",
            f"no room for {item}: your bag holds {sim.rules.bag_kinds} kinds",
            "give something away",
        )
    sim.take_up(target)
    put(me.bag, item, carried_by(lots, state.actions))
    causes = tuple(("loot", via) for _, via in material(lots))
    sim.log(PickedUp(state.actions, state.round, causes, sim.names[agent], target, item, lots))
    return Result(True, needs=(Need(sim.names[agent], x, y, sim.rules.pickup_reach),))
