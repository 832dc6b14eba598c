"""Agreement between every two of several methods."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from agentworld_env.episodes import Episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.metrics.agreement import Agreement, agreement
from agentworld_env.metrics.finding import Finding
from agentworld_env.metrics.methods import COUNTERFACTUAL


def agreements(
    by_method: Sequence[tuple[str, Sequence[Finding]]], episodes: Sequence[Episode]
) -> tuple[list[Agreement], int]:
    """Returns how far every two methods agree on the actions of some episodes.

    Args:
        by_method: Name of each method and its findings, one per episode.
        episodes: The episodes.

    Returns:
        One agreement per pair, and the number of failed episodes that were left out where the counterfactual method is
        compared with another.

    Raises:
        AgentWorldError: There is nothing to compare two methods on; the message names them.
    """
    found: list[Agreement] = []
    apart = 0
    for (first, one), (second, other) in combinations(by_method, 2):
        pairs = list(zip(one, other, episodes, strict=True))
        if (first == COUNTERFACTUAL) != (second == COUNTERFACTUAL):
            # Of a failure it asks what was necessary for what was reached, all others what would have served success.
            pairs = [pair for pair in pairs if pair[2].verdict.success]
            apart = len(episodes) - len(pairs)
            if not pairs:
                raise AgentWorldError(
                    f"{first} and {second}: expected a success to compare them on, since they ask different "
                    f"questions of failures, got {apart} failed episode{'' if apart == 1 else 's'}"
                )
        counts = [len(episode.lines) for _, _, episode in pairs]
        try:
            found.append(agreement([pair[0] for pair in pairs], [pair[1] for pair in pairs], counts))
        except ValueError as error:
            raise AgentWorldError(
                f"{first} and {second}: {error} in {len(pairs)} episode{'' if len(pairs) == 1 else 's'}"
            ) from error
    return found, apart
