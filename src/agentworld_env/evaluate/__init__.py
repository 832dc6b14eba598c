"""Running episodes, choosing policies by name, and scoring records."""

from agentworld_env.evaluate.causal import (
    RECORDED,
    Verified,
    cce_of,
    cce_records,
    verified_record,
    verified_records,
)
from agentworld_env.evaluate.named import policy_by_name, policy_names
from agentworld_env.evaluate.place import record_path
from agentworld_env.evaluate.ranking import CommonMeans, common_means
from agentworld_env.evaluate.results import RunResults, load_run
from agentworld_env.evaluate.run import run_episode, run_episode_async
from agentworld_env.evaluate.runner import RunState
from agentworld_env.evaluate.score import (
    Fault,
    Score,
    each_sound,
    records_in,
    score_of,
    score_record,
    sort_out,
)
from agentworld_env.evaluate.whole import run_evaluation, run_evaluation_async

__all__ = [
    "RECORDED",
    "CommonMeans",
    "Fault",
    "RunResults",
    "RunState",
    "Score",
    "Verified",
    "cce_of",
    "cce_records",
    "common_means",
    "each_sound",
    "load_run",
    "policy_by_name",
    "policy_names",
    "record_path",
    "records_in",
    "run_episode",
    "run_episode_async",
    "run_evaluation",
    "run_evaluation_async",
    "score_of",
    "score_record",
    "sort_out",
    "verified_record",
    "verified_records",
]
