"""Playing an episode: recording, resuming, asynchronous policies, and what happens when something breaks off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from agentworld_env import run_episode
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import TurnLine, read_episode, read_usage, verify
from agentworld_env.errors import AgentWorldError, EpisodeFileError, ModelError
from agentworld_env.evaluate import run_episode_async, score_record
from agentworld_env.metrics import episode_metrics
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies import Brief, Call, Decision, Exchange, Turn
from agentworld_env.policies.idle import IdlePolicy
from agentworld_env.policies.random_play import RandomPolicy

TASK = "t01_magic_staff"
SLEEP: Call = {"tool": "sleep", "arguments": {"rounds": 1}}


class Scripted:
    """Answers with what a function says and notes everything it was told."""

    name = "scripted"

    def __init__(self, answer: Callable[[int, Turn], Any] = lambda _, __: SLEEP, text: bool = False) -> None:
        self.wants_text = text
        self.answer = answer
        self.briefs: Mapping[str, Brief] = {}
        self.seed = -1
        self.turns: list[Turn] = []
        self.recalled: list[tuple[Turn, Decision]] = []

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        self.briefs, self.seed = briefs, seed

    def act(self, turn: Turn) -> Any:
        self.turns.append(turn)
        return self.answer(len(self.turns) - 1, turn)

    def recall(self, turn: Turn, decision: Decision) -> None:
        self.recalled.append((turn, decision))

    def config(self) -> dict[str, Any]:
        return {"answers": 1}


class Awaited(Scripted):
    """The same, but every answer must be waited for."""

    def act(self, turn: Turn) -> Any:
        async def later() -> Any:
            await asyncio.sleep(0)
            return Scripted.act(self, turn)

        return later()


def whole(path: Path, make_policy: Callable[[], Any] = RandomPolicy, seed: int = 5) -> bytes:
    run_episode(TASK, make_policy(), seed=seed, out=path)
    return path.read_bytes()


# -- recording ---------------------------------------------------------------------------------------------------------


def test_what_is_returned_is_what_was_written_and_it_verifies(tmp_path: Path) -> None:
    episode = run_episode(TASK, RandomPolicy(), seed=5, out=tmp_path)
    assert episode.path == str(tmp_path / f"{TASK}-random-seed5.jsonl")
    read = read_episode(episode.path)
    assert (read.header, read.lines, read.footer) == (episode.header, episode.lines, episode.footer)
    verify(read, episode_metrics)


def test_the_directory_form_names_the_setting_unless_it_is_the_default(tmp_path: Path) -> None:
    episode = run_episode(TASK, IdlePolicy(), seed=1, setting="no_communication", out=tmp_path)
    assert episode.path == str(tmp_path / f"{TASK}-idle-no_communication-seed1.jsonl")


def test_a_policy_name_cannot_lead_out_of_the_directory(tmp_path: Path) -> None:
    policy = Scripted()
    policy.name = "../../x:y/z"
    episode = run_episode(TASK, policy, seed=1, out=tmp_path / "d")
    assert episode.path is not None
    assert Path(episode.path).parent == tmp_path / "d"


def test_without_out_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    episode = run_episode(TASK, IdlePolicy(), seed=1)
    assert episode.path is None
    assert list(tmp_path.iterdir()) == []


def test_an_idle_team_uses_the_whole_budget_and_reaches_nothing() -> None:
    episode = run_episode(TASK, IdlePolicy(), seed=1)
    assert episode.footer is not None
    # 25 rounds of three agents, as the task file says.
    assert (episode.footer.rounds, episode.footer.actions) == (25, 75)
    assert episode.footer.turns == {"lumberjack": 25, "woodworker": 25, "wizard": 25}
    assert episode.verdict.psr == 0


def test_equal_runs_give_equal_files_and_another_seed_gives_another(tmp_path: Path) -> None:
    first, again, other = (whole(tmp_path / f"{k}.jsonl", seed=seed) for k, seed in enumerate((5, 5, 6)))
    assert first == again
    assert first != other


def test_an_agent_that_leaves_or_sleeps_long_is_not_asked(tmp_path: Path) -> None:
    def answer(_: int, turn: Turn) -> Call:
        if turn.agent == "wizard":
            return {"tool": "complete", "arguments": {"response": "bye"}}
        return {"tool": "sleep", "arguments": {"rounds": 5}}

    policy = Scripted(answer)
    episode = run_episode(TASK, policy, seed=1, out=tmp_path)
    asked = [(turn.round, turn.agent) for turn in policy.turns]
    assert [r for r, agent in asked if agent == "wizard"] == [1]
    assert [r for r, agent in asked if agent == "lumberjack"] == [1, 6, 11, 16, 21]
    assert episode.footer is not None
    assert episode.footer.turns == {"lumberjack": 25, "woodworker": 25, "wizard": 1}
    score_record(str(episode.path))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        7,
        "sleep",
        [],
        {},
        {"tool": 3},
        {"tool": "fly"},
        {"tool": "sleep", "arguments": {"rounds": float("nan")}},
    ],
)
def test_a_malformed_answer_costs_the_turn_and_the_record_still_verifies(answer: Any, tmp_path: Path) -> None:
    episode = run_episode(TASK, Scripted(lambda k, _: answer if k < 3 else SLEEP), seed=1, out=tmp_path)
    assert [line.result.ok for line in episode.lines[:4]] == [False, False, False, True]
    assert all(line.result.reason for line in episode.lines[:3])
    score_record(str(episode.path))


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "5", True])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="a seed is a whole number"):
        run_episode(TASK, IdlePolicy(), seed=seed)


# -- what a policy is told ---------------------------------------------------------------------------------------------


def test_every_agent_is_briefed_with_its_own_guide_only() -> None:
    policy = Scripted()
    run_episode(TASK, policy, seed=9)
    assert policy.seed == 9
    assert list(policy.briefs) == ["lumberjack", "woodworker", "wizard"]
    guides = {brief.guide for brief in policy.briefs.values()}
    assert len(guides) == 3
    assert all(len(brief.tools) == 13 and brief.max_rounds == 25 for brief in policy.briefs.values())


def test_tools_that_a_setting_takes_away_are_in_no_brief() -> None:
    policy = Scripted()
    run_episode(TASK, policy, seed=9, setting="no_communication")
    names = {tool["function"]["name"] for tool in policy.briefs["wizard"].tools}
    assert names.isdisjoint({"chat", "send_chat_message"})
    assert len(names) == 11


def test_a_turn_tells_the_agents_own_last_call_and_what_came_of_it() -> None:
    def answer(_: int, turn: Turn) -> Call:
        return {"tool": "fly"} if turn.agent == "wizard" else SLEEP

    policy = Scripted(answer)
    run_episode(TASK, policy, seed=1)
    first = {turn.agent: turn for turn in policy.turns[:3]}
    second = {turn.agent: turn for turn in policy.turns[3:6]}
    assert all(turn.last is None for turn in first.values())
    assert second["wizard"].last is not None
    assert (second["wizard"].last["tool"], second["wizard"].last["ok"]) == ("fly", False)
    assert second["lumberjack"].last is not None
    assert (second["lumberjack"].last["arguments"], second["lumberjack"].last["ok"]) == ({"rounds": 1}, True)


@pytest.mark.parametrize("text", [True, False])
def test_observations_are_rendered_only_for_policies_that_read_them(text: bool) -> None:
    policy = Scripted(text=text)
    run_episode(TASK, policy, seed=1)
    assert all(bool(turn.observation) == text for turn in policy.turns)
    assert policy.turns[0].observation.startswith("Round 1 of 25. You are lumberjack") == text


def test_only_a_policy_that_needs_the_state_gets_the_environment() -> None:
    given: list[object] = []

    class Seeing(Scripted):
        needs_state = True

        def attach(self, env: AgentWorldEnv) -> None:
            given.append(env)

        def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
            given.append("begun")

    class Blind(Seeing):
        needs_state = False

    run_episode(TASK, Blind(), seed=1)
    assert given == ["begun"]
    given.clear()
    run_episode(TASK, Seeing(), seed=1)
    assert isinstance(given[0], AgentWorldEnv)
    assert given[1] == "begun"


def test_the_watcher_sees_every_turn_once_and_in_order(tmp_path: Path) -> None:
    seen: list[TurnLine] = []
    episode = run_episode(TASK, RandomPolicy(), seed=5, on_turn=lambda line, env: seen.append(line))
    assert seen == episode.lines


# -- resuming ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [RandomPolicy, PlannerPolicy])
@pytest.mark.parametrize("kept", [0, 1, 2, 9, -2, -1])
@pytest.mark.parametrize("torn", [0, 1, 40])
def test_a_run_cut_anywhere_and_resumed_gives_the_uninterrupted_file(
    kept: int, torn: int, policy: Callable[[], Any], tmp_path: Path
) -> None:
    uninterrupted = whole(tmp_path / "a.jsonl", policy)
    lines = uninterrupted.splitlines(keepends=True)
    kept %= len(lines)
    cut = tmp_path / "b.jsonl"
    cut.write_bytes(b"".join(lines[:kept]) + lines[kept][:torn])
    assert whole(cut, policy) == uninterrupted


def test_a_line_that_lacks_only_its_end_is_kept(tmp_path: Path) -> None:
    uninterrupted = whole(tmp_path / "a.jsonl", Scripted)
    lines = uninterrupted.splitlines(keepends=True)
    cut = tmp_path / "b.jsonl"
    cut.write_bytes(b"".join(lines[:4]).rstrip(b"\n"))
    policy = Scripted()
    run_episode(TASK, policy, seed=5, out=cut)
    assert len(policy.recalled) == 3
    assert cut.read_bytes() == uninterrupted


def test_recorded_turns_are_recalled_and_not_asked_again(tmp_path: Path) -> None:
    reply = Exchange(model="m", reply={"text": "z"}, prompt_tokens=4)
    playing = Scripted(lambda *_: Decision(call=SLEEP, exchanges=(reply,), seconds=(0.1,)), text=True)
    path = tmp_path / "a.jsonl"
    run_episode(TASK, playing, seed=5, out=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:11]))
    resumed = Scripted(playing.answer, text=True)
    run_episode(TASK, resumed, seed=5, out=path)
    assert [turn.observation for turn, _ in resumed.recalled] == [t.observation for t in playing.turns[:10]]
    assert [turn.last for turn, _ in resumed.recalled] == [t.last for t in playing.turns[:10]]
    assert [t.observation for t in resumed.turns] == [t.observation for t in playing.turns[10:]]
    assert {decision.call["tool"] for _, decision in resumed.recalled} == {"sleep"}
    assert all(decision.exchanges[0].reply == {"text": "z"} for _, decision in resumed.recalled)
    assert path.read_bytes() == b"".join(lines)


def test_a_complete_record_is_returned_without_asking_anybody(tmp_path: Path) -> None:
    before = whole(tmp_path / "a.jsonl", Scripted)
    policy = Scripted()
    episode = run_episode(TASK, policy, seed=5, out=tmp_path / "a.jsonl")
    assert policy.turns == []
    assert len(episode.lines) == 75
    assert (tmp_path / "a.jsonl").read_bytes() == before


def test_another_episode_in_the_same_place_is_left_alone_and_the_difference_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    before = whole(path, IdlePolicy)
    with pytest.raises(
        AgentWorldError, match=r'another episode \(seed 5 instead of 6, policy \{"name":"idle"'
    ):
        run_episode(TASK, RandomPolicy(), seed=6, out=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"notes of mine", b'{"line":"header","x', b'{"a": 1}\n'])
def test_a_file_that_is_no_record_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(EpisodeFileError, match=r"line 1"):
        run_episode(TASK, IdlePolicy(), seed=5, out=path)
    assert path.read_bytes() == content


def test_a_partial_record_that_was_edited_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = whole(path, RandomPolicy).splitlines(keepends=True)
    edited = lines[2].replace(b'"hash":"', b'"hash":"0')
    path.write_bytes(b"".join([*lines[:2], edited, lines[3]]))
    with pytest.raises(EpisodeFileError, match=r"turn 1 .* deviates: hash"):
        run_episode(TASK, RandomPolicy(), seed=5, out=path)


@pytest.mark.parametrize("broken", [ModelError("no answer"), KeyboardInterrupt()])
def test_a_run_that_breaks_off_leaves_a_record_that_can_be_continued(
    broken: BaseException, tmp_path: Path
) -> None:
    def failing(k: int, _: Turn) -> Call:
        if k == 10:
            raise broken
        return SLEEP

    path = tmp_path / "a.jsonl"
    with pytest.raises(type(broken)):
        run_episode(TASK, Awaited(failing), seed=5, out=path)
    assert len(read_episode(path).lines) == 10
    policy = Awaited()
    run_episode(TASK, policy, seed=5, out=path)
    assert len(policy.recalled) == 10
    assert len(policy.turns) == 65
    assert path.read_bytes() == whole(tmp_path / "b.jsonl", Scripted)


# -- asynchronous policies ---------------------------------------------------------------------------------------------


def test_an_asynchronous_policy_plays_the_same_episode(tmp_path: Path) -> None:
    assert whole(tmp_path / "a.jsonl", Awaited) == whole(tmp_path / "b.jsonl", Scripted)


def test_one_event_loop_serves_a_whole_episode() -> None:
    loops = set()

    class Noting(Scripted):
        async def act(self, turn: Turn) -> Any:
            loops.add(asyncio.get_running_loop())
            return SLEEP

    run_episode(TASK, Noting(), seed=1)
    assert len(loops) == 1


@pytest.mark.parametrize("breaks", [False, True])
def test_what_an_asynchronous_policy_opened_is_closed_in_the_same_loop(breaks: bool) -> None:
    loops: list[object] = []

    class Opening(Scripted):
        async def act(self, turn: Turn) -> Any:
            loops.append(asyncio.get_running_loop())
            if breaks:
                raise ModelError("no answer")
            return SLEEP

        async def close(self) -> None:
            assert asyncio.get_running_loop() is loops[0]
            loops.append("closed")

    try:
        run_episode(TASK, Opening(), seed=1)
    except ModelError:
        assert breaks
    assert loops.count("closed") == 1
    assert loops[-1] == "closed"


def test_inside_a_running_loop_only_the_asynchronous_form_waits() -> None:
    async def inside() -> int:
        assert len(run_episode(TASK, Scripted(), seed=1).lines) == 75
        with pytest.raises(AgentWorldError, match="run_episode_async"):
            run_episode(TASK, Awaited(), seed=1)
        both = await asyncio.gather(
            run_episode_async(TASK, Awaited(), seed=1), run_episode_async(TASK, Scripted(), seed=2)
        )
        return sum(len(episode.lines) for episode in both)

    assert asyncio.run(inside()) == 150


# -- usage -------------------------------------------------------------------------------------------------------------


def test_tokens_and_times_are_kept_beside_the_record_and_never_in_it(tmp_path: Path) -> None:
    def decision(seconds: float, tokens: int) -> Decision:
        ask = Exchange(model="m", reply={"text": "?"}, prompt_tokens=tokens, problem="no call")
        again = Exchange(model="m", reply={"text": "!"}, completion_tokens=tokens)
        return Decision(call=SLEEP, exchanges=(ask, again), seconds=(seconds, seconds))

    slow, quick = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    run_episode(TASK, Scripted(lambda *_: decision(0.5, 11)), seed=5, out=slow)
    run_episode(TASK, Scripted(lambda *_: decision(0.1, 7)), seed=5, out=quick)
    assert slow.read_bytes() == quick.read_bytes()
    used = read_usage(slow)
    assert len(used) == 150
    assert [(u.action, u.ask, u.seconds, u.prompt_tokens, u.completion_tokens) for u in used[:2]] == [
        (0, 0, 0.5, 11, 0),
        (0, 1, 0.5, 0, 11),
    ]
    assert [reply["reply"]["text"] for reply in read_episode(slow).lines[0].replies] == ["?", "!"]


def test_a_turn_offers_the_tools_in_the_words_of_the_setting() -> None:
    told: set[str] = set()

    class Noting(IdlePolicy):
        def act(self, turn: Turn) -> Call:
            told.update(tool["function"]["description"] for tool in turn.tools or ())
            return super().act(turn)

    run_episode("t01_magic_staff", Noting(), seed=0, setting="no_communication+short_horizon")
    assert "Wait for some rounds and regenerate. Damage wakes you." in told
    assert not [text for text in told if "message" in text]
