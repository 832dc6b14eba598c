"""The causal action graph, and causal collaboration effectiveness (CCE)."""

from agentworld_env.metrics.causal.briefing import Briefing
from agentworld_env.metrics.causal.cce import Effectiveness, effectiveness, effectiveness_of, gini
from agentworld_env.metrics.causal.edges import Edge, EdgeKind
from agentworld_env.metrics.causal.goals import Goals, Holding, Stay, goals_of
from agentworld_env.metrics.causal.graph import METHODS, ActionGraph, Method, Trace
from agentworld_env.metrics.causal.log import Act, Land, Log
from agentworld_env.metrics.causal.wilds import Homes, Wilds, homes_of

__all__ = [
    "METHODS",
    "Act",
    "ActionGraph",
    "Briefing",
    "Edge",
    "EdgeKind",
    "Effectiveness",
    "Goals",
    "Holding",
    "Homes",
    "Land",
    "Log",
    "Method",
    "Stay",
    "Trace",
    "Wilds",
    "effectiveness",
    "effectiveness_of",
    "gini",
    "goals_of",
    "homes_of",
]
