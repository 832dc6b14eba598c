"""Policies: what decides the calls of a team. Modules load only when a policy is asked for by name."""

from agentworld_env.policies.protocol import Brief, Call, Decision, Exchange, Policy, Turn

__all__ = ["Brief", "Call", "Decision", "Exchange", "Policy", "Turn"]
