"""The scripted blackbox team: it solves its tasks by what each agent is told and sees, and by nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

import agentworld_env.policies.scripted as package
from agentworld_env import list_tasks, make, run_episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.seating import briefs_of
from agentworld_env.policies import Assignment, Brief, Turn
from agentworld_env.policies.idle import IdlePolicy
from agentworld_env.policies.mixed import MixedPolicy
from agentworld_env.policies.scripted import ScriptedPolicy, talk
from agentworld_env.policies.scripted.load import scripted_tasks, scripts
from agentworld_env.tasks.registry import get_task

TASKS = tuple(task.id for task in list_tasks() if task.title in scripts())


class Shut:
    """A view that can be read as plain data and in no other way."""

    def __init__(self, view: Any) -> None:
        self.to_dict = view.to_dict

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a blackbox policy reached for {name!r} of a view")


def play(task: str, seed: int, policies: Mapping[str, ScriptedPolicy]) -> tuple[list[Any], Any]:
    """Plays an episode, handing each agent's policy shut views only; returns calls and verdict."""
    env = make(task)
    env.reset(seed=seed)
    calls = []
    while not env.is_over:
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            env.step(None)
            continue
        info = env.infos[agent]
        plain = {"view": Shut(info["view"]), "legal": dict(info["legal"])}
        call = policies[agent].act(Turn(agent=agent, round=env.round, observation="", info=plain))
        calls.append((agent, call))
        env.step(call)
    return calls, env.verdict()


def briefs(task: str) -> dict[str, Brief]:
    env = make(task)
    env.reset(seed=0)
    return briefs_of(env)


def test_there_are_scripts_for_the_first_twelve_tasks() -> None:
    numbers = sorted(int(task.split("_")[0][1:]) for task in TASKS)
    assert numbers == [1, 2, 44, 51, 56, 64, 67, 76, 80, 86, 93, 100]
    assert len(scripts()) == len(TASKS)


@pytest.mark.parametrize("seed", [0, 4])
@pytest.mark.parametrize("task", TASKS)
def test_agents_that_share_no_memory_and_see_no_state_solve_the_task(task: str, seed: int) -> None:
    told = briefs(task)
    apart = {}
    for agent, brief in told.items():
        # Each agent's policy object knows of no other agent's brief.
        apart[agent] = ScriptedPolicy()
        apart[agent].begin({agent: brief}, seed)
    calls, verdict = play(task, seed, apart)
    assert verdict.success, verdict
    one = ScriptedPolicy()
    one.begin(told, seed)
    assert play(task, seed, dict.fromkeys(told, one))[0] == calls


def test_the_same_episode_comes_again_and_from_a_policy_used_before() -> None:
    policy = ScriptedPolicy()
    first = run_episode("t93_fortress_construction", policy, seed=3)
    run_episode("t01_magic_staff", policy, seed=3)
    again = run_episode("t93_fortress_construction", policy, seed=3)
    assert again.lines == first.lines
    assert run_episode("t93_fortress_construction", "scripted", seed=3).lines == first.lines


def test_an_interrupted_episode_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    whole = run_episode("t100_resource_survey", "scripted", seed=1, out=tmp_path / "whole.jsonl")
    text = Path(whole.path or "").read_bytes()
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(b"".join(text.splitlines(keepends=True)[:80]))
    run_episode("t100_resource_survey", "scripted", seed=1, out=torn)
    assert torn.read_bytes() == text


