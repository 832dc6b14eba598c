"""Metrics: success, effort, and how much of a team's effort led to the outcome.

The action graph and the figures that follow from it are here; ``metrics.continuation`` plays failed episodes on,
``metrics.counterfactual`` replays episodes with actions or agents left out, ``metrics.judge`` asks a language model,
and ``metrics.methods`` names all the ways.
"""

from agentworld_env.metrics.agreement import Agreement, Ranking, agreement, cohen_kappa, rankings
from agentworld_env.metrics.basic import Basics, basics
from agentworld_env.metrics.behaviour import Behaviour, behaviour
from agentworld_env.metrics.causal import (
    METHODS,
    ActionGraph,
    Edge,
    Effectiveness,
    Method,
    Trace,
    effectiveness,
    effectiveness_of,
    gini,
)
from agentworld_env.metrics.figures import episode_metrics
from agentworld_env.metrics.finding import Finding, continued_trace, events_finding, graph_of, partial_trace
from agentworld_env.metrics.methods import (
    COUNTERFACTUAL,
    FORMS,
    MethodOptions,
    findings,
    parse_method,
    require_all_decided,
)
from agentworld_env.metrics.pairs import agreements
from agentworld_env.metrics.statistics import Interval, clustered_mean
from agentworld_env.metrics.suite import FIGURES, mean_metrics, suite_metrics

__all__ = [
    "COUNTERFACTUAL",
    "FIGURES",
    "FORMS",
    "METHODS",
    "ActionGraph",
    "Agreement",
    "Basics",
    "Behaviour",
    "Edge",
    "Effectiveness",
    "Finding",
    "Interval",
    "Method",
    "MethodOptions",
    "Ranking",
    "Trace",
    "agreement",
    "agreements",
    "basics",
    "behaviour",
    "clustered_mean",
    "cohen_kappa",
    "continued_trace",
    "effectiveness",
    "effectiveness_of",
    "episode_metrics",
    "events_finding",
    "findings",
    "gini",
    "graph_of",
    "mean_metrics",
    "parse_method",
    "partial_trace",
    "rankings",
    "require_all_decided",
    "suite_metrics",
]
