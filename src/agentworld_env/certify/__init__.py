"""Certification: proofs that a task is solvable, needs its team, and cannot be passed by accident."""

from agentworld_env.certify.certificate import Certificate, certify_task
from agentworld_env.certify.proofs import GroupNeed, SoloProof
from agentworld_env.certify.reach import Reach, least_turns

__all__ = ["Certificate", "GroupNeed", "Reach", "SoloProof", "certify_task", "least_turns"]
