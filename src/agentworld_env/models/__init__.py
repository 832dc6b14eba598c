"""Language-model endpoints: which there are, and a client that speaks chat completions to them.

Importing this package loads no SDK; the first request does.
"""

from agentworld_env.models.client import Answerer, ChatModel
from agentworld_env.models.endpoints import PRESETS, Endpoint, ModelSpec, parse_model
from agentworld_env.models.meter import BudgetSpentError, Meter, ServiceError
from agentworld_env.models.pace import Pace
from agentworld_env.models.prices import Price, Prices
from agentworld_env.models.replies import Reply, ToolRequest

__all__ = [
    "PRESETS",
    "Answerer",
    "BudgetSpentError",
    "ChatModel",
    "Endpoint",
    "Meter",
    "ModelSpec",
    "Pace",
    "Price",
    "Prices",
    "Reply",
    "ServiceError",
    "ToolRequest",
    "parse_model",
]
