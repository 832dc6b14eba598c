"""Policies: what decides the calls of a team. Modules load only when a policy is asked for by name."""

from agentworld_env.policies.protocol import (
    Assignment,
    BarePolicy,
    Brief,
    Call,
    CheckingPolicy,
    ClosingPolicy,
    Decision,
    Exchange,
    Policy,
    SeeingPolicy,
    Turn,
    as_policy,
)

__all__ = [
    "Assignment",
    "BarePolicy",
    "Brief",
    "Call",
    "CheckingPolicy",
    "ClosingPolicy",
    "Decision",
    "Exchange",
    "Policy",
    "SeeingPolicy",
    "Turn",
    "as_policy",
]
