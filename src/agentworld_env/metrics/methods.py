"""The ways to decide what contributes, by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode
from agentworld_env.errors import AgentWorldError, UnknownNameError
from agentworld_env.metrics.causal import METHODS, Method, Trace
from agentworld_env.metrics.finding import Finding, events_finding

if TYPE_CHECKING:
    from agentworld_env.metrics.judge import Judgement

COUNTERFACTUAL = "counterfactual"
"""Name of the method that plays episodes again without single actions."""
FORMS: tuple[str, ...] = (*METHODS, COUNTERFACTUAL, "judge:MODEL", "human:FILE")
"""Every name that ``findings`` takes; capitals stand for what the user fills in."""

_ELSEWHERE: dict[str, tuple[str, str]] = {
    "strict": ("events", "where messages are no causes"),
    "informed": ("events+chat", "where messages are causes"),
}
"""What a method is called elsewhere -> its name here, and what tells it from the others."""


class MethodOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of all methods; each reads what concerns it.

    Attributes:
        processes: Processes for the counterfactual method.
        allow_python: Whether to accept tasks of unknown origin whose checkpoints run installed code.
        prune: Whether a judge is spared actions that have nothing to do with what contributes.
        rounds: So many rounds are put into one question to a judge.
        window: A judge is shown what contributes in so many later rounds; None shows all.
        cache: Directory where a judge's answers are kept; None asks everything anew.
        prices: US dollars per million tokens of requests and of replies, or None if they are not known.
    """

    processes: int = 1
    allow_python: bool = False
    prune: bool = False
    rounds: int = 1
    window: int | None = None
    cache: Path | None = None
    prices: tuple[float, float] | None = None


_NO_OPTIONS = MethodOptions()


def parse_method(text: str) -> tuple[str, str]:
    """Splits a method's name into its kind and what the user filled in, which may be empty.

    Raises:
        UnknownNameError: There is no such method; the nearest names are offered.
        AgentWorldError: A model or file is missing.
    """
    kind, colon, rest = text.partition(":")
    if colon and kind in ("judge", "human"):
        if not rest:
            raise AgentWorldError(
                f"method {kind}: is written {'judge:MODEL' if kind == 'judge' else 'human:FILE'}"
            )
        return kind, rest
    if text not in (*METHODS, COUNTERFACTUAL):
        if text.lower() in _ELSEWHERE:
            name, why = _ELSEWHERE[text.lower()]
            raise UnknownNameError("CCE method", text, (name,), f"did you mean {name}, {why}?")
        raise UnknownNameError("CCE method", text, FORMS)
    return text, ""


def findings(
    episodes: Sequence[Episode],
    method: str = "events",
    options: MethodOptions = _NO_OPTIONS,
    envs: Sequence[AgentWorldEnv] | None = None,
) -> list[Finding]:
    """Returns what a method finds in each of some complete episodes.

    Args:
        episodes: The episodes.
        method: ``events``, ``events+chat``, ``counterfactual``, ``judge:MODEL`` with any model that a policy can be, or
            ``human:FILE`` with a file of labels.
        options: Options of the methods.
        envs: The environments at the episodes' ends, if there are any; ``events`` and ``events+chat`` re-simulate
            failures otherwise.

    Raises:
        UnknownNameError: There is no such method.
        AgentWorldError: A record, model, answer or file of labels cannot be used.
    """
    kind, rest = parse_method(method)
    if kind == COUNTERFACTUAL:
        return _counterfactual(episodes, options)
    if kind == "judge":
        return _judge(episodes, method, rest, options)
    if kind == "human":
        from agentworld_env.metrics.labels import human_findings

        return human_findings(rest, episodes)
    ends: Sequence[AgentWorldEnv | None] = [None] * len(episodes) if envs is None else envs
    return [
        events_finding(episode, cast(Method, kind), env, allow_python=options.allow_python)
        for episode, env in zip(episodes, ends, strict=True)
    ]


def require_all_decided(method: str, episodes: Sequence[Episode], found: Sequence[Finding]) -> None:
    """Makes sure that figures can be computed from what a method found.

    Only people leave actions open; a judge was not asked about some by the user's own choice, which is reported.

    Args:
        method: The method.
        episodes: The episodes.
        found: What ``findings`` gave for them.

    Raises:
        AgentWorldError: A person has not labelled all actions; the message names the episode and counts the labels.
    """
    kind, rest = parse_method(method)
    if kind == "human":
        from agentworld_env.metrics.labels import require_all_labelled

        require_all_labelled(rest, episodes, found)


def _counterfactual(episodes: Sequence[Episode], options: MethodOptions) -> list[Finding]:
    from agentworld_env.metrics.counterfactual import counterfactuals

    return [
        Finding(
            method=COUNTERFACTUAL,
            trace=Trace((), found.necessary, ()),
            notes={
                "harmful": list(found.harmful),
                "agents": msgspec.to_builtins(found.agents),
                "groups": msgspec.to_builtins(found.groups),
            },
        )
        for found in counterfactuals(episodes, processes=options.processes, allow_python=options.allow_python)
    ]


def _judge(episodes: Sequence[Episode], method: str, model: str, options: MethodOptions) -> list[Finding]:
    from agentworld_env.metrics.judge import JudgeCache, JudgeOptions, judge_episodes
    from agentworld_env.models import ChatModel

    cache = None if options.cache is None else JudgeCache(options.cache)
    judge = JudgeOptions(prune=options.prune, rounds=options.rounds, window=options.window)
    found = judge_episodes(episodes, ChatModel(model), options=judge, cache=cache)
    return [_priced(judgement, method, options.prices) for judgement in found]


def _priced(judgement: Judgement, method: str, prices: tuple[float, float] | None) -> Finding:
    finding = judgement.finding(method)
    usage = judgement.usage
    dollars: Any = None
    if prices is not None:
        dollars = (usage.prompt_tokens * prices[0] + usage.completion_tokens * prices[1]) / 1e6
    return msgspec.structs.replace(finding, notes={**finding.notes, "dollars": dollars})
