"""What nobody can make or get, and the members of a team have too little of."""

from __future__ import annotations

from agentworld_env.certify.reach import Reach
from agentworld_env.certify.sources import Sources
from agentworld_env.certify.units import Units
from agentworld_env.sim import Simulation
from agentworld_env.tasks.schema import Delivered, TaskSpec


def shortage(spec: TaskSpec, sim: Simulation, members: tuple[int, ...]) -> str | None:
    """Returns of what some members have too little for any success while the others idle, in words, or None.

    Only items count that no member can harvest, craft, loot or barter even if nothing were ever used up. What idle
    mates hold is out of reach as long as every death fails the task; else it counts as held by the members.

    Args:
        spec: The task.
        sim: A simulation of its set-up, for figures and levels; its state is not read.
        members: Indices of the agents that act.
    """
    sources = Sources(spec, sim, members)
    makers = Reach(spec, sim, members).makers
    holders = members if sources.lives else tuple(range(len(sim.names)))

    def held(item: str) -> int:
        return sum(sources.stock(item, i) for i in holders)

    for item, amounts in Units(sources, {}).amounts.items():
        if item not in makers:
            # The least that is used up or kept, and not what the whole team has at the start, is what counts here.
            need = amounts.used + sources.stock(item)
            if need > held(item):
                return f"{need} {item} are needed, {held(item)} are there and no more can be had"
    for point in sources.parts:
        if isinstance(point, Delivered) and point.item not in makers:
            own = sources.stock(point.item, sim.index[point.to]) if point.to in sim.index else 0
            there = held(point.item) - (own if sim.index.get(point.to) in holders else 0)
            if point.count > there:
                return f"{point.count} {point.item} must reach {point.to}, {there} are there and no more can be had"
    return None
