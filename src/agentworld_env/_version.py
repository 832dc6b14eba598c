"""The version of the distribution and of the rules that decide episodes."""

__version__ = "0.1.0"

NAME = "agentworld"
"""What the environment is called in registries and metadata; ``-v`` or ``_v`` and the version of the rules follow."""

RULES_VERSION = 1
"""Raised by any change after which the same seed and calls give another episode."""

SUITE_VERSION = "agentworld-env-main-0.1"
"""Name of the task suite; mended tasks are not the paper's tasks, so reports print this beside every figure."""
