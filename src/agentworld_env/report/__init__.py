"""Telling people what happened: round-by-round stories and tables, for terminals, files and programs."""

from agentworld_env.report.story import Story, StoryLine, tell_episode
from agentworld_env.report.tables import Table, cce_table, row_table, score_table, task_table, verdict_table

__all__ = [
    "Story",
    "StoryLine",
    "Table",
    "cce_table",
    "row_table",
    "score_table",
    "task_table",
    "tell_episode",
    "verdict_table",
]
