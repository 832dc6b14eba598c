"""The causal action graph, and causal collaboration effectiveness (CCE)."""

from agentworld_env.metrics.causal.cce import Effectiveness, effectiveness, gini
from agentworld_env.metrics.causal.edges import Edge, EdgeKind
from agentworld_env.metrics.causal.goals import Goals, Stay, goals_of
from agentworld_env.metrics.causal.graph import METHODS, ActionGraph, Method, Trace
from agentworld_env.metrics.causal.log import Act, Land

__all__ = [
    "METHODS",
    "Act",
    "ActionGraph",
    "Edge",
    "EdgeKind",
    "Effectiveness",
    "Goals",
    "Land",
    "Method",
    "Stay",
    "Trace",
    "effectiveness",
    "gini",
    "goals_of",
]
