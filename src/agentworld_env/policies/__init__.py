"""Policies: what decides the calls of a team. Modules load only when a policy is asked for by name."""

from agentworld_env.policies.protocol import (
    BarePolicy,
    Brief,
    Call,
    Decision,
    Exchange,
    Policy,
    Turn,
    as_policy,
)

__all__ = ["BarePolicy", "Brief", "Call", "Decision", "Exchange", "Policy", "Turn", "as_policy"]
