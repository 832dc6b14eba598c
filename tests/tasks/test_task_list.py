from __future__ import annotations

import pickle

from agentworld_env import list_tasks
from agentworld_env.tasks import TaskInfo


def test_the_list_of_tasks_shows_itself_as_a_table_and_stays_a_tuple() -> None:
    tasks = list_tasks("practice")
    assert isinstance(tasks, tuple)
    assert tasks == tuple(tasks)
    assert pickle.loads(pickle.dumps(tasks)) == tasks
    shown = tasks._repr_html_()
    assert shown.count("<tr>") == 1 + len(tasks) == 13
    assert "p03_small_bowl" in shown


def test_what_a_task_is_called_cannot_be_taken_for_markup() -> None:
    odd = TaskInfo(id="x", title="<script>", category="c", suite="user", team_size=2, max_rounds=8)
    assert "<script>" not in type(list_tasks())([odd])._repr_html_()
