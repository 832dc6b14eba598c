"""Asking a language model which actions contributed, round by round, backwards from success."""

from agentworld_env.metrics.judge.ask import JudgeError, Usage
from agentworld_env.metrics.judge.cache import JudgeCache, cache_directory
from agentworld_env.metrics.judge.sweep import Judgement, JudgeOptions, judge_episode, judge_episodes

__all__ = [
    "JudgeCache",
    "JudgeError",
    "JudgeOptions",
    "Judgement",
    "Usage",
    "cache_directory",
    "judge_episode",
    "judge_episodes",
]
