"""Certification: proofs that a task is solvable, needs its team, and cannot be passed by accident."""

from agentworld_env.certify.bound import Bound, lower_bound
from agentworld_env.certify.certificate import Certificate, certify_task
from agentworld_env.certify.difficulty import Difficulty
from agentworld_env.certify.mutants import Mutant, mutants
from agentworld_env.certify.problem import Kind, Problem
from agentworld_env.certify.proofs import GroupNeed, SoloProof
from agentworld_env.certify.reach import Reach

__all__ = [
    "Bound",
    "Certificate",
    "Difficulty",
    "GroupNeed",
    "Kind",
    "Mutant",
    "Problem",
    "Reach",
    "SoloProof",
    "certify_task",
    "lower_bound",
    "mutants",
]
