"""Environments, observation text, spaces, and settings."""

from agentworld_env.env.aec import AgentWorldEnv
from agentworld_env.env.learning import LearningEnv
from agentworld_env.env.legal import LegalCalls
from agentworld_env.env.parallel import ParallelAgentWorldEnv
from agentworld_env.env.seen import StaleViewError
from agentworld_env.env.settings import SETTINGS, Setting, setting_by_name, setting_names
from agentworld_env.env.shaping import Shaping
from agentworld_env.env.snapshot import EnvSnapshot
from agentworld_env.env.spaces import ToolCallSpace, sample_legal
from agentworld_env.env.telling import call_text, event_text, outcome_text
from agentworld_env.env.text import ObservationSpace, ObservationText
from agentworld_env.env.view import View

__all__ = [
    "SETTINGS",
    "AgentWorldEnv",
    "EnvSnapshot",
    "LearningEnv",
    "LegalCalls",
    "ObservationSpace",
    "ObservationText",
    "ParallelAgentWorldEnv",
    "Setting",
    "Shaping",
    "StaleViewError",
    "ToolCallSpace",
    "View",
    "call_text",
    "event_text",
    "outcome_text",
    "sample_legal",
    "setting_by_name",
    "setting_names",
]
