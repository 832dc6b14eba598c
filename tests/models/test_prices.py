"""Prices: dated, sourced, replaceable; a local model is free, an unknown one has no price."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env.errors import AgentWorldError
from agentworld_env.models import Prices, parse_model

HEAD = "model,input,cached_input,output,as_of,source\n"


def test_every_bundled_price_has_a_date_a_source_and_a_model_that_can_be_named() -> None:
    prices = Prices()
    found = prices._prices.values()
    assert len(found) > 5
    for price in found:
        assert price.as_of
        assert price.source
        assert parse_model(price.model).label == price.model
        assert 0 < price.cached_input <= price.input < price.output


def test_cost_counts_cached_tokens_apart(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"# my prices\n{HEAD}openai:x,2,1,10,2025-01,me\n")
    price = Prices(path).of("openai:x")
    assert price is not None
    # 600,000 fresh at 2, 400,000 cached at 1, 100,000 written at 10 dollars a million.
    assert price.cost(1_000_000, 400_000, 100_000) == pytest.approx(1.2 + 0.4 + 1.0)


def test_the_users_file_comes_first_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"{HEAD}openai:gpt-5,7,7,7,2026-01,me\n")
    prices = Prices(path)
    mine, other = prices.of("openai:gpt-5"), prices.of("openai:gpt-5-mini")
    assert mine is not None
    assert mine.input == 7
    assert other is not None


def test_an_unknown_model_has_no_price_and_a_local_one_costs_nothing() -> None:
    assert Prices().of("openai:gpt-99") is None
    local = Prices().of("local:tiny")
    assert local is not None
    assert local.cost(10**6, 0, 10**6) == 0


@pytest.mark.parametrize(
    "text", ["model,input\nx,1\n", f"{HEAD}x,a,1,1,d,s\n", f"{HEAD}x,-1,1,1,d,s\n", f"{HEAD}x,1\n"]
)
def test_a_malformed_price_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(AgentWorldError, match=r"p\.csv, row \d+: expected"):
        Prices(path)


def test_a_missing_price_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AgentWorldError, match=r"none\.csv"):
        Prices(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("rows", "row", "said"),
    [
        (f"{HEAD}o:x,nan,1,1,d,s\n", 2, "input of 'o:x'"),
        (f"{HEAD}o:x,1,inf,1,d,s\n", 2, "cached_input of 'o:x'"),
        (f"{HEAD}o:x,1,1,-0.5,d,s\n", 2, "output of 'o:x'"),
        (f"{HEAD}o:x,1,1,1e300,d,s\n", 2, "got '1e300'"),
        (f"{HEAD}o:x,1,1,,d,s\n", 2, "got ''"),
        (f"# mine\n{HEAD}o:x,1,1,1,d,s\n\no:x,2,2,2,d,s\n", 5, "'o:x' has two"),
        (f"{HEAD}o:x,1,1,1,d,s,more\n", 2, "expected 6 cells"),
        (f"{HEAD}o:x,1,1,1,d\n", 2, "got 5"),
        (f"{HEAD}gpt-5,1,1,1,d,s\n", 2, "provider:model, got 'gpt-5'"),
        (f'{HEAD}o:x,1,1,1,d,"s\n', 2, "comma-separated"),
        ("provider,model\no,x\n", 1, "got provider, model"),
        (f"{HEAD.strip()},model\n", 1, "expected the columns"),
        ("# nothing\n", 0, "got an empty file"),
    ],
)
def test_a_price_that_cannot_be_is_named_by_row(tmp_path: Path, rows: str, row: int, said: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(rows)
    with pytest.raises(AgentWorldError) as caught:
        Prices(path)
    assert str(caught.value).startswith(f"{path}, row {row}:" if row else f"{path}:")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_columns_may_stand_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("output,model,input,cached_input,source,as_of\n4,o:x,2,1,me,2026-01\n")
    price = Prices(path).of("o:x")
    assert price is not None
    assert (price.input, price.cached_input, price.output, price.source) == (2, 1, 4, "me")


def test_a_mark_of_byte_order_before_the_columns_is_no_part_of_them(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"{HEAD}o:x,2,1,4,d,s\n", encoding="utf-8-sig")
    price = Prices(path).of("o:x")
    assert price is not None
    assert (price.input, price.output) == (2, 4)
