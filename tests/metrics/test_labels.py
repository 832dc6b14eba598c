from __future__ import annotations

from pathlib import Path

import pytest
from tests.metrics.hand_made import Stage

from agentworld_env.episodes import Episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.metrics.labels import Label, append_label, episode_key, human_findings, read_labels


def _episode(actions: int = 3) -> Episode:
    stage = Stage(a=(0, 0))
    for _ in range(actions):
        stage.sleep("a")
    return stage.episode()


def _label(episode: Episode, action: int, contributes: bool, labeller: str = "ann") -> Label:
    return Label(
        episode=episode_key(episode), task="hand", action=action, contributes=contributes, labeller=labeller
    )


def test_labels_become_decisions_about_the_labelled_actions_only(tmp_path: Path) -> None:
    episode, path = _episode(), tmp_path / "new" / "labels.jsonl"
    for action, contributes in ((2, True), (0, False)):
        append_label(path, _label(episode, action, contributes))
    (found,) = human_findings(path, [episode])
    assert found.method == "human:ann"
    assert found.decisions(3) == {0: False, 2: True}


def test_a_later_label_replaces_an_earlier_one(tmp_path: Path) -> None:
    episode, path = _episode(), tmp_path / "labels.jsonl"
    append_label(path, _label(episode, 1, True))
    append_label(path, _label(episode, 1, False))
    assert [label.contributes for label in read_labels(path)] == [False]


def test_a_line_torn_by_a_kill_is_dropped_and_cut_off_by_the_next_label(tmp_path: Path) -> None:
    episode, path = _episode(), tmp_path / "labels.jsonl"
    append_label(path, _label(episode, 0, True))
    with path.open("ab") as file:
        file.write(b'{"episode":"')
    assert [label.action for label in read_labels(path)] == [0]
    append_label(path, _label(episode, 1, True))
    assert [label.action for label in read_labels(path)] == [0, 1]


def test_a_line_that_is_no_label_is_named(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"action": 1}\n')
    with pytest.raises(AgentWorldError, match="line 1: expected a label"):
        read_labels(path)
    with pytest.raises(AgentWorldError, match="readable file"):
        read_labels(tmp_path / "none.jsonl")


def test_labels_of_other_episodes_and_of_several_people_do_not_mix(tmp_path: Path) -> None:
    one, other, path = _episode(3), _episode(4), tmp_path / "labels.jsonl"
    append_label(path, _label(one, 1, True))
    found = human_findings(path, [one, other])
    assert [finding.decided for finding in found] == [{1}, frozenset()]
    append_label(path, _label(one, 2, True, labeller="bob"))
    with pytest.raises(AgentWorldError, match="ann, bob"):
        human_findings(path, [one])


def test_a_label_of_an_action_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    episode, path = _episode(), tmp_path / "labels.jsonl"
    append_label(path, _label(episode, 9, True))
    with pytest.raises(AgentWorldError, match="no action 9"):
        human_findings(path, [episode])


def test_the_key_of_an_episode_hangs_on_its_calls_and_not_on_its_file() -> None:
    one, same = _episode(3), _episode(3)
    same.path = "elsewhere.jsonl"
    assert episode_key(one) == episode_key(same) != episode_key(_episode(4))
