"""Tokens and cost of a run: counted while it goes on, and summed from its usage files, resumes included."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from agentworld_env.episodes import UsageLine, read_usage
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate.cast import Cast
from agentworld_env.models import BudgetSpentError, Prices, Reply


class Spent(msgspec.Struct, kw_only=True):
    """What was used by one model or agent.

    Attributes:
        calls: Model calls.
        prompt: Tokens of requests.
        cached: Of these, tokens that the provider read from its cache.
        completion: Tokens of replies.
        seconds: Time that calls took, added up (seconds).
        cost: US dollars; None if the price is unknown.
        unpriced: Of these, tokens of models for which nobody has given a price: local ones, which count as free, and
            those whose price is unknown.
    """

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    seconds: float = 0.0
    cost: float | None = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of requests and replies together."""
        return self.prompt + self.completion

    def add(self, other: Spent) -> None:
        """Adds what another entry used."""
        self.calls += other.calls
        self.prompt += other.prompt
        self.cached += other.cached
        self.completion += other.completion
        self.seconds += other.seconds
        self.unpriced += other.unpriced
        self.cost = None if self.cost is None or other.cost is None else self.cost + other.cost


def spent_on(record: Path, cast: Cast, prices: Prices, damaged: list[int] | None = None) -> dict[str, Spent]:
    """Returns what an episode used, by agent.

    Args:
        record: Its record.
        cast: Who plays.
        prices: Prices of models.
        damaged: Takes the numbers of lines of its usage file that cannot be read and are not counted.
    """
    found: dict[str, Spent] = {}
    for line in read_usage(record, damaged):
        found.setdefault(line.agent, Spent()).add(
            _one_call(line, cast.label_of(line.agent), prices, line.seconds)
        )
    return found


def _one_call(used: Reply | UsageLine, label: str, prices: Prices, seconds: float = 0.0) -> Spent:
    price = prices.of(label)
    cost = None
    if price is not None:
        cost = price.cost(used.prompt_tokens, used.cached_tokens, used.completion_tokens)
    return Spent(
        calls=1,
        prompt=used.prompt_tokens,
        cached=used.cached_tokens,
        completion=used.completion_tokens,
        seconds=seconds,
        cost=cost,
        unpriced=0 if prices.lists(label) else used.prompt_tokens + used.completion_tokens,
    )


def total(parts: Iterable[Spent]) -> Spent:
    """Returns the sum of entries."""
    whole = Spent()
    for part in parts:
        whole.add(part)
    return whole


class Ledger:
    """Counts what a run uses and stops it at its limits.

    Args:
        prices: Prices of models.
        models: Labels of the models that play, as ``provider:model``.
        max_cost: Limit in US dollars, over all resumes; None for none.
        max_tokens: Limit of tokens, over all resumes; None for none.

    Raises:
        AgentWorldError: The cost is limited and a price unknown.
    """

    def __init__(
        self,
        prices: Prices,
        models: Iterable[str],
        *,
        max_cost: float | None = None,
        max_tokens: int | None = None,
    ) -> None:
        self.prices = prices
        self.spent = Spent()
        self.max_cost = max_cost
        self.max_tokens = max_tokens
        self.models = tuple(models)
        unknown = [label for label in self.models if prices.of(label) is None]
        if unknown and max_cost is not None:
            raise AgentWorldError(
                f"--max-cost needs a price for {', '.join(unknown)}: give one with --prices FILE "
                "(in Python: prices=)"
            )

    @property
    def price_lines(self) -> tuple[str, ...]:
        """One line per model that does not run locally: its price, from when and where, or that it is unknown."""
        lines = []
        for label in self.models:
            price = self.prices.of(label)
            if price is None:
                lines.append(
                    f"the price of {label} is unknown: its cost is not counted (give one with --prices)"
                )
            elif price.as_of:
                lines.append(
                    f"{label}: {price.input:g} dollars per million tokens in, {price.cached_input:g} cached, "
                    f"{price.output:g} out, as of {price.as_of} ({price.source}); check it, prices change"
                )
        return tuple(lines)

    def open(self, records: Iterable[Path], cast: Cast) -> None:
        """Adds what earlier runs on the folder have used."""
        for record in records:
            self.spent.add(total(spent_on(record, cast, self.prices).values()))

    def allow(self) -> None:
        """Lets a request pass.

        Raises:
            BudgetSpentError: A limit is reached.
        """
        if self.max_tokens is not None and self.spent.tokens >= self.max_tokens:
            raise BudgetSpentError(f"{self.spent.tokens} tokens are used, the limit is {self.max_tokens}")
        cost = self.spent.cost
        if self.max_cost is not None and cost is not None and cost >= self.max_cost:
            raise BudgetSpentError(f"{cost:.4f} dollars are spent, the limit is {self.max_cost:g}")

    def count(self, label: str, reply: Reply) -> None:
        """Counts a reply."""
        self.spent.add(_one_call(reply, label, self.prices))
