"""What tokens cost: a dated table of the package, or a file of the user's."""

from __future__ import annotations

import csv
from importlib import resources
from pathlib import Path

import msgspec

from agentworld_env.errors import AgentWorldError

_COLUMNS = ("model", "input", "cached_input", "output", "as_of", "source")
_MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """The price of a model's tokens.

    Attributes:
        model: The model, as ``provider:model``.
        input: US dollars per million tokens of requests.
        cached_input: The same, for tokens that the provider read from its cache.
        output: US dollars per million tokens of replies.
        as_of: When the figure was looked up.
        source: Where.
    """

    model: str
    input: float
    cached_input: float
    output: float
    as_of: str
    source: str

    def cost(self, prompt: int, cached: int, completion: int) -> float:
        """Returns the cost of tokens (US dollars).

        Args:
            prompt: Tokens of requests, cached ones included.
            cached: Tokens of requests that came from the provider's cache.
            completion: Tokens of replies.
        """
        fresh = max(0, prompt - cached)
        total = fresh * self.input + cached * self.cached_input + completion * self.output
        return total / _MILLION


class Prices:
    """Prices by model. A model on this machine costs nothing.

    Args:
        path: A CSV file with the columns model, input, cached_input, output, as_of, source, whose prices come before
            those of the package; None takes the package's only.

    Raises:
        AgentWorldError: The file cannot be read; the message names file and row.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        own = resources.files("agentworld_env.models").joinpath("prices.csv").read_text("utf-8")
        self._prices = _read(own, "prices.csv")
        if path is not None:
            try:
                text = Path(path).read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise AgentWorldError(f"cannot read the price file {path}: {error}") from error
            self._prices.update(_read(text, str(path)))

    def of(self, label: str) -> Price | None:
        """Returns the price of a model, or None if nobody knows it.

        Args:
            label: The model, as ``provider:model``.
        """
        found = self._prices.get(label)
        if found is None and label.startswith("local:"):
            return Price(model=label, input=0, cached_input=0, output=0, as_of="", source="runs locally")
        return found


def _read(text: str, where: str) -> dict[str, Price]:
    prices: dict[str, Price] = {}
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for row in csv.DictReader(lines):
        try:
            price = msgspec.convert({name: row[name] for name in _COLUMNS}, Price, strict=False)
        except (KeyError, msgspec.ValidationError) as error:
            raise AgentWorldError(
                f"{where}, row of {row.get('model')!r}: expected {', '.join(_COLUMNS)} with prices in US "
                f"dollars per million tokens ({error})"
            ) from error
        if min(price.input, price.cached_input, price.output) < 0:
            raise AgentWorldError(f"{where}, row of {price.model!r}: expected no negative price")
        prices[price.model] = price
    return prices
