from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.judges import JudgeServer, is_first, perfect, shown_in, verdict_on
from tests.metrics.planted import REDUNDANT, USELESS, planted_episodes

from agentworld_env.episodes import Episode
from agentworld_env.errors import AgentWorldError, ModelError
from agentworld_env.evaluate import policy_by_name, run_episode
from agentworld_env.metrics import Finding, MethodOptions, episode_metrics, events_finding, findings
from agentworld_env.metrics.judge import JudgeCache, JudgeError, Judgement, JudgeOptions, judge_episodes
from agentworld_env.metrics.judge.prompts import describe, success_question
from agentworld_env.metrics.judge.reading import Unusable, read_success, read_sweep
from agentworld_env.metrics.judge.relevance import names_of
from agentworld_env.models import ChatModel

TASKS = ("t01_magic_staff", "t51_survival_challenge", "t64_ice_expedition", "t86_forge_vanguard")


@cache
def _played(task: str, policy: str = "planner") -> Episode:
    return run_episode(task, policy_by_name(policy), seed=1)


def _judged(
    episode: Episode,
    server: JudgeServer,
    options: JudgeOptions | None = None,
    cache: JudgeCache | None = None,
) -> Judgement:
    return judge_episodes([episode], ChatModel(server.model), options=options or JudgeOptions(), cache=cache)[
        0
    ]


# -- a perfect judge ---------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "options",
    [JudgeOptions(), JudgeOptions(prune=True), JudgeOptions(rounds=3), JudgeOptions(prune=True, rounds=4)],
    ids=["plain", "pruned", "batched", "pruned and batched"],
)
def test_a_perfect_judge_finds_exactly_what_the_event_graph_finds(task: str, options: JudgeOptions) -> None:
    episode = _played(task)
    trace = events_finding(episode).trace
    with JudgeServer(perfect(episode)) as server:
        found = _judged(episode, server, options)
    assert found.success == trace.success
    assert found.contributing == trace.contributing


def test_a_perfect_judge_finds_planted_chains_within_rounds_exactly() -> None:
    for planted in planted_episodes(4, (*USELESS, *REDUNDANT)):
        with JudgeServer(perfect(planted.episode)) as server:
            found = _judged(planted.episode, server, JudgeOptions(prune=True))
        assert set(found.contributing) == planted.truth


def test_pruning_loses_no_cause_that_the_events_know_of() -> None:
    for task in TASKS:
        episode = _played(task)
        names = [names_of(line) for line in episode.lines]
        for edge in events_finding(episode, "events+chat").trace.edges:
            assert names[edge.source] & names[edge.target], edge


def test_every_question_shows_all_that_is_known_to_contribute_from_its_rounds_on() -> None:
    episode = _played("t86_forge_vanguard")
    with JudgeServer(perfect(episode)) as server:
        found = _judged(episode, server)
        questions = server.questions
    assert is_first(questions[0])
    contributing = set(found.contributing)
    most = 0
    for question in questions[1:]:
        shown = shown_in(question)
        asked = [n for n in range(len(episode.lines)) if f"\n[{n}] round" in question and n not in shown]
        here = episode.lines[asked[0]].round
        later = {n for n in contributing if episode.lines[n].round > here}
        assert later <= set(shown)
        most = max(most, len(shown))
    assert most > 30


# -- options say what they skip ----------------------------------------------------------------------


def test_pruned_actions_are_counted_and_asked_about_nowhere() -> None:
    episode = _played("t86_forge_vanguard")
    with JudgeServer(perfect(episode)) as server:
        found = _judged(episode, server, JudgeOptions(prune=True))
        questions = "\n".join(server.questions[1:])
    assert found.pruned
    assert not set(found.pruned) & set(found.contributing)
    assert all(f"\n[{number}] round" not in questions for number in found.pruned)
    decided = found.finding("judge").decided
    assert decided == set(range(len(episode.lines))) - set(found.pruned)


def test_a_window_reports_what_it_did_not_show_and_where_it_did_not_ask() -> None:
    episode = _played("t86_forge_vanguard")
    with JudgeServer(perfect(episode)) as server:
        found = _judged(episode, server, JudgeOptions(window=1))
        questions = server.questions[1:]
    assert found.hidden > 0
    assert any("further contributing actions are more than 1 rounds later" in each for each in questions)
    for question in questions:
        shown = [episode.lines[number].round for number in shown_in(question)]
        assert max(shown) - min(shown) <= 1


