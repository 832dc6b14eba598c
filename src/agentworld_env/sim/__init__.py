"""The simulator: state, rules, the world's own turn, the event log, randomness."""

from agentworld_env.sim.rules import RULES, Rules
from agentworld_env.sim.setup import AgentSetup, Setup
from agentworld_env.sim.simulation import READY, ROUND_OVER, SKIPPED, MobSpec, Simulation
from agentworld_env.sim.state import ACTIVE, DEAD, LEFT, AgentState, MobState, Snapshot, State

__all__ = [
    "ACTIVE",
    "DEAD",
    "LEFT",
    "READY",
    "ROUND_OVER",
    "RULES",
    "SKIPPED",
    "AgentSetup",
    "AgentState",
    "MobSpec",
    "MobState",
    "Rules",
    "Setup",
    "Simulation",
    "Snapshot",
    "State",
]
