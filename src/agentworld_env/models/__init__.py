"""Language-model endpoints: which there are, and a client that speaks chat completions to them.

Importing this package loads no SDK; the first request does.
"""

from agentworld_env.models.client import ChatModel
from agentworld_env.models.endpoints import PRESETS, Endpoint, ModelSpec, parse_model
from agentworld_env.models.replies import Reply, ToolRequest

__all__ = ["PRESETS", "ChatModel", "Endpoint", "ModelSpec", "Reply", "ToolRequest", "parse_model"]
