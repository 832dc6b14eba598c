"""What would have happened without an action or an agent: replays with the same luck, and what they say."""

from agentworld_env.metrics.counterfactual.necessity import (
    Absence,
    Necessity,
    counterfactual,
    counterfactuals,
)
from agentworld_env.metrics.counterfactual.replay import Outcome, Replayer
from agentworld_env.metrics.counterfactual.shapley import Credit, Shapley, Worth, shapley

__all__ = [
    "Absence",
    "Credit",
    "Necessity",
    "Outcome",
    "Replayer",
    "Shapley",
    "Worth",
    "counterfactual",
    "counterfactuals",
    "shapley",
]
