"""Episodes with known truth: what each method must find, and where the methods must agree."""

from __future__ import annotations

import pytest
from tests.metrics.planted import HARMFUL, REDUNDANT, USELESS, Planted, planted_episodes

from agentworld_env.metrics import Method, events_finding
from agentworld_env.metrics.counterfactual import Replayer, counterfactual

STILL = ("failure", "junk", "small talk")
"""Plants after which everybody stands and wears what it did before."""


def _found(planted: Planted, method: Method = "events") -> set[int]:
    return set(events_finding(planted.episode, method).trace.contributing)


@pytest.mark.parametrize("chat", [False, True], ids=["silent", "talking"])
def test_the_events_method_finds_exactly_what_was_planted_as_productive_in_500_episodes(chat: bool) -> None:
    kinds = (*USELESS, *REDUNDANT, *HARMFUL)
    episodes = [
        planted
        for armed in (False, True)
        for planted in planted_episodes(
            125, kinds, chat=chat, armed=armed, first=10_000 * chat + 1000 * armed
        )
    ]
    for planted in episodes:
        assert _found(planted) == planted.truth, planted.episode.header.seed
        assert _found(planted, "events+chat") == planted.with_chat, planted.episode.header.seed
    # The cases are worth something only if they hold what they are about.
    held = {kind for planted in episodes for kind in planted.plants}
    assert held >= set(kinds)
    lengths = [len(planted.truth) for planted in episodes]
    assert min(lengths) < 8
    assert max(lengths) > 14
    assert chat == any(planted.with_chat != planted.truth for planted in episodes)


@pytest.mark.parametrize("armed", [False, True])
def test_in_a_chain_without_substitutes_exactly_the_events_set_is_necessary(armed: bool) -> None:
    for planted in planted_episodes(40, STILL, armed=armed):
        assert set(counterfactual(planted.episode).necessary) == planted.truth


def test_necessary_actions_are_among_the_events_set_and_differ_only_where_a_substitute_was_left_over() -> (
    None
):
    differ = 0
    for planted in planted_episodes(80, (*STILL, *REDUNDANT)):
        necessary = set(counterfactual(planted.episode).necessary)
        assert necessary <= planted.truth
        if necessary != planted.truth:
            differ += 1
            assert planted.left_over > 0
    assert differ > 0


def test_an_action_that_only_undoes_its_agents_own_useless_one_is_necessary_but_no_cause() -> None:
    undone = 0
    for planted in planted_episodes(60, ("detour", "swap", "failure")):
        pairs = {number for kind in ("detour", "swap") for number in planted.plants.get(kind, ())}
        necessary = set(counterfactual(planted.episode).necessary)
        assert necessary - planted.truth <= pairs
        undone += bool(necessary - planted.truth)
        # Together they are as useless as the events method says.
        replayer = Replayer(planted.episode)
        assert not replayer.without(pairs).loses(replayer.actual)
    assert undone > 0


def test_what_contributes_suffices_by_itself() -> None:
    for planted in planted_episodes(60, (*STILL, *REDUNDANT, "surplus")):
        replayer = Replayer(planted.episode)
        others = set(range(len(planted.episode.lines))) - planted.truth
        assert replayer.without(others).success


def test_without_the_useless_actions_of_one_agent_the_same_of_everybody_else_contribute() -> None:
    from agentworld_env.metrics import ActionGraph

    for planted in planted_episodes(40, (*STILL, "swap")):
        lines = planted.episode.lines
        finding = events_finding(planted.episode)
        goals = finding.trace.success
        for agent in planted.episode.team:
            useless = {
                line.action for line in lines if line.agent == agent and line.action not in planted.truth
            }
            kept = [line for line in lines if line.action not in useless]
            number = {line.action: i for i, line in enumerate(kept)}
            left = ActionGraph(_renumbered(kept, number)).trace([number[goal] for goal in goals])
            back = {kept[i].action for i in left.contributing}
            others = {action for action in planted.truth if lines[action].agent != agent}
            assert {action for action in back if lines[action].agent != agent} == others


def _renumbered(lines: list, number: dict[int, int]) -> list:  # type: ignore[type-arg]
    """Returns some lines of a record with their actions numbered anew, in events, causes and lots as well."""
    import msgspec

    def lots(value: tuple) -> tuple:  # type: ignore[type-arg]
        return tuple(
            (number.get(a, a) if a >= 0 else a, number.get(b, b) if b >= 0 else b, n) for a, b, n in value
        )

    found = []
    for line in lines:
        events = []
        for event in line.events:
            changed = {
                "action": number.get(event.action, event.action),
                # Without a useless change of gear the thing was worn from the start, which has no cause.
                "causes": tuple((kind, number[a]) for kind, a in event.causes if a in number),
            }
            if hasattr(event, "lots"):
                changed["lots"] = lots(event.lots)
            if hasattr(event, "inputs"):
                changed["inputs"] = tuple((item, lots(given)) for item, given in event.inputs)
            events.append(msgspec.structs.replace(event, **changed))
        found.append(msgspec.structs.replace(line, action=number[line.action], events=tuple(events)))
    return found
