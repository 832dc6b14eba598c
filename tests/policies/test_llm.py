"""The language-model policy against a real chat-completions server on the loopback interface."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.policies.loopback import Answer, Loopback, calls, failure, text

from agentworld_env.errors import AgentWorldError, ModelError
from agentworld_env.models.endpoints import LOCAL_KEY_VARIABLE
from agentworld_env.policies.llm import LLMPolicy
from agentworld_env.policies.protocol import Brief, Decision, Policy, Turn

KEY = "sk-very-secret-0123456789"


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {
        "type": "function",
        "function": {"name": name, "description": f"Does {name}.", "parameters": parameters},
    }


TOOLS = (
    tool("move_character", x={"type": "integer"}, y={"type": "integer"}),
    tool("chat", message={"type": "string"}),
    tool("sleep"),
)


def brief(agent: str) -> Brief:
    return Brief(
        agent=agent,
        title="Bridge",
        objective="Bring ten logs to the ford.",
        role=f"You are the {agent} of the team.",
        guide=f"Guide of {agent}: oaks stand at (10, 20).",
        team=("logger1", "smith1"),
        max_rounds=30,
        tools=TOOLS,
    )


def begun(model: Any, **settings: Any) -> LLMPolicy:
    policy = LLMPolicy(model, **settings)
    policy.begin({agent: brief(agent) for agent in ("logger1", "smith1")}, seed=7)
    return policy


def turn(round: int, last: dict[str, Any] | None = None, agent: str = "logger1") -> Turn:
    return Turn(agent=agent, round=round, observation=f"{agent} sees {round} oaks", info={}, last=last)


def result(call: dict[str, Any], ok: bool = True, said: str = "as asked") -> dict[str, Any]:
    return {**call, "ok": ok, "text": said}


def play(policy: LLMPolicy, *turns: Turn) -> list[Decision]:
    async def all_turns() -> list[Decision]:
        try:
            return [await policy.act(each) for each in turns]
        finally:
            await policy.model.close()

    return asyncio.run(all_turns())


def prompts(server: Loopback) -> list[str]:
    """Returns the user message of each request received."""
    return [received.body["messages"][-1]["content"] for received in server.received]


def memory_of(prompt: str) -> list[str]:
    return prompt.split("<memory>\n")[1].split("\n</memory>")[0].split("\n") if "<memory>" in prompt else []


def test_it_is_a_policy_that_reads_text() -> None:
    policy = LLMPolicy("local:http://127.0.0.1:9/v1#m")
    assert isinstance(policy, Policy)
    assert policy.wants_text


def test_a_tool_call_becomes_the_decision_with_one_exchange_and_its_tokens() -> None:
    with Loopback(calls(("move_character", {"x": 3, "y": 4}))) as server:
        (decision,) = play(begun(server.model), turn(1))
    assert decision.call == {"tool": "move_character", "arguments": {"x": 3, "y": 4}}
    (exchange,) = decision.exchanges
    assert exchange.reply == {
        "text": "",
        "calls": [{"name": "move_character", "arguments": '{"x": 3, "y": 4}'}],
    }
    assert (exchange.model, exchange.finish, exchange.problem) == ("tester", "tool_calls", "")
    assert (exchange.prompt_tokens, exchange.completion_tokens, exchange.cached_tokens) == (120, 7, 64)
    assert len(decision.seconds) == 1
    assert server.received[0].body["tools"] == list(TOOLS)


@pytest.mark.parametrize(
    "said",
    [
        '{"tool": "chat", "arguments": {"message": "hi"}}',
        'I will greet.\n```json\n{"tool": "chat", "arguments": {"message": "hi"}}\n```',
        '<think>{"tool": "sleep", "arguments": {}}</think>{"tool": "chat", "arguments": {"message": "hi"}}',
        'set {1, 2} then {"tool": "chat", "arguments": "{\\"message\\": \\"hi\\"}"}',
    ],
)
def test_a_model_without_tool_calling_may_answer_with_json_in_its_text(said: str) -> None:
    with Loopback(text(said)) as server:
        (decision,) = play(begun(server.model), turn(1))
    assert decision.call == {"tool": "chat", "arguments": {"message": "hi"}}
    assert [exchange.problem for exchange in decision.exchanges] == [""]


def test_a_reply_without_call_is_asked_for_again_with_the_reason() -> None:
    with Loopback(text("Let me think."), calls(("sleep", {}))) as server:
        (decision,) = play(begun(server.model), turn(1))
    assert decision.call == {"tool": "sleep", "arguments": {}}
    first, second = decision.exchanges
    assert first.problem
    assert not second.problem
    assert first.problem not in prompts(server)[0]
    assert first.problem in prompts(server)[1]
    assert first.prompt_hash != second.prompt_hash
    assert len(decision.seconds) == 2


NESTED = '{"a":' * 20 + "1" + "}" * 20
HUGE = '{"x": 123456789012345678901234567890}'


@pytest.mark.parametrize(
    ("answer", "call", "problem"),
    [
        (text("Hm."), {"tool": "", "arguments": {}}, "no tool call"),
        (text('{"tool": "sl', "length"), {"tool": "", "arguments": {}}, "cut off"),
        (calls(("slep", {"rounds": 1})), {"tool": "slep", "arguments": {"rounds": 1}}, "mean sleep"),
        (calls(("sleep", '{"rounds": ')), {"tool": "sleep", "arguments": '{"rounds": '}, "no JSON object"),
        (calls(("sleep", NESTED)), {"tool": "sleep", "arguments": NESTED}, "no JSON object"),
        (calls(("sleep", HUGE)), {"tool": "sleep", "arguments": HUGE}, "no JSON object"),
        (calls(("sleep", "[1]")), {"tool": "sleep", "arguments": "[1]"}, "no JSON object"),
        (
            calls(("sleep", '{"rounds": NaN}')),
            {"tool": "sleep", "arguments": '{"rounds": NaN}'},
            "no JSON object",
        ),
        (
            calls(("sleep", '{"a":' * 5000)),
            {"tool": "sleep", "arguments": ('{"a":' * 5000)[:2000]},
            "no JSON object",
        ),
        (text('{"tool": 5}'), {"tool": "", "arguments": {}}, "no tool ''"),
    ],
)
def test_a_malformed_reply_stands_after_the_last_reask_in_a_shape_that_fails(
    answer: Answer, call: dict[str, Any], problem: str
) -> None:
    with Loopback(answer) as server:
        (decision,) = play(begun(server.model, reasks=2), turn(1))
    assert decision.call == call
    assert len(server.received) == len(decision.exchanges) == 3
    assert all(problem in exchange.problem for exchange in decision.exchanges)


def test_with_no_reasks_a_malformed_reply_costs_one_request() -> None:
    with Loopback(text("Hm.")) as server:
        (decision,) = play(begun(server.model, reasks=0), turn(1))
    assert decision.call == {"tool": "", "arguments": {}}
    assert len(server.received) == 1


def test_of_several_calls_the_first_counts_and_the_others_are_reported() -> None:
    with Loopback(calls(("sleep", {}), ("chat", {"message": "x"}), ("sleep", {}))) as server:
        (decision,) = play(begun(server.model), turn(1))
    assert decision.call == {"tool": "sleep", "arguments": {}}
    (exchange,) = decision.exchanges
    assert (exchange.problem, exchange.surplus) == ("", 2)
    assert len(exchange.reply["calls"]) == 3


def test_an_empty_argument_text_is_a_call_without_arguments() -> None:
    with Loopback(calls(("sleep", ""))) as server:
        (decision,) = play(begun(server.model), turn(1))
    assert decision.call == {"tool": "sleep", "arguments": {}}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("move_character", {"x": "far", "y": 1}), "x must be a whole number"),
        (("move_character", {"x": 3}), "move_character needs 'y' (Row of the tile"),
        (("move_character", {"x": 3, "y": 99_999}), "y must be 0..767"),
        (("move_character", {"x": 3, "y": 4, "z": 5}), "move_character has no argument 'z'"),
        (("chat", {}), "chat needs 'message'"),
    ],
)
def test_arguments_that_the_schema_does_not_allow_are_no_legal_call_and_asked_for_again(
    given: tuple[str, dict[str, Any]], said: str
) -> None:
    with Loopback(calls(given), calls(("sleep", {}))) as server:
        (decision,) = play(begun(server.model), turn(1))
        assert said in decision.exchanges[0].problem
        assert said in prompts(server)[1]
        assert decision.call == {"tool": "sleep", "arguments": {}}
    with Loopback(calls(given)) as server:
        (decision,) = play(begun(server.model), turn(1))
    assert decision.call == {"tool": given[0], "arguments": given[1]}
    assert len(server.received) == 2


def test_arguments_that_the_environment_reads_leniently_are_not_asked_for_again() -> None:
    with Loopback(calls(("move_character", {"x": "3", "y": 4.0}))) as server:
        (decision,) = play(begun(server.model), turn(1))
    assert decision.call == {"tool": "move_character", "arguments": {"x": "3", "y": 4.0}}
    assert len(server.received) == 1


def test_a_tool_that_does_not_exist_in_the_turn_is_in_no_schema_and_no_prompt_and_not_accepted() -> None:
    with Loopback(calls(("move_character", {"x": 3, "y": 4})), calls(("sleep", {}))) as server:
        policy = begun(server.model)
        early, late = turn(1), turn(2)
        early.tools = TOOLS[1:]
        decisions = play(policy, early, late)
        bodies = [received.body for received in server.received]
    assert [decision.call["tool"] for decision in decisions] == ["sleep", "sleep"]
    assert "there is no tool 'move_character'" in decisions[0].exchanges[0].problem
    for body in bodies[:2]:
        assert body["tools"] == list(TOOLS[1:])
        assert "move_character" not in body["messages"][0]["content"]
    assert bodies[2]["tools"] == list(TOOLS)
    assert "move_character" in bodies[2]["messages"][0]["content"]


def test_exchanges_of_an_interrupted_turn_are_used_and_not_asked_for_again() -> None:
    with Loopback(text("Hm."), calls(("sleep", {}))) as server:
        noted: list[Any] = []
        first = turn(1)
        first.note = lambda ask, exchange, seconds: noted.append((ask, exchange))
        (whole,) = play(begun(server.model), first)
        assert noted == list(enumerate(whole.exchanges))
        for known in (1, 2):
            again = turn(1)
            again.asked = whole.exchanges[:known]
            server.script = [calls(("sleep", {}))]
            before = len(server.received)
            (decision,) = play(begun(server.model), again)
            assert decision.call == whole.call
            assert decision.exchanges == whole.exchanges
            assert len(server.received) - before == 2 - known


def test_an_exchange_about_another_prompt_is_no_answer_to_this_one() -> None:
    with Loopback(calls(("sleep", {}))) as server:
        (other,) = play(begun(server.model), turn(2))
        here = turn(1)
        here.asked = other.exchanges
        play(begun(server.model), here)
    assert len(server.received) == 2


SLEEP = {"tool": "sleep", "arguments": {}}


def some_turns(count: int, agent: str = "logger1") -> list[Turn]:
    lasts = [None, *(result(SLEEP, ok=i % 2 == 0, said=f"rest {i}") for i in range(1, count))]
    return [turn(i + 1, last, agent) for i, last in enumerate(lasts)]


def test_an_agent_remembers_its_last_calls_with_results_oldest_first() -> None:
    with Loopback(calls(("sleep", {}))) as server:
        play(begun(server.model, memory=2), *some_turns(5))
    seen = [memory_of(prompt) for prompt in prompts(server)]
    assert [len(memory) for memory in seen] == [0, 1, 2, 2, 2]
    assert seen[-1] == ["round 3: sleep {} -> FAILED: rest 3", "round 4: sleep {} -> done: rest 4"]


def test_without_memory_a_prompt_holds_no_past() -> None:
    with Loopback(calls(("sleep", {}))) as server:
        play(begun(server.model, memory=0), *some_turns(3))
    assert not [prompt for prompt in prompts(server) if "rest" in prompt]


def test_agents_do_not_share_memories_guides_or_observations() -> None:
    with Loopback(calls(("sleep", {}))) as server:
        play(begun(server.model), *some_turns(3, "logger1"), turn(1, agent="smith1"))
    of_smith = json.dumps(server.received[-1].body["messages"])
    assert "Guide of smith1" in of_smith
    assert not [part for part in ("Guide of logger1", "logger1 sees", "rest") if part in of_smith]


def test_a_new_episode_starts_with_an_empty_memory() -> None:
    with Loopback(calls(("sleep", {}))) as server:
        policy = begun(server.model)
        play(policy, *some_turns(3))
        policy.begin({"logger1": brief("logger1")}, seed=8)
        play(policy, turn(1))
    assert prompts(server)[-1] == prompts(server)[0]


@pytest.mark.parametrize("recalled", [1, 3, 5])
def test_recalling_a_prefix_leads_to_the_same_prompts_as_playing_it(recalled: int) -> None:
    turns = some_turns(6)
    with Loopback(calls(("sleep", {}))) as server:
        played = play(begun(server.model, memory=3), *turns)
    with Loopback(calls(("sleep", {}))) as again:
        resumed = begun(again.model, memory=3)
        for each, decision in zip(turns[:recalled], played[:recalled], strict=True):
            resumed.recall(each, decision)
        rest = play(resumed, *turns[recalled:])
    assert prompts(again) == prompts(server)[recalled:]
    assert [d.exchanges for d in rest] == [d.exchanges for d in played[recalled:]]


def test_a_turn_that_is_asked_for_again_after_an_error_is_remembered_once() -> None:
    first, second, third = some_turns(3)
    with Loopback(calls(("sleep", {})), failure(404, "gone"), calls(("sleep", {}))) as server:
        policy = begun(server.model)
        play(policy, first)
        with pytest.raises(ModelError, match="HTTP 404: gone"):
            play(policy, second)
        play(policy, second, third)
    assert [len(memory_of(prompt)) for prompt in prompts(server)] == [0, 1, 1, 2]


def test_the_unchanging_part_comes_first_and_is_the_same_in_every_turn() -> None:
    with Loopback(calls(("sleep", {}))) as server:
        play(begun(server.model), *some_turns(3))
    systems = {received.body["messages"][0]["content"] for received in server.received}
    assert len(systems) == 1
    (system,) = systems
    expected = ("logger1", "smith1", "Bring ten logs to the ford.", "oaks stand at (10, 20)", "30 rounds")
    assert not [part for part in expected if part not in system]
    assert "- move_character(x: integer, y: integer): Does move_character." in system
    assert [m["role"] for m in server.received[0].body["messages"]] == ["system", "user"]


def test_the_same_turns_give_the_same_requests_and_hashes() -> None:
    def run() -> tuple[list[Any], Sequence[str]]:
        with Loopback(calls(("sleep", {}))) as server:
            decisions = play(begun(server.model), *some_turns(3))
            return [r.body for r in server.received], [d.exchanges[0].prompt_hash for d in decisions]

    first, second = run(), run()
    assert first == second
    assert len(set(first[1])) == 3


def test_a_copied_or_pickled_policy_continues_alike_and_apart() -> None:
    turns = some_turns(4)
    with Loopback(calls(("sleep", {}))) as server:
        policy = begun(server.model)
        play(policy, *turns[:3])
        twins = [copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))]
        play(policy, turns[3])
        for twin in twins:
            play(twin, turns[3])
    assert len(set(prompts(server)[3:])) == 1


def test_the_configuration_names_what_decides_the_prompts_and_never_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(LOCAL_KEY_VARIABLE, KEY)
    url = "http://127.0.0.1:9/v1"
    policy = LLMPolicy(f"local:{url}#m", memory=3, reasks=0, temperature=0.2, reply_tokens=500)
    config = policy.config()
    templates = config.pop("templates")
    assert config == {
        "policy": "llm",
        "model": "m",
        "provider": "local",
        "base_url": url,
        "memory": 3,
        "reasks": 0,
        "temperature": 0.2,
        "reply_tokens": 500,
    }
    assert templates == policy.prompts.hash
    assert KEY not in repr(policy.config()) + repr(vars(policy)) + repr(vars(policy.model))


def test_other_templates_change_the_prompt_and_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text("Be {{ agent }}.")
    (tmp_path / "turn.j2").write_text("See {{ observation }}.")
    with Loopback(calls(("sleep", {}))) as server:
        policy = begun(server.model, templates=tmp_path)
        play(policy, turn(1))
        usual = LLMPolicy(server.model).config()["templates"]
    contents = [each["content"] for each in server.received[0].body["messages"]]
    assert contents == ["Be logger1.", "See logger1 sees 1 oaks."]
    assert policy.config()["templates"] != usual


@pytest.mark.parametrize(
    "settings",
    [{"memory": -1}, {"reasks": -1}, {"temperature": 2.5}, {"temperature": -0.1}, {"reply_tokens": 0}],
)
def test_a_setting_out_of_range_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(AgentWorldError, match=r"negative|between 0 and 2|at least one token"):
        LLMPolicy("local:http://127.0.0.1:9/v1#m", **settings)
