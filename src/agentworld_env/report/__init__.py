"""Telling people what happened: round-by-round stories and tables, for terminals, files and programs."""

from agentworld_env.report.collaboration import (
    absence_table,
    agreement_table,
    cce_table,
    confusion_table,
    ranking_table,
    suite_table,
)
from agentworld_env.report.story import Story, StoryLine, tell_episode
from agentworld_env.report.tables import Table, row_table, score_table, task_table, verdict_table

__all__ = [
    "Story",
    "StoryLine",
    "Table",
    "absence_table",
    "agreement_table",
    "cce_table",
    "confusion_table",
    "ranking_table",
    "row_table",
    "score_table",
    "suite_table",
    "task_table",
    "tell_episode",
    "verdict_table",
]
