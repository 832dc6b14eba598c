"""Stories and tables say what happened, in lines that fit and that no agent can disturb."""

from __future__ import annotations

from typing import Any

import pytest

from agentworld_env import list_tasks, run_episode
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, TurnLine
from agentworld_env.planner import PlannerPolicy
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.report import Story, StoryLine, Table, row_table, task_table, tell_episode, verdict_table
from agentworld_env.report.story import WIDTH
from agentworld_env.sim.events import Hurt, Mention, Moved, Result, Said, Slept
from agentworld_env.verifiers import CheckpointStatus, Verdict

SPEC: dict[str, Any] = {
    "id": "t",
    "title": "Title",
    "objective": "Do it.",
    "team": {"ann": {}, "robert": {}},
    "max_rounds": 9,
}


def line(
    agent: str, *events: Any, round_: int = 1, result: Result | None = None, call: Any = None
) -> TurnLine:
    return TurnLine(
        action=4,
        round=round_,
        agent=agent,
        call={"tool": "sleep", "arguments": {}} if call is None else call,
        result=result or Result(True),
        events=events,
        hash="",
    )


def told(story: Story, *turns: TurnLine) -> list[str]:
    return [story.plain(entry) for turn in turns for entry in story.turn(turn)]


def test_a_round_is_headed_once_and_every_actor_is_named() -> None:
    walked = Moved(4, 1, (), "ann", 0, 0, 3, 0, 3, "")
    lines = told(Story(SPEC), line("ann", walked), line("robert", walked))
    assert lines[0].startswith("-- Round 1 of 9 ---")
    assert len(lines[0]) == WIDTH
    assert lines[1:] == ["  ann     walked 3 tiles to (3, 0)", "  robert  walked 3 tiles to (3, 0)"]


def test_a_failure_says_call_and_reason() -> None:
    failed = Result(False, "unknown_tool", "there is no tool 'fly'")
    call = {"tool": "fly", "arguments": {"x": 1}}
    (_, text) = told(Story(SPEC), line("ann", result=failed, call=call))
    assert text == "  ann     fails at fly(x=1): there is no tool 'fly'"


@pytest.mark.parametrize(
    "call", [{"tool": None}, {"tool": None, "arguments": "x"}, {"tool": 5, "arguments": [1]}]
)
def test_a_malformed_call_is_told_too(call: Any) -> None:
    failed = Result(False, "unknown_tool", "the call names no tool")
    (_, text) = told(Story(SPEC), line("ann", result=failed, call=call))
    assert "the call names no tool" in text


def test_what_the_world_does_is_told_apart_from_the_turn() -> None:
    hurt = Hurt(-1, 1, (), "ann", "wolf-1", 5, 20)
    walked = Moved(4, 1, (), "robert", 0, 0, 3, 0, 3, "")
    lines = told(Story(SPEC), line("robert", walked, hurt))
    assert lines[1:] == [
        "  robert  walked 3 tiles to (3, 0)",
        "        ~ wolf-1 dealt 5 damage to ann, 20 left",
    ]


def test_sleepers_share_one_line_at_the_end_of_their_round() -> None:
    story = Story(SPEC)
    slept = Slept(4, 1, (), "x", 1)
    assert len(told(story, line("ann", slept), line("robert", slept))) == 1
    again = told(story, line("ann", slept, round_=2))
    assert again[0].strip() == ". asleep: ann, robert"
    assert again[1].startswith("-- Round 2")
    assert [story.plain(entry).strip() for entry in story.closing()] == [". asleep: ann"]
    assert story.closing() == []


def test_messages_are_quoted_and_cannot_steer_the_terminal() -> None:
    said = Said(4, 1, (), "ann", "team", "hi \x1b[31m red\nnext", ("robert",), (Mention("agent", "x"),))
    (_, text) = told(Story(SPEC), line("ann", said))
    assert text.startswith('  ann     tells the team: "hi ?[31m red?next"')


