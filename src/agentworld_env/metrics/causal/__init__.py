"""The causal action graph, and causal collaboration effectiveness (CCE)."""

from agentworld_env.metrics.causal.cce import Effectiveness, effectiveness, effectiveness_of, gini
from agentworld_env.metrics.causal.edges import Edge, EdgeKind
from agentworld_env.metrics.causal.goals import Goals, Holding, Stay, goals_of
from agentworld_env.metrics.causal.graph import METHODS, ActionGraph, Method, Trace
from agentworld_env.metrics.causal.log import Act, Land, Log

__all__ = [
    "METHODS",
    "Act",
    "ActionGraph",
    "Edge",
    "EdgeKind",
    "Effectiveness",
    "Goals",
    "Holding",
    "Land",
    "Log",
    "Method",
    "Stay",
    "Trace",
    "effectiveness",
    "effectiveness_of",
    "gini",
    "goals_of",
]