def test_a_round_with_nothing_in_its_window_is_skipped_and_reported() -> None:
    episode = _played("t64_ice_expedition")
    last = max(line.round for line in episode.lines)
    final = [line.action for line in episode.lines if line.round == last][-1]

    def reply(question: str, asked: list[int]) -> str:
        if is_first(question):
            return json.dumps({"success_action_ids": [final]})
        return verdict_on(asked, set())

    with JudgeServer(reply) as server:
        found = _judged(episode, server, JudgeOptions(window=1))
    beyond = {line.action for line in episode.lines if line.round < last - 1}
    assert set(found.beyond) == beyond
    assert found.finding("judge").decided == set(range(len(episode.lines))) - beyond
    assert found.contributing == (final,)


def test_batching_asks_fewer_questions() -> None:
    episode = _played("t86_forge_vanguard")
    asked = []
    for rounds in (1, 5):
        with JudgeServer(perfect(episode)) as server:
            _judged(episode, server, JudgeOptions(rounds=rounds))
            asked.append(len(server.received))
    assert asked[1] <= 1 + -(-asked[0] // 4)


def test_options_below_one_are_refused() -> None:
    for name in ("rounds", "window", "at_once"):
        with pytest.raises(ValueError, match="at least 1"):
            JudgeOptions(**{name: 0})


# -- answers -----------------------------------------------------------------------------------------


def test_a_failed_episode_is_not_judged_and_costs_nothing() -> None:
    episode = _played("t01_magic_staff", "idle")
    with JudgeServer(perfect(episode)) as server:
        found = _judged(episode, server)
        assert not server.received
    assert (found.judged, found.contributing) == (False, ())
    finding = found.finding("judge:x")
    assert finding.decisions(len(episode.lines)) == {}
    assert episode_metrics(episode, finding=finding)["cce"] == 0.0


def test_every_request_has_temperature_nought_and_no_tools() -> None:
    episode = _played("t01_magic_staff")
    with JudgeServer(perfect(episode)) as server:
        _judged(episode, server)
        bodies = [received.body for received in server.received]
    assert {body["temperature"] for body in bodies} == {0.0}
    assert not any("tools" in body for body in bodies)


def test_an_unusable_answer_is_asked_again_with_what_was_wrong() -> None:
    episode = _played("t01_magic_staff")
    right = perfect(episode)
    spoilt: list[str] = []

    def reply(question: str, asked: list[int]) -> str:
        if not spoilt:
            spoilt.append(question)
            return "I think it was the wizard."
        return right(question, asked)

    with JudgeServer(reply) as server:
        found = _judged(episode, server)
        second = server.received[1].body["messages"]
    assert [message["role"] for message in second] == ["user", "assistant", "user"]
    assert second[1]["content"] == "I think it was the wizard."
    assert "it is no JSON object" in second[2]["content"]
    assert found.contributing == events_finding(episode).trace.contributing
    assert (found.usage.asked_again, found.usage.requests) == (1, found.usage.questions + 1)


def test_an_answer_that_is_unusable_twice_is_an_error_that_names_question_and_fault() -> None:
    episode = _played("t01_magic_staff")
    right = perfect(episode)

    def reply(question: str, asked: list[int]) -> str:
        if is_first(question):
            return right(question, asked)
        return json.dumps({"contributing_ids": [9999], "not_contributing_ids": []})

    with (
        JudgeServer(reply) as server,
        pytest.raises(
            JudgeError,
            match=r"round \d+ of t01_magic_staff seed 1: no usable answer though asked twice; .*9999",
        ) as caught,
    ):
        _judged(episode, server)
    assert isinstance(caught.value, AgentWorldError)


def test_a_judge_that_cannot_be_reached_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="cannot be reached"):
        judge_episodes([_played("t01_magic_staff")], ChatModel("local:http://127.0.0.1:9/v1#x", retries=0))


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("[1]", "no object"),
        ('{"contributing_ids": [1]}', "not_contributing_ids is missing"),
        (
            '{"contributing_ids": [1, 2], "not_contributing_ids": [3], "sure": true}',
            "'sure' was not asked for",
        ),
        ('{"contributing_ids": 1, "not_contributing_ids": [2, 3]}', "contributing_ids is no list"),
        ('{"contributing_ids": ["1"], "not_contributing_ids": [2, 3]}', "'1', which is no whole number"),
        ('{"contributing_ids": [true], "not_contributing_ids": [2, 3]}', "'True', which is no whole number"),
        ('{"contributing_ids": [1, 4], "not_contributing_ids": [2, 3]}', "4, which is none of the ids"),
        ('{"contributing_ids": [1, 1], "not_contributing_ids": [2, 3]}', "names an id twice"),
        (
            '{"contributing_ids": [1], "not_contributing_ids": [2, 3], "contributing_ids": [1, 2]}',
            "'contributing_ids' stands in it twice",
        ),
        (
            '{"reasoning": {"a": 1, "a": 2}, "contributing_ids": [1], "not_contributing_ids": [2, 3]}',
            "'a' stands in it twice",
        ),
        (
            '{"contributing_ids": [' + "9" * 5000 + '], "not_contributing_ids": [1, 2, 3]}',
            "Integer value out of range",
        ),
        ('{"contributing_ids": [1, 2], "not_contributing_ids": [2, 3]}', "ids 2 stand in both"),
        ('{"contributing_ids": [1], "not_contributing_ids": [3]}', "ids 2 stand in neither"),
        ('Sure: {"contributing_ids": [1], "not_contributing_ids": [2, 3]}', "no JSON object"),
    ],
)
def test_an_answer_in_another_form_is_unusable_and_the_fault_is_named(answer: str, fault: str) -> None:
    with pytest.raises(Unusable, match=fault):
        read_sweep(answer, [1, 2, 3])


