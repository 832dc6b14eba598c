"""Prompts: what comes from an episode is data, never a template and never able to leave its fence."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentworld_env import make
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.seating import briefs_of
from agentworld_env.policies.prompts import Memory, Prompts, remembered, signature
from agentworld_env.policies.protocol import Brief

PROMPTS = Prompts()
TAGS = ("memory", "observation", "guide", "tools")
HOSTILE = st.lists(
    st.sampled_from(
        [
            "</observation>",
            "</ MEMORY >",
            "<observation>",
            "<",
            "/",
            "observation>",
            "{{ 7 * 7 }}",
            "{% raw %}",
            "\n",
        ]
    )
    | st.text(max_size=5)
).map("".join)


def rendered(observation: str = "", heard: str = "", problem: str = "") -> str:
    memory = [Memory(round=1, tool="chat", arguments=f'{{"message":"{heard}"}}', ok=True, text=heard)]
    return PROMPTS.turn(memory=memory, round=2, max_rounds=9, observation=observation, problem=problem)


def brief(guide: str = "", tools: tuple[str, ...] = ("sleep",), team: tuple[str, ...] = ("a", "b")) -> Brief:
    return Brief(
        agent="a",
        title="T",
        objective="O",
        role="R",
        guide=guide,
        team=team,
        max_rounds=9,
        tools=tuple({"type": "function", "function": {"name": name}} for name in tools),
    )


def test_what_all_agents_are_told_alike_comes_first_so_that_a_cache_of_prefixes_serves_the_whole_team() -> (
    None
):
    names = ("miner", "smith", "guard")
    tools = ("sleep", "chat")
    told = [PROMPTS.system(msgspec.structs.replace(brief(name, tools, names), agent=name)) for name in names]
    shared = told[0].partition("# You\n")[0]
    assert all(system.startswith(shared + "# You\nYou are ") for system in told)
    for part in ("How this works", "- sleep", "- chat", "The team's goal: O", "There are 9 rounds"):
        assert part in shared


def test_one_agent_alone_is_told_of_no_team() -> None:
    told = PROMPTS.system(brief(team=("a",)))
    assert told.startswith("You are an agent in a world laid out on a grid of tiles.\n")
    assert "Your team, in the order" not in told


def about_nothing(setting: str) -> list[str]:
    """Returns what the agents of a task are told under a setting, without the task's own prose."""
    env = make("t01_magic_staff", setting=setting)
    env.reset(seed=0)
    briefs = briefs_of(env.unwrapped)
    told: dict[str, str] = {"title": "X", "objective": "X", "guide": "X"}
    return [PROMPTS.system(msgspec.structs.replace(brief, **told)) for brief in briefs.values()]


TALK = re.compile(r"\b(chat|messages?|talk\w*|tell|said|say|quoted|heard?)\b", re.IGNORECASE)
TEAM = re.compile(r"\b(team|team-mates?|others?|agents|everybody|nobody)\b", re.IGNORECASE)


@pytest.mark.parametrize("setting", ["no_communication", "shared_plan", "no_communication+no_roles"])
def test_where_nobody_can_talk_no_prompt_speaks_of_it(setting: str) -> None:
    for told in about_nothing(setting):
        rules = re.sub(r"The result says what|as the observation and your guide write|guide says", "", told)
        rules = rules.replace("the result says where you are", "")
        assert TALK.findall(rules) == []
        assert "Your team-mates do not see" in told


@pytest.mark.parametrize("setting", ["default", "local_talk", "discussion_rounds(2)", "no_roles"])
def test_where_a_team_can_talk_its_prompts_say_how_to_take_what_is_said(setting: str) -> None:
    for told in about_nothing(setting):
        for part in ("what others tell you", "Talking is a tool call", "quoted messages", "a message wakes"):
            assert part in told


def test_one_agent_alone_is_told_of_no_others_and_no_messages() -> None:
    (told,) = about_nothing("single_agent")
    rules, _, you = told.partition("# You\n")
    assert TEAM.findall(rules) == []
    assert TALK.findall(re.sub(r"result says|guide says", "", rules)) == []
    assert you.startswith("You are agent_1.\n")
    assert you.endswith("Your guide:\n<guide>\nX\n</guide>")


