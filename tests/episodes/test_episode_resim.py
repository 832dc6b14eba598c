"""A record must come out as recorded when it is played again; what was edited is found and named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentworld_env._version import RULES_VERSION, SUITE_VERSION
from agentworld_env.episodes import Episode, Footer, Header, TurnLine, resimulate, task_of, verify
from agentworld_env.episodes.opening import suite_of
from agentworld_env.errors import EpisodeFileError
from agentworld_env.metrics import episode_metrics
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task

LINE = msgspec.json.Decoder(Header | TurnLine | Footer)


def copied(episode: Episode) -> Episode:
    return Episode(header=episode.header, lines=list(episode.lines), footer=episode.footer, path="x.jsonl")


def altered(line: Any, change: Callable[[dict[str, Any]], object]) -> Any:
    """Returns a line as if its text in the file had been edited."""
    plain = msgspec.json.decode(msgspec.json.encode(line))
    change(plain)
    return LINE.decode(msgspec.json.encode(plain))


def with_turn(episode: Episode, number: int, change: Callable[[dict[str, Any]], object]) -> Episode:
    new = copied(episode)
    new.lines[number] = altered(new.lines[number], change)
    return new


def with_header(episode: Episode, change: Callable[[dict[str, Any]], object]) -> Episode:
    new = copied(episode)
    new.header = altered(new.header, change)
    return new


def complaint(episode: Episode) -> str:
    with pytest.raises(EpisodeFileError) as caught:
        verify(episode, episode_metrics)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("x.jsonl")
    return text


def test_a_record_plays_again_to_the_same_state_and_verdict(planned: Episode) -> None:
    assert planned.footer is not None
    assert planned.verdict.success
    env = verify(planned, episode_metrics)
    assert env.state_hash() == planned.footer.hash
    assert env.verdict() == planned.verdict


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_prefix_plays_again_to_the_state_after_its_last_turn(data: st.DataObject, planned: Episode) -> None:
    k = data.draw(st.integers(1, len(planned.lines)))
    prefix = Episode(header=planned.header, lines=planned.lines[:k])
    assert resimulate(prefix).state_hash() == planned.lines[k - 1].hash


def _set(field: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda line: line.update({field: value})


def _first_event(field: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda line: line["events"][0].update({field: value})


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (_set("hash", "0" * 32), "hash"),
        (_set("result", {"ok": False, "code": "x", "reason": "y"}), "result"),
        (_set("events", []), "event 0"),
        (_first_event("round", 40), "event 0"),
        (_set("round", 7), "round"),
        (_set("agent", "wizard"), "it is the turn of lumberjack"),
        (_set("agent", "nobody"), "it is the turn of lumberjack"),
        (_set("call", {"tool": "sleep", "arguments": {}}), "result|event"),
        (_set("call", {"tool": None, "arguments": {}}), "result|event"),
        (_set("call", 5), "its call is not in the form"),
        (_set("call", {"tool": "sleep", "why": 1}), "its call is not in the form"),
    ],
)
def test_an_edited_turn_is_named_with_what_differs(
    change: Callable[[dict[str, Any]], object], differs: str, planned: Episode
) -> None:
    said = complaint(with_turn(planned, 0, change))
    assert "turn 0 " in said
    assert any(part in said for part in differs.split("|"))


def test_an_edited_turn_in_the_middle_is_named_with_its_round_and_agent(planned: Episode) -> None:
    number = 7
    line = planned.lines[number]
    said = complaint(with_turn(planned, number, _set("hash", "1" * 32)))
    assert f"turn 7 (round {line.round}, {line.agent})" in said


def test_a_call_replaced_by_another_is_found_even_if_its_own_line_fits(planned: Episode) -> None:
    # What the lumberjack cut is missing later on: leaving its harvests out cannot go unnoticed.
    new = copied(planned)
    number = next(k for k, line in enumerate(new.lines) if line.call["tool"] == "harvest_resource")
    new.lines[number] = altered(
        new.lines[number], _set("call", {"tool": "sleep", "arguments": {"rounds": 1}})
    )
    assert f"turn {number} " in complaint(new)


def test_turns_after_the_end_of_the_episode_are_found(planned: Episode) -> None:
    new = copied(planned)
    last = len(new.lines)
    new.lines.append(altered(new.lines[-1], _set("action", last)))
    assert f"turn {last} " in complaint(new)
    assert "after the end" in complaint(new)


def test_a_footer_before_the_end_of_the_episode_is_found(planned: Episode) -> None:
    new = copied(planned)
    del new.lines[-1]
    assert "the footer comes too early" in complaint(new)


def test_a_record_without_footer_does_not_verify(planned: Episode) -> None:
    new = copied(planned)
    new.footer = None
    assert "expected a complete record" in complaint(new)


@pytest.mark.parametrize("field", ["rounds", "actions", "chats", "turns", "hash", "metrics", "verdict"])
def test_an_edited_footer_is_named_with_what_differs(field: str, planned: Episode) -> None:
    values: dict[str, Any] = {"turns": {"lumberjack": 1}, "hash": "x", "metrics": {"cce": 2}}
    new = copied(planned)

    def change(line: dict[str, Any]) -> None:
        if field == "verdict":
            line["verdict"]["psr"] = 0.5
        else:
            line[field] = values.get(field, 99)

    new.footer = altered(new.footer, change)
    assert f"the footer deviates: {field}" in complaint(new)


@pytest.mark.parametrize(
    ("recorded", "comes_out", "said"),
    [
        ({"partial": 0.9}, {"partial": 0.06}, "metrics.partial is recorded as 0.9, but comes out as 0.06"),
        ({"cce": 0}, {"cce": 0.0}, "metrics.cce is recorded as 0, but comes out as 0.0"),
        ({"alike": 1}, {"alike": 1, "lost": 2}, "metrics.lost is recorded as nothing, but comes out as 2"),
        (
            {"alike": 1, "more": None},
            {"alike": 1},
            "metrics.more is recorded as null, but comes out as nothing",
        ),
        (
            {"long": "x" * 200, "pac": {"a": 1.0, "b": 0.5}},
            {"long": "x" * 200, "pac": {"a": 1.0, "b": 0.25}},
            "metrics.pac.b is recorded as 0.5, but comes out as 0.25",
        ),
        (
            {"row": [1, [2, 3]]},
            {"row": [1, [2, 4]]},
            "metrics.row[1][1] is recorded as 3, but comes out as 4",
        ),
        ({"row": [1, 2]}, {"row": [1]}, "metrics.row[1] is recorded as 2, but comes out as nothing"),
        ({"one": {"a": 1}}, {"one": 1}, 'metrics.one is recorded as {"a":1}, but comes out as 1'),
    ],
)
def test_the_first_place_in_which_a_footer_differs_is_named_with_both_values(
    recorded: dict[str, Any], comes_out: dict[str, Any], said: str, planned: Episode
) -> None:
    new = copied(planned)
    new.footer = altered(new.footer, _set("metrics", recorded))
    with pytest.raises(EpisodeFileError) as caught:
        verify(new, lambda episode, env: comes_out)
    assert str(caught.value).endswith(f"the footer deviates: {said}")


def test_the_order_of_figures_in_a_footer_does_not_matter(planned: Episode) -> None:
    new = copied(planned)
    new.footer = altered(new.footer, _set("metrics", {"a": 1, "b": 0.5}))
    assert verify(new, lambda episode, env: {"b": 0.5, "a": 1}).verdict() == planned.verdict
    with pytest.raises(EpisodeFileError, match=r"metrics\.b is recorded as 0\.5, but comes out as 1$"):
        verify(new, lambda episode, env: {"b": 1, "a": 0.5})


def test_a_record_of_other_rules_is_refused_with_both_versions(planned: Episode) -> None:
    said = complaint(with_header(planned, _set("rules", RULES_VERSION + 1)))
    assert f"version {RULES_VERSION + 1} of the rules" in said
    assert f"version {RULES_VERSION};" in said


def test_a_task_that_was_edited_does_not_match_its_hash(planned: Episode) -> None:
    said = complaint(with_header(planned, lambda line: line["spec"].update(max_rounds=99)))
    assert planned.header.task_hash in said


def test_a_team_in_another_order_does_not_match_its_hash(planned: Episode) -> None:
    def turn_round(line: dict[str, Any]) -> None:
        line["spec"]["team"] = dict(reversed(line["spec"]["team"].items()))

    assert "hash" in complaint(with_header(planned, turn_round))


def test_a_task_that_is_none_is_refused(planned: Episode) -> None:
    assert "expected a valid task" in complaint(with_header(planned, _set("spec", {"id": "x"})))


def test_an_unknown_setting_is_refused(planned: Episode) -> None:
    assert "unknown setting" in complaint(with_header(planned, _set("setting", "quiet")))


def test_another_seed_does_not_come_out_as_recorded(planned: Episode) -> None:
    assert "deviates" in complaint(with_header(planned, _set("seed", planned.header.seed + 1)))


def test_a_record_from_strangers_runs_no_code_that_its_task_names(planned: Episode) -> None:
    plain = dict(planned.header.spec)
    hook = {"kind": "python", "label": "Runs code", "function": "os:getcwd"}
    plain["checkpoints"] = [*plain["checkpoints"], hook]
    task = Task(TaskSpec.model_validate(plain))
    changes = {"spec": task.spec.model_dump(mode="json"), "task_hash": task.content_hash, "suite": "user"}
    forged = with_header(planned, lambda line: line.update(changes))
    assert "line 1" in complaint(forged)
    assert task_of(forged.header, allow_python=True).spec.checkpoints[-1].kind == "python"


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("package", "zero", "a version of the package"),
        ("package", "0.1.0\nbetter", "a version of the package"),
        ("package", "", "a version of the package"),
        ("suite", "agentworld-env-augmented-0.1", "the suite agentworld-env-main-"),
        ("suite", "agentworld-env-main-", "the suite agentworld-env-main-"),
        ("suite", "agentworld-env-main-best", "the suite agentworld-env-main-"),
        ("suite", "paper", "the suite agentworld-env-main-"),
        ("suite", "user", "the suite agentworld-env-main-"),
        ("seed", -1, "a seed from 0 to"),
        ("seed", 2**63, "a seed from 0 to"),
        ("policy", {}, "a policy with a name"),
        ("policy", {"name": "", "settings": {}}, "a policy with a name"),
        ("policy", {"name": 5, "settings": {}}, "a policy with a name"),
        ("policy", {"name": "a\x1b[31mb", "settings": {}}, "a policy with a name of printable letters"),
        ("policy", {"name": "planner", "settings": {}, "by": "me"}, "nothing but name and settings"),
    ],
)
def test_a_header_says_only_what_could_have_been_written(
    field: str, value: Any, expected: str, planned: Episode
) -> None:
    assert f"line 1: expected {expected}" in complaint(with_header(planned, _set(field, value)))


def test_a_record_of_another_version_of_the_suite_or_package_is_accepted(planned: Episode) -> None:
    for field, value in (("suite", "agentworld-env-main-0.0.7"), ("package", "12.3.1rc1+local.5")):
        played = verify(with_header(planned, _set(field, value)), episode_metrics)
        assert played.verdict() == planned.verdict


def test_a_changed_copy_of_a_task_belongs_to_none_of_the_packages_suites(planned: Episode) -> None:
    assert planned.header.suite == SUITE_VERSION
    changed = TaskSpec.model_validate({**planned.header.spec, "title": "Another title"})
    assert suite_of(Task(changed)) == "user"
    assert suite_of(Task(changed.model_copy(update={"suite": "lab"}))) == "lab"


@pytest.mark.parametrize(
    "change",
    [
        lambda spec: spec.pop("canary") and spec.update(note=""),
        lambda spec: spec.update(max_rounds=float(spec["max_rounds"])),
        lambda spec: spec.update(id=spec.pop("id")),
    ],
    ids=["another field", "a number of another kind", "another order"],
)
def test_a_task_in_a_header_is_written_out_in_full(
    change: Callable[[dict[str, Any]], object], planned: Episode
) -> None:
    said = complaint(with_header(planned, lambda line: change(line["spec"])))
    assert "'spec'" in said


def test_a_field_that_is_taken_out_of_a_task_in_a_header_is_missed(planned: Episode) -> None:
    said = complaint(with_header(planned, lambda line: line["spec"].pop("canary")))
    assert "but the header says" in said


def test_a_reply_holds_only_what_is_recorded_of_one(planned: Episode) -> None:
    said = complaint(with_turn(planned, 3, _set("replies", [{"model": "m", "reply": {}, "cost": 5}])))
    assert "turn 3 " in said
    assert "a reply of a model holds more than" in said
