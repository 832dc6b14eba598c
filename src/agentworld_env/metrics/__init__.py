"""Metrics: success, effort, and how much of a team's effort led to the outcome."""

from agentworld_env.metrics.basic import Basics, basics, mean_metrics
from agentworld_env.metrics.causal import (
    METHODS,
    ActionGraph,
    Edge,
    Effectiveness,
    Method,
    Trace,
    effectiveness,
    gini,
)
from agentworld_env.metrics.figures import episode_metrics

__all__ = [
    "METHODS",
    "ActionGraph",
    "Basics",
    "Edge",
    "Effectiveness",
    "Method",
    "Trace",
    "basics",
    "effectiveness",
    "episode_metrics",
    "gini",
    "mean_metrics",
]