@pytest.mark.parametrize("setting", ["no_roles", "no_roles+no_communication"])
def test_where_roles_are_hidden_no_prompt_speaks_of_them(setting: str) -> None:
    for told in about_nothing(setting):
        assert not re.search(r"\brole", told, re.IGNORECASE)
        assert "told other things" not in told
        assert "Your guide, which everybody has been given:" in told


def test_an_oracle_without_a_role_is_told_what_it_sees() -> None:
    first, *others = about_nothing("no_roles+oracle_view")
    assert "\n\nYou see what every team-mate sees" in first
    assert "Your role" not in first
    assert not [told for told in others if "every team-mate sees" in told]


def fences(prompt: str) -> list[str]:
    return re.findall(rf"<[\s/]*(?:{'|'.join(TAGS)})\b", prompt, re.IGNORECASE)


@settings(deadline=None)
@given(HOSTILE, HOSTILE, HOSTILE)
def test_nothing_perceived_or_heard_can_open_or_close_a_fence(
    observation: str, heard: str, problem: str
) -> None:
    expected = ["<memory", "</memory", "<observation", "</observation"]
    assert fences(rendered(observation, heard, problem)) == expected


@settings(deadline=None)
@given(HOSTILE)
def test_no_guide_can_open_or_close_a_fence(guide: str) -> None:
    assert fences(PROMPTS.system(brief(guide))) == ["<tools", "</tools", "<guide", "</guide"]


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="<", exclude_categories=["Cs"]), max_size=40))
def test_harmless_text_reaches_the_model_unchanged(observation: str) -> None:
    assert f"<observation>\n{observation}\n</observation>" in rendered(observation)


@pytest.mark.parametrize("text", ["{{ 7 * 7 }}", "{% for x in y %}", "{{ undefined_name }}", "{# hidden #}"])
def test_template_syntax_in_the_episode_is_shown_and_not_evaluated(text: str) -> None:
    assert text in rendered(observation=text)
    assert text in PROMPTS.system(brief(guide=text))


def test_a_remembered_call_is_one_line_however_many_its_texts_have() -> None:
    past = remembered(
        4, {"tool": "chat", "arguments": {"message": "a\nb"}, "ok": False, "text": "too\n\nlong"}
    )
    assert past == Memory(round=4, tool="chat", arguments='{"message":"a\\nb"}', ok=False, text="too long")


def test_remembered_arguments_do_not_depend_on_the_order_of_their_keys_and_are_cut() -> None:
    one = remembered(1, {"tool": "t", "arguments": {"a": 1, "b": 2}, "ok": True, "text": ""})
    two = remembered(1, {"tool": "t", "arguments": {"b": 2, "a": 1}, "ok": True, "text": ""})
    assert one == two
    long = remembered(1, {"tool": "t", "arguments": "x" * 5000, "ok": False, "text": ""})
    assert len(long.arguments) == 600


def test_rules_speak_only_of_tools_that_exist() -> None:
    silent = PROMPTS.system(brief(tools=("sleep",)))
    assert "Talking is a tool call" not in silent
    assert "`complete`" not in silent
    full = PROMPTS.system(brief(tools=("sleep", "chat", "complete")))
    assert "Talking is a tool call" in full
    assert "`complete`" in full


def test_a_tool_is_described_by_its_arguments_and_which_may_be_left_out() -> None:
    parameters = {
        "properties": {"item": {"type": "string"}, "count": {"enum": [1, 5, 10]}, "any": {}},
        "required": ["item"],
    }
    function = {"name": "craft_item", "description": "Makes\n things.", "parameters": parameters}
    line = signature({"type": "function", "function": function})
    assert line == "craft_item(item: string, count?: 1 | 5 | 10, any?: any): Makes things."


@pytest.mark.parametrize(
    ("system", "complaint"),
    [("{{ agnet }}", "agnet"), ("{% if %}", "line 1"), ("{{ agent.__class__.__mro__ }}", "unsafe")],
)
def test_a_faulty_template_is_reported_by_file(tmp_path: Path, system: str, complaint: str) -> None:
    (tmp_path / "system.j2").write_text(system)
    (tmp_path / "turn.j2").write_text("x")
    with pytest.raises(AgentWorldError, match=r"system\.j2") as caught:
        Prompts(tmp_path).system(brief())
    assert complaint in str(caught.value)


def test_a_missing_template_is_reported_by_path(tmp_path: Path) -> None:
    with pytest.raises(AgentWorldError, match=re.escape(str(tmp_path / "system.j2"))):
        Prompts(tmp_path)
