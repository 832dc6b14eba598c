from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.hand_made import Stage

from agentworld_env.episodes import Episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.metrics.labels import (
    Label,
    append_label,
    episode_key,
    human_findings,
    read_labels,
    require_all_labelled,
)


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


WHOLE = msgspec.json.encode(
    Label(episode="0f" * 8, task='h\u00fctte "x" \u65e5', action=17, contributes=False, labeller="\u00e9\\")
)


@pytest.mark.parametrize("size", range(1, len(WHOLE)))
def test_every_beginning_of_a_label_is_cut_off_and_nothing_before_it(size: int, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(WHOLE + b"\n" + WHOLE[:size])
    assert [label.action for label in read_labels(path)] == [17]
    label = _label(_episode(), 1, True)
    append_label(path, label)
    assert path.read_bytes() == WHOLE + b"\n" + msgspec.json.encode(label) + b"\n"


@pytest.mark.parametrize("end", [b"", b"\n", b"  ", b"\r\n"])
def test_a_whole_last_label_is_kept_however_its_line_ends(end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(WHOLE + end)
    append_label(path, _label(_episode(), 1, True))
    assert [label.action for label in read_labels(path)] == [17, 1]


NO_LABELS = (
    b"my precious notes",
    b'{"a":1}',
    b"[1, 2",
    b'{"episode":7',
    WHOLE + b"x",
    WHOLE[:-1] + b',"more":1',
    b"\xff\xfe",
    b'"text"',
    b"\x89PNG\r\n",
    WHOLE + b"\nnotes",
    WHOLE + b"\n\xc3",
    b"notes\n" + WHOLE,
    WHOLE.replace(b'"0f', b'"\\q'),
    WHOLE.replace(b":17,", b":-,"),
    b"[" * 5000,
)


@pytest.mark.parametrize("content", NO_LABELS, ids=repr)
def test_a_file_that_holds_anything_but_labels_is_refused_and_left_as_it_is(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(AgentWorldError, match=r"notes.txt, line \d+: expected a label"):
        append_label(path, _label(_episode(), 1, True))
    assert path.read_bytes() == content


@given(content=st.binary(min_size=1, max_size=60))
def test_no_bytes_are_ever_lost_but_the_beginning_of_a_label(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("labels") / "labels.jsonl"
    path.write_bytes(content)
    try:
        append_label(path, _label(_episode(), 1, True))
    except AgentWorldError:
        assert path.read_bytes() == content
    else:
        tail = content[content.rfind(b"\n") + 1 :]
        assert path.read_bytes().startswith(content) or b'{"episode":"'.startswith(tail)


def test_figures_need_labels_of_all_actions(tmp_path: Path) -> None:
    one, other, path = _episode(3), _episode(4), tmp_path / "labels.jsonl"
    for action in range(3):
        append_label(path, _label(one, action, True))
    require_all_labelled(path, [one], human_findings(path, [one]))
    append_label(path, _label(other, 2, True))
    with pytest.raises(AgentWorldError, match="1 of the 4 actions of hand, seed 0 are labelled"):
        require_all_labelled(path, [one, other], human_findings(path, [one, other]))


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
