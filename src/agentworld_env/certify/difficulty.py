"""How hard a task is, without asking any model: slack, distance, hand-overs, who cannot be missed."""

from __future__ import annotations

import msgspec

from agentworld_env.calls import Call
from agentworld_env.certify.play import PASS, Played, Tape, attempt
from agentworld_env.certify.reach import Reach
from agentworld_env.certify.scarcity import shortage
from agentworld_env.sim import Simulation
from agentworld_env.sim import events as ev
from agentworld_env.tasks import Task


class Difficulty(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of difficulty.

    Attributes:
        use: Fraction of the round budget that the planner uses.
        handovers: Hand-overs of items without which the planner's episode fails.
        joint: Joint acts: kills that take several attackers, standing together.
        information: What must be agreed on between agents: hand-overs plus joint acts.
        distance: Tiles that the whole team walks in the planner's episode.
        necessary_groups: Role groups that the rest cannot do without.
        necessary_agents: Agents that the rest cannot do without.
        smallest_team: Agents of a team from which the planner can drop nobody, found by dropping one after the other.
    """

    use: float
    handovers: int
    joint: int
    information: int
    distance: int
    necessary_groups: int
    necessary_agents: tuple[str, ...]
    smallest_team: tuple[str, ...]


def needed_transfers(tape: Tape) -> list[Call]:
    """Returns the calls that hand something over and without which the recorded episode does not succeed."""
    return [
        call
        for number, call in enumerate(tape.calls)
        if call["tool"] == "transfer_items" and not tape.changed(number, PASS).verdict().success
    ]


def count_messages(transfers: list[Call]) -> int:
    """Returns how many agreements hand-overs take: one for each receiver and item, however many portions there are."""
    return len({(call["arguments"]["to"], call["arguments"]["item"]) for call in transfers})


def count_joint_acts(task: Task, played: Played) -> int:
    """Counts kills that take several attackers, and checkpoints at which several must stand together."""
    sim = played.env.sim
    kills = 0
    for event in sim.state.events:
        if isinstance(event, ev.Killed):
            number = sim.mob_number(event.mob)
            kills += number is not None and sim.spec(number).team > 1
    together = sum(point.kind in ("present_together", "held_for_rounds") for point in task.spec.checkpoints)
    return kills + together


def distance_walked(played: Played) -> int:
    """Returns the tiles that all agents walk together."""
    return sum(event.steps for event in played.env.sim.state.events if isinstance(event, ev.Moved))


def necessary_agents(task: Task, sim: Simulation, seed: int) -> tuple[str, ...]:
    """Returns the agents that the rest cannot do without: by proof, or because the planner fails without them."""
    found = []
    for i, name in enumerate(sim.names):
        rest = tuple(j for j in range(len(sim.names)) if j != i)
        proven = (
            not rest
            or Reach(task.spec, sim, rest).first_obstacle() is not None
            or shortage(task.spec, sim, rest) is not None
        )
        if proven or not attempt(task, seed, (name,)).success:
            found.append(name)
    return tuple(found)


def smallest_team(task: Task, seed: int, needed: tuple[str, ...]) -> tuple[str, ...]:
    """Drops one agent after the other as long as the planner still solves the task.

    Args:
        task: The task.
        seed: Seed of the planner's attempts.
        needed: Agents known to be necessary.
    """
    idle: tuple[str, ...] = ()
    for name in reversed(task.team):
        if name not in needed and attempt(task, seed, (*idle, name), rehearsals=False).success:
            idle = (*idle, name)
    return tuple(name for name in task.team if name not in idle)