def test_a_policy_without_access_to_state_imports_nothing_that_gives_it() -> None:
    allowed = {"agentworld_env.errors", "agentworld_env.policies"}
    for file in Path(package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                room = ".".join(name.split(".")[:2])
                assert not name.startswith("agentworld_env") or room in allowed, (file.name, name)


def words_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (*words_of(list(value)), *words_of(list(value.values())))
    elif isinstance(value, Iterable):
        for one in value:
            yield from words_of(one)


def counts_of(arguments: Mapping[str, Any]) -> Iterator[int]:
    if "count" in arguments:
        yield arguments["count"]
    for group in ("items", "goods"):
        yield from arguments.get(group, {}).values()


@pytest.mark.parametrize("task", TASKS)
def test_a_script_names_only_what_its_role_is_told(task: str) -> None:
    script = scripts()[get_task(task).spec.title]
    told = briefs(task)
    assert list(script) == list(told)
    said = {
        arguments.get("name") or arguments.get("target")
        for steps in script.values()
        for verb, arguments in steps
        if verb in {"tell", "report"}
    }
    for agent, steps in script.items():
        brief = told[agent]
        text = " ".join((brief.objective, brief.role, brief.guide, *brief.team))
        words = re.findall(r"[\w-]+", text)
        # Keys that the text writes as two words, such as the ice oaks.
        pairs = {(one + two).removesuffix("s") for one, two in pairwise(words)}
        # What lies in its own bag at the start an agent sees for itself.
        known = {*words, *pairs, *get_task(task).spec.team[agent].inventory, *said}
        for verb, arguments in steps:
            assert set(words_of(arguments.values())) <= known, (agent, verb)
            assert {str(count) for count in counts_of(arguments)} - {"1"} <= known, (agent, verb)


def test_a_task_without_a_script_is_refused_with_the_nearest_that_have_one() -> None:
    with pytest.raises(
        AgentWorldError, match=r"no script for the task 't01_magic_staff_aug'; .*t01_magic_staff"
    ):
        run_episode("t01_magic_staff_aug", "scripted", seed=0)
    with pytest.raises(
        AgentWorldError, match=r"no script for the task 'p03_small_bowl'; expected .*t01_.*t100_"
    ):
        run_episode("p03_small_bowl", "scripted", seed=0)


def test_scripts_are_named_after_their_tasks() -> None:
    assert set(scripted_tasks()) == set(TASKS)


def test_a_scripted_member_needs_scripts_for_its_own_agents_only() -> None:
    briefs_there = briefs("t01_magic_staff")
    asked = Assignment(task="mine", setting="default", team=(*briefs_there, "cook"), briefs=briefs_there)
    ScriptedPolicy().check(asked)
    cook = msgspec.structs.replace(next(iter(briefs_there.values())), agent="cook")
    asked = msgspec.structs.replace(asked, briefs={**briefs_there, "cook": cook})
    with pytest.raises(AgentWorldError, match="no script for the task 'mine'"):
        ScriptedPolicy().check(asked)
    MixedPolicy([("cook", IdlePolicy()), ("*", ScriptedPolicy())]).check(asked)
    with pytest.raises(AgentWorldError, match="no script for the task 'mine'"):
        MixedPolicy([("cook", ScriptedPolicy()), ("*", IdlePolicy())]).check(asked)


@pytest.mark.parametrize(
    ("sentence", "kind", "words"),
    [
        (talk.place("meeting", 4, 5), "place", ("meeting", "4", "5")),
        (talk.where("survey_stone"), "where", ("survey_stone",)),
        (talk.need(2, "coal"), "need", ("2", "coal")),
        (talk.share("miner3", 2, "coal"), "share", ("miner3", "2", "coal")),
        (talk.killed("icerat"), "killed", ("icerat",)),
        (talk.ready("iron-ogre-1"), "ready", ("iron-ogre-1",)),
        (talk.strike("iron-ogre-1", 7), "strike", ("iron-ogre-1", "7")),
        (talk.search((1, 2), (3, 4)), "search", ("1", "2", "3", "4")),
    ],
)
def test_every_sentence_of_the_protocol_is_read_as_it_was_written(
    sentence: str, kind: str, words: tuple[str, ...]
) -> None:
    assert list(talk.sentences(sentence)) == [(kind, words)]
    assert (kind, words) in list(talk.sentences(f"Hello. {sentence} {talk.need(1, 'apple')}"))


def test_free_text_is_not_understood() -> None:
    assert list(talk.sentences("I think we should all meet soon, bring 2 coal")) == []


@pytest.mark.parametrize("task", ["t44_messenger_run", "t76_elemental_bosses", "t100_resource_survey"])
def test_a_team_that_cannot_talk_fails_where_information_must_cross(task: str) -> None:
    assert not run_episode(task, "scripted", seed=0, setting="no_communication").verdict.success


@pytest.mark.parametrize("task", TASKS)
def test_the_facts_of_a_brief_are_what_its_guide_says(task: str) -> None:
    for agent, brief in briefs(task).items():
        facts, guide = brief.facts, brief.guide
        assert facts == get_task(task).guide_facts(agent)
        lines = [line for line in guide.splitlines() if line.startswith("- ")]
        keyed = [fact for group in ("recipes", "nodes", "mobs", "places", "sites") for fact in facts[group]]
        assert len(lines) == len(keyed)
        for line, key in zip(lines, keyed, strict=True):
            assert re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", line)
        for recipe, line in zip(facts["recipes"].values(), lines, strict=False):
            assert " + ".join(f"{n} {item}" for item, n in recipe["inputs"].items()) in line
        for place in facts["places"].values():
            (x0, x1), (y0, y1) = place["columns"], place["rows"]
            assert f"around ({place['at'][0]}, {place['at'][1]}), x {x0}-{x1}, y {y0}-{y1}" in guide
