"""What tokens cost: a dated table of the package, or a file of the user's."""

from __future__ import annotations

import csv
import math
from importlib import resources
from pathlib import Path

import msgspec

from agentworld_env.errors import AgentWorldError, quoted
from agentworld_env.files import read_text

_COLUMNS = ("model", "input", "cached_input", "output", "as_of", "source")
_MILLION = 1_000_000
_MOST_BYTES = 16 * 1024 * 1024
_DEAREST = 1_000_000
"""Greatest price that is believed (US dollars per million tokens)."""


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
                # Spreadsheets put a mark of byte order in front.
                text = read_text(Path(path), _MOST_BYTES, "utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or error
                raise AgentWorldError(f"cannot read the price file {path}: {reason}") from error
            self._prices.update(_read(text, str(path)))

    def lists(self, label: str) -> bool:
        """Returns whether the price of a model stands in a table, which a local model's need not."""
        return label in self._prices

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
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines:
        raise AgentWorldError(f"{where}: expected the columns {', '.join(_COLUMNS)}, got an empty file")
    head = [cell.strip() for cell in _cells(lines[0][1], f"{where}, row {lines[0][0]}")]
    if sorted(head) != sorted(_COLUMNS):
        raise AgentWorldError(
            f"{where}, row {lines[0][0]}: expected the columns {', '.join(_COLUMNS)}, got {', '.join(head):.200}"
        )
    for number, line in lines[1:]:
        place = f"{where}, row {number}"
        cells = _cells(line, place)
        if len(cells) != len(head):
            raise AgentWorldError(
                f"{place}: expected {len(head)} cells ({', '.join(head)}), got {len(cells)}"
            )
        price = _price(dict(zip(head, (cell.strip() for cell in cells), strict=True)), place)
        if price.model in prices:
            raise AgentWorldError(f"{place}: expected one row per model, {quoted(price.model)} has two")
        prices[price.model] = price
    return prices


def _cells(line: str, place: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error as error:
        raise AgentWorldError(f"{place}: expected comma-separated values ({error})") from error


def _price(row: dict[str, str], place: str) -> Price:
    if ":" not in row["model"]:
        raise AgentWorldError(f"{place}: expected a model as provider:model, got {row['model']!r:.60}")
    amounts: dict[str, float] = {}
    for name in ("input", "cached_input", "output"):
        try:
            amount = float(row[name])
        except ValueError:
            amount = math.nan
        if not 0 <= amount <= _DEAREST:
            raise AgentWorldError(
                f"{place}: expected {name} of {row['model']!r:.60} in US dollars per million tokens, "
                f"0 to {_DEAREST:,}, got {row[name]!r:.40}"
            )
        amounts[name] = amount
    return Price(model=row["model"], as_of=row["as_of"], source=row["source"], **amounts)
