"""Making items by recipe, wearing them, and using them up."""

from __future__ import annotations

from agentworld_env.sim.bag import material, put, take
from agentworld_env.sim.events import Consumed, Crafted, Equipped, Result, Unequipped, fail
from agentworld_env.sim.simulation import Simulation
from agentworld_env.world.catalogue import Recipe

CRAFT_COUNTS = (1, 5, 10)
"""How many times a recipe may be made in one call (published)."""


def missing_inputs(sim: Simulation, agent: int, recipe: Recipe, times: int) -> dict[str, int]:
    """Returns item key -> units that an agent lacks to make a recipe so many times."""
    me = sim.state.agents[agent]
    lacking = {item: units * times - me.count(item) for item, units in recipe.inputs.items()}
    return {item: units for item, units in lacking.items() if units > 0}


def times_possible(sim: Simulation, agent: int, recipe: Recipe) -> int:
    """Returns how many times an agent's materials suffice for a recipe, whatever its skill."""
    me = sim.state.agents[agent]
    return min([me.count(item) // units for item, units in recipe.inputs.items()])


def craft(sim: Simulation, agent: int, skill: str, item: str, times: int) -> Result:
    """The tool ``craft_item``: makes a recipe 1, 5 or 10 times; with skill and materials it never fails."""
    recipe = sim.world.recipe_of.get(item)
    if recipe is None:
        return fail("unknown_recipe", f"there is no recipe for {item!r}", "use an item key from your guide")
    if recipe.skill != skill:
        return fail(
            "wrong_skill", f"{item} is made by {recipe.skill}, not {skill}", f"use skill {recipe.skill}"
        )
    if times not in CRAFT_COUNTS:
        return fail(
            "count", f"count must be one of {CRAFT_COUNTS}, not {times}", "make the rest in further calls"
        )
    level = sim.level(agent, skill)
    if level < recipe.level or level == 0:
        return fail(
            "skill",
            f"{item} needs {skill} {recipe.level}, you have {level}",
            "ask a team-mate with that skill",
        )
    lacking = missing_inputs(sim, agent, recipe, times)
    if lacking:
        need = ", ".join(f"{units} {key}" for key, units in lacking.items())
        return fail("materials", f"you lack {need} to make {item} x{times}", "gather it or ask for it")
    me, state = sim.state.agents[agent], sim.state
    spent = {key: units * times for key, units in recipe.inputs.items()}
    emptied = sum(1 for key, units in spent.items() if me.count(key) == units)
    if item not in me.bag and len(me.bag) - emptied >= sim.rules.bag_kinds:
        return fail(
            "bag_full",
            f"no room for {item}: your bag holds {sim.rules.bag_kinds} kinds",
            "give something away",
        )
    action = state.actions
    inputs = tuple((key, take(me.bag, key, units)) for key, units in spent.items())
    made = recipe.count * times
    put(me.bag, item, ((action, action, made),))
    xp = recipe.xp * times
    me.xp[skill] = me.xp.get(skill, 0) + xp
    causes = tuple(dict.fromkeys(cause for _, lots in inputs for cause in material(lots)))
    sim.log(Crafted(action, state.round, causes, sim.names[agent], skill, item, made, times, xp, inputs))
    return Result(True)


def unmet_needs(sim: Simulation, agent: int, item: str) -> str:
    """Returns why an agent may not wear an item, or an empty string."""
    for skill, level in sim.world.items[item].needs.items():
        have = sim.levels[agent] if skill == "combat" else sim.skills[agent].get(skill, 1)
        if have < level:
            what = "combat level" if skill == "combat" else skill
            return f"{item} needs {what} {level}, you have {have}"
    return ""


def equip(sim: Simulation, agent: int, item: str) -> Result:
    """The tool ``equip_item``: puts an item on, swapping what was worn; on a worn item it takes it off."""
    me, state, name = sim.state.agents[agent], sim.state, sim.names[agent]
    for slot, worn in me.worn.items():
        if worn[0] == item and item not in me.bag:
            if not sim.room_for(agent, item):
                return fail("bag_full", f"no room to take {item} off", "give something away")
            _take_off(sim, agent, slot)
            return Result(True)
    if item not in me.bag:
        return fail("not_carried", f"you carry no {item}")
    kind = sim.world.items[item]
    if kind.slot is None:
        return fail("not_wearable", f"{item} cannot be worn")
    unmet = unmet_needs(sim, agent, item)
    if unmet:
        return fail("requirement", unmet)
    old = me.worn.get(kind.slot)
    if (
        old is not None
        and old[0] not in me.bag
        and len(me.bag) - (me.count(item) == 1) >= sim.rules.bag_kinds
    ):
        return fail("bag_full", f"no room for the {old[0]} you wear", "give something away")
    origin, via, _ = take(me.bag, item, 1)[0]
    if old is not None:
        _take_off(sim, agent, kind.slot)
    me.worn[kind.slot] = (item, origin, via, state.actions)
    causes = (("material", via),) if via >= 0 else ()
    sim.log(Equipped(state.actions, state.round, causes, name, kind.slot, item, origin))
    return Result(True)


def _take_off(sim: Simulation, agent: int, slot: str) -> None:
    me, state = sim.state.agents[agent], sim.state
    item, origin, via, put_on = me.worn.pop(slot)
    causes = (("equipment", put_on),) if put_on >= 0 else ()
    put(me.bag, item, ((origin, via, 1),))
    sim.log(Unequipped(state.actions, state.round, causes, sim.names[agent], slot, item))


def use(sim: Simulation, agent: int, item: str) -> Result:
    """The tool ``use_item``: eats or drinks one unit."""
    me, state = sim.state.agents[agent], sim.state
    if item not in me.bag:
        return fail("not_carried", f"you carry no {item}")
    kind = sim.world.items[item]
    if not (kind.heal_hp or kind.heal_mana):
        return fail("not_usable", f"{item} can be neither eaten nor drunk")
    hp = min(kind.heal_hp, sim.max_hp[agent] - me.hp)
    mana = min(kind.heal_mana, sim.max_mana[agent] - me.mana)
    if not (hp or mana):
        return fail("no_need", f"{item} would restore nothing now", "keep it for later")
    lots = take(me.bag, item, 1)
    me.hp += hp
    me.mana += mana
    sim.log(Consumed(state.actions, state.round, material(lots), sim.names[agent], item, 1, hp, mana))
    return Result(True)
