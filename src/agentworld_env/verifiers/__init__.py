"""Verifiers: what counts as success, told from the event log and the state, never from text."""

from agentworld_env.verifiers.verdict import CheckpointStatus, ConstraintStatus, Verdict
from agentworld_env.verifiers.verifier import Verifier

__all__ = ["CheckpointStatus", "ConstraintStatus", "Verdict", "Verifier"]
