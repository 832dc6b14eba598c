"""How a model is named."""

from __future__ import annotations

import pytest

from agentworld_env.errors import AgentWorldError, UnknownNameError
from agentworld_env.models import PRESETS, parse_model


@pytest.mark.parametrize(
    ("provider", "host", "variable"),
    [
        ("openai", "https://api.openai.com/", "OPENAI_API_KEY"),
        ("google", "https://generativelanguage.googleapis.com/", "GEMINI_API_KEY"),
        ("anthropic", "https://api.anthropic.com/", "ANTHROPIC_API_KEY"),
        ("deepseek", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
        ("openrouter", "https://openrouter.ai/", "OPENROUTER_API_KEY"),
    ],
)
def test_each_provider_has_its_own_address_and_key_variable(provider: str, host: str, variable: str) -> None:
    spec = parse_model(f"{provider}:some-model")
    assert spec.base_url.startswith(host)
    assert (spec.provider, spec.name, spec.key_variable) == (provider, "some-model", variable)
    assert spec.key_required


def test_no_preset_is_untested() -> None:
    assert set(PRESETS) == {"openai", "google", "anthropic", "deepseek", "openrouter"}


def test_a_model_name_may_itself_hold_colons_and_slashes() -> None:
    assert parse_model("openrouter:maker/model:free").name == "maker/model:free"


def test_a_local_model_is_an_address_and_a_name_and_needs_no_key() -> None:
    spec = parse_model("local:http://127.0.0.1:8080/v1/#small")
    assert (spec.provider, spec.name, spec.base_url) == ("local", "small", "http://127.0.0.1:8080/v1")
    assert not spec.key_required
    assert spec.label == "local:small"


def test_an_unknown_provider_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean openai") as caught:
        parse_model("opnai:gpt-5-mini")
    assert "openai" in caught.value.nearest


@pytest.mark.parametrize("text", ["", "gpt-5-mini", "openai:", "openai: "])
def test_a_name_without_provider_or_model_is_refused_with_the_expected_form(text: str) -> None:
    with pytest.raises(AgentWorldError, match="provider:model"):
        parse_model(text)


@pytest.mark.parametrize(
    "text",
    [
        "local:http://127.0.0.1:8080/v1",
        "local:127.0.0.1:8080/v1#m",
        "local:ftp://127.0.0.1/v1#m",
        "local:http:///v1#m",
        "local:http://127.0.0.1:99999/v1#m",
        "local:http://[::1/v1#m",
    ],
)
def test_a_local_model_without_usable_address_or_name_is_refused(text: str) -> None:
    with pytest.raises(AgentWorldError, match="local:URL#model"):
        parse_model(text)


@pytest.mark.parametrize(
    "part", ["http://me:secret-word@h/v1", "http://secret-word@h/v1", "http://h/v1?k=secret-word"]
)
def test_an_address_that_holds_a_secret_is_refused_without_repeating_it(part: str) -> None:
    with pytest.raises(AgentWorldError, match="no user, password or query") as caught:
        parse_model(f"local:{part}#m")
    assert "secret-word" not in str(caught.value)