def test_a_tool_name_cannot_steer_the_terminal_either() -> None:
    failed = Result(False, "unknown_tool", "there is no tool '\x1b[2J'")
    (_, text) = told(Story(SPEC), line("ann", result=failed, call={"tool": "\x1b[2J"}))
    assert text.isprintable()


@pytest.fixture(scope="module")
def planned() -> Episode:
    return run_episode("t01_magic_staff", PlannerPolicy(), seed=3)


def test_a_live_story_tells_each_checkpoint_once_when_it_is_reached() -> None:
    lines: list[StoryLine] = []
    story: list[Story] = []

    def watch(line: TurnLine, env: AgentWorldEnv) -> None:
        if not story:
            story.append(Story(env.task.spec.model_dump(mode="json")))
        lines.extend(story[0].turn(line, env.verdict()))

    episode = run_episode("t01_magic_staff", PlannerPolicy(), seed=3, on_turn=watch)
    reached = [entry.text for entry in lines if entry.kind == "reached"]
    assert sorted(reached) == sorted(f"reached: {point.text}" for point in episode.verdict.checkpoints)


def test_a_recorded_story_tells_checkpoints_at_the_end_of_their_round(planned: Episode) -> None:
    round_ = 0
    found: dict[str, int] = {}
    for _, entry in tell_episode(planned):
        if entry.kind == "round":
            round_ += 1
        elif entry.kind == "reached":
            found[entry.text] = round_
    assert found == {f"reached: {point.text}": point.round for point in planned.verdict.checkpoints}


def test_every_line_of_a_story_fits_the_width() -> None:
    episode = run_episode("t86_forge_vanguard", RandomPolicy(), seed=5)
    text = [row for story, entry in tell_episode(episode) for row in story.plain(entry).split("\n")]
    assert max(map(len, text)) <= WIDTH
    assert episode.footer is not None
    assert sum(row.startswith("-- Round ") for row in text) == episode.footer.rounds


def test_a_plain_table_is_aligned_and_has_no_trailing_blanks() -> None:
    table = Table(columns=("name", "n"), rows=(("a", "10"), ("long name", "5")), right=frozenset({1}))
    assert table.plain() == "name        n\n---------  --\na          10\nlong name   5"


def test_a_verdict_table_has_a_row_below_for_each_of_several_items() -> None:
    items = (("goldring", 2, 2), ("silverring", 0, 1))
    point = CheckpointStatus("crafted", "Rings made", 2, 3, False, 0, (), items)
    assert verdict_table(Verdict(False, 0.0, 2 / 3, (point,), (), False)).rows == (
        ("Rings made", "2/3", "open", ""),
        ("  goldring", "2/2", "", ""),
        ("  silverring", "0/1", "", ""),
    )


def test_a_verdict_table_has_a_row_per_checkpoint_and_constraint(planned: Episode) -> None:
    rows = verdict_table(planned.verdict).rows
    assert [row[0] for row in rows] == [
        *(point.label for point in planned.verdict.checkpoints),
        *(rule.label for rule in planned.verdict.constraints),
    ]
    assert {row[2] for row in rows} == {"reached", "kept"}


def test_a_task_table_has_a_row_per_task() -> None:
    infos = list_tasks("main")
    assert [row[0] for row in task_table(infos).rows] == [info.id for info in infos]


def test_rows_that_name_their_columns_make_a_table() -> None:
    table = row_table([{"task": "a", "ok": True, "slack": 0.5}, {"task": "b", "ok": False, "slack": None}])
    assert table.rows == (("a", "yes", "0.50"), ("b", "no", ""))
    assert table.right == {2}
    assert row_table([]).rows == ()


def test_the_terminal_form_of_a_table_shows_the_same_cells(planned: Episode) -> None:
    from rich.console import Console

    console = Console(width=200, record=True, quiet=False, file=None, force_terminal=False)
    with console.capture() as captured:
        console.print(Table(columns=("a",), rows=(("[bold]x[/bold]",),)).rich())
    assert "[bold]x[/bold]" in captured.get()
