"""Harvesting resource nodes."""

from __future__ import annotations

from agentworld_env.sim.bag import put
from agentworld_env.sim.events import Cause, Harvested, Need, Result, fail
from agentworld_env.sim.movement import walk
from agentworld_env.sim.simulation import Simulation
from agentworld_env.world.catalogue import NodeKind
from agentworld_env.world.geometry import manhattan


def gear_causes(sim: Simulation, agent: int, slot: str) -> tuple[Cause, ...]:
    """Returns why an agent wears what it wears in a slot: who brought the thing, and when it was put on."""
    worn = sim.state.agents[agent].worn.get(slot)
    if worn is None:
        return ()
    return tuple(("equipment", action) for action in worn[2:4] if action >= 0)


def lacks(sim: Simulation, agent: int, kind: NodeKind) -> Result | None:
    """Returns why an agent cannot harvest a kind of node with its skills and worn tool, or None if it can."""
    level = sim.level(agent, kind.skill)
    if level < kind.level:
        return fail(
            "skill",
            f"{kind.name} needs {kind.skill} {kind.level}, you have {level}",
            "ask a team-mate with that skill",
        )
    if not wears_tool(sim, agent, kind):
        return fail(
            "tool", f"{kind.name} needs a worn {kind.tool}", f"equip_item {kind.tool} if you carry one"
        )
    return None


def wears_tool(sim: Simulation, agent: int, kind: NodeKind) -> bool:
    """Returns whether an agent wears the tool that a kind of node needs, if it needs any."""
    if kind.tool is None:
        return True
    worn = sim.state.agents[agent].worn.get("weapon")
    return worn is not None and sim.world.items[worn[0]].tool == kind.tool


def harvest(sim: Simulation, agent: int, target: str) -> Result:
    """The tool ``harvest_resource``: walks to a node in sight and takes one unit of what it gives."""
    world, state, rules = sim.world, sim.state, sim.rules
    number = world.node_index.get(target)
    me = state.agents[agent]
    if number is None:
        return fail(
            "unknown_target", f"there is no resource node {target!r}", "use an id from your surroundings"
        )
    node = world.nodes[number]
    if manhattan(me.x, me.y, node.x, node.y) > rules.sight_nodes:
        return fail("out_of_sight", f"{target} is not in sight", "move nearer first")
    kind = world.kind_of_node[number]
    missing = lacks(sim, agent, kind)
    if missing is not None:
        return missing
    ready = sim.node_ready(number)
    if ready > state.round:
        return fail("depleted", f"{target} is depleted until round {ready}", "choose another node or wait")
    if not sim.room_for(agent, kind.gives):
        return fail(
            "bag_full",
            f"no room for {kind.gives}: your bag holds {rules.bag_kinds} kinds",
            "give something away",
        )
    need = Need(sim.names[agent], node.x, node.y, rules.sight_nodes)
    outcome = walk(sim, agent, node.x, node.y, rules.gather_reach)
    if outcome.noticed:
        return fail(
            "interrupted", f"{outcome.noticed} noticed you on the way to {target}", "fight it or walk on"
        )
    if not outcome.reached:
        return fail(
            "out_of_reach",
            f"{target} is more than {rules.path_limit} tiles of path away",
            "walk nearer first",
        )
    action = state.actions
    state.nodes[number] = state.round + kind.respawn
    put(me.bag, kind.gives, ((action, action, 1),))
    me.xp[kind.skill] = me.xp.get(kind.skill, 0) + kind.xp
    causes = gear_causes(sim, agent, "weapon") if kind.tool else ()
    sim.log(
        Harvested(action, state.round, causes, sim.names[agent], target, kind.gives, 1, kind.skill, kind.xp)
    )
    return Result(True, needs=(need,))