def test_an_answer_in_the_form_asked_for_is_read_fenced_or_not() -> None:
    plain = '{"contributing_ids": [3, 1], "not_contributing_ids": [2]}'
    assert read_sweep(plain, [1, 2, 3]) == {1, 3}
    assert read_sweep(f"```json\n{plain}\n```\n", [1, 2, 3]) == {1, 3}
    assert read_success('{"success_action_ids": [0], "reasoning": "x"}', range(2)) == {0}


@pytest.mark.parametrize("thoughts", ["<think>", "\n<think>\n", ""])
def test_thoughts_before_an_answer_are_no_part_of_it(thoughts: str) -> None:
    """The opening tag may stand in the prompt."""
    plain = '{"contributing_ids": [3, 1], "not_contributing_ids": [2]}'
    draft = 'It was 2: {"contributing_ids": [2], "not_contributing_ids": [1, 3]}'
    for answer in (plain, f"```json\n{plain}\n```"):
        assert read_sweep(f"{thoughts}{draft}\n</think>\n\n{answer}", [1, 2, 3]) == {1, 3}
    assert read_success(f'{thoughts}Hm.</think>{{"success_action_ids": [0]}}', range(2)) == {0}


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ('<think>{"contributing_ids": [1], "not_contributing_ids": []}', "ends before its thoughts do"),
        ("<think>Hm.</think>", "it is empty"),
        (
            '<think>a</think><think>b</think>{"contributing_ids": [1], "not_contributing_ids": []}',
            "no JSON object",
        ),
        ('{"contributing_ids": [1], "not_contributing_ids": []}<think>a</think>', "no JSON object"),
    ],
)
def test_only_thoughts_that_lead_to_an_answer_are_left_out(answer: str, fault: str) -> None:
    with pytest.raises(Unusable, match=fault):
        read_sweep(answer, [1])


def test_an_answer_may_name_the_tags_of_thoughts() -> None:
    told = '{"contributing_ids": [1], "not_contributing_ids": [], "reasoning": "<think> said it, </think> ended it"}'
    assert read_sweep(told, [1]) == read_sweep(f"```\n{told}\n```", [1]) == {1}
    assert read_sweep(f"<think>{{}}</think>{told}", [1]) == {1}


def test_a_judge_that_thinks_aloud_is_asked_once_and_its_kept_answer_is_read_again(tmp_path: Path) -> None:
    episode = _played("t01_magic_staff")
    answer = perfect(episode)
    cache = JudgeCache(tmp_path)
    with JudgeServer(
        lambda question, asked: f"<think>Let me see.</think>\n{answer(question, asked)}"
    ) as server:
        first = _judged(episode, server, cache=cache)
        again = _judged(episode, server, cache=cache)
    assert first.usage.asked_again == again.usage.requests == 0
    assert first.contributing == again.contributing == events_finding(episode).trace.contributing


