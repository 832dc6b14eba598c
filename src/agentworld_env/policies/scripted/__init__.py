"""Scripted blackbox teams: every agent follows what its own guide says and a fixed chat protocol, and sees no state."""

from agentworld_env.policies.scripted.policy import ScriptedPolicy

__all__ = ["ScriptedPolicy"]