def test_a_success_without_success_actions_is_unusable() -> None:
    with pytest.raises(Unusable, match="empty"):
        read_success('{"success_action_ids": []}', range(5))


@settings(max_examples=60)
@given(st.text(max_size=80) | st.recursive(st.integers() | st.text(max_size=5), st.lists).map(json.dumps))
def test_no_answer_whatever_breaks_the_reader(answer: str) -> None:
    with pytest.raises(Unusable):
        read_sweep(answer, [1])


# -- cache -------------------------------------------------------------------------------------------


def test_what_has_been_answered_is_never_asked_again(tmp_path: Path) -> None:
    episode = _played("t01_magic_staff")
    cache = JudgeCache(tmp_path)
    with JudgeServer(perfect(episode)) as server:
        first = _judged(episode, server, cache=cache)
        sent = len(server.received)
        again = _judged(episode, server, cache=cache)
        assert len(server.received) == sent
    assert again.contributing == first.contributing
    assert (again.usage.cached, again.usage.requests) == (again.usage.questions, 0)


def test_the_cache_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTWORLD_LOCAL_API_KEY", "sk-very-secret")
    episode = _played("t01_magic_staff")
    with JudgeServer(perfect(episode)) as server:
        _judged(episode, server, cache=JudgeCache(tmp_path))
        assert "Bearer sk-very-secret" in server.received[0].headers["authorization"]
    kept = [path.read_text() for path in tmp_path.rglob("*.json")]
    assert kept
    assert not any("secret" in text for text in kept)


def test_an_unusable_answer_is_not_kept(tmp_path: Path) -> None:
    episode = _played("t01_magic_staff")
    with JudgeServer(lambda question, asked: "no") as server, pytest.raises(JudgeError):
        _judged(episode, server, cache=JudgeCache(tmp_path))
    assert not list(tmp_path.rglob("*.json"))


def test_a_damaged_answer_in_the_cache_is_named(tmp_path: Path) -> None:
    episode = _played("t01_magic_staff")
    cache = JudgeCache(tmp_path)
    with JudgeServer(perfect(episode)) as server:
        _judged(episode, server, cache=cache)
        damaged = sorted(tmp_path.rglob("*.json"))
        for path in damaged:
            path.write_text("{")
        with pytest.raises(AgentWorldError, match=r"\.json: expected a kept answer .*delete it"):
            _judged(episode, server, cache=cache)


def test_other_questions_have_other_keys() -> None:
    from agentworld_env.metrics.judge.cache import question_key

    base = ("m", "http://a/v1", [{"role": "user", "content": "q"}], 0.0, 1)
    keys = {question_key(*base)}
    for i, other in enumerate(("n", "http://b/v1", [{"role": "user", "content": "r"}], 0.5, 2)):
        changed = list(base)
        changed[i] = other  # type: ignore[call-overload]
        keys.add(question_key(*changed))  # type: ignore[arg-type]
    assert len(keys) == 6


# -- as a method among others ------------------------------------------------------------------------


def test_the_method_reports_tokens_and_cost() -> None:
    episode = _played("t01_magic_staff")
    with JudgeServer(perfect(episode)) as server:
        (found,) = findings([episode], f"judge:{server.model}", MethodOptions(prices=(2.0, 10.0)))
        requests = len(server.received)
    # The loopback server says 120 tokens in and 7 out of every request.
    assert (found.notes["prompt_tokens"], found.notes["completion_tokens"]) == (120 * requests, 7 * requests)
    assert found.notes["dollars"] == pytest.approx(requests * (120 * 2 + 7 * 10) / 1e6)
    assert isinstance(found, Finding)


def test_an_action_is_described_in_one_line_with_what_came_of_it() -> None:
    for line in _played("t86_forge_vanguard", "random").lines:
        text = describe(line)
        assert text.isprintable()
        assert text.startswith(f"[{line.action}] round {line.round}, {line.agent}: ")
        assert (" -> failed: " in text) == (not line.result.ok)
        assert " you" not in text.partition(" -> ")[2] or not line.result.ok


def test_the_judge_is_told_how_many_of_which_item_a_checkpoint_wants() -> None:
    spec = {
        "title": "Rings",
        "objective": "Make rings.",
        "checkpoints": [
            {"label": "Rings made", "item": "", "count": 0, "items": {"goldring": 2, "silverring": 1}}
        ],
    }
    assert "Rings made (2 goldring, 1 silverring)" in success_question(spec, [])
