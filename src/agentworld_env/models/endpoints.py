"""Which endpoints there are, and how a model is named: ``provider:model`` or ``local:URL#model``."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

import msgspec

from agentworld_env.errors import AgentWorldError, UnknownNameError, load_entry_point

LOCAL_KEY_VARIABLE = "AGENTWORLD_LOCAL_API_KEY"
"""Environment variable with the key of a ``local:`` endpoint; most need none."""


class Endpoint(msgspec.Struct, frozen=True):
    """A provider whose API understands OpenAI chat completions.

    Attributes:
        base_url: Address that ``/chat/completions`` is appended to.
        key_variable: Environment variable that holds the API key.
    """

    base_url: str
    key_variable: str


PRESETS: dict[str, Endpoint] = {
    "openai": Endpoint("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "google": Endpoint("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    "anthropic": Endpoint("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "deepseek": Endpoint("https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    "openrouter": Endpoint("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
}
"""Provider -> endpoint."""


ENTRY_POINTS = "agentworld_env.models"
"""Entry-point group in which other packages offer endpoints: the provider's name -> an ``Endpoint``."""


def installed_endpoint(provider: str) -> Endpoint | None:
    """Returns the endpoint that an installed package offers under a name, or None.

    Raises:
        AgentWorldError: What it offers is no ``Endpoint``.
    """
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS, name=provider):
        found = load_entry_point(point, "model provider")
        if not isinstance(found, Endpoint):
            raise AgentWorldError(f"the entry point {point.value} for {provider!r} is no Endpoint")
        return found
    return None


class ModelSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One model at one endpoint. It never holds the API key, only where to look for it.

    Attributes:
        provider: Provider, or ``"local"``.
        name: The model's name, as the endpoint knows it.
        base_url: Address that ``/chat/completions`` is appended to.
        key_variable: Environment variable that holds the API key.
        key_required: Whether the endpoint refuses requests without a key.
    """

    provider: str
    name: str
    base_url: str
    key_variable: str
    key_required: bool = True

    @property
    def label(self) -> str:
        """Short name for tables: ``provider:model``."""
        return f"{self.provider}:{self.name}"

    @property
    def key(self) -> str:
        """The API key, looked up in the environment anew; empty if there is none."""
        return os.environ.get(self.key_variable, "").strip()


def parse_model(text: str) -> ModelSpec:
    """Reads a model's name.

    Args:
        text: ``"openai:gpt-5-mini"`` (any provider of ``PRESETS``) or ``"local:http://127.0.0.1:8080/v1#name"``.

    Raises:
        UnknownNameError: There is no such provider.
        AgentWorldError: The text has another shape.
    """
    provider, colon, name = text.partition(":")
    if not colon or not name.strip():
        raise AgentWorldError(f"a model is named provider:model or local:URL#model, not {_shown(text)!r}")
    if provider == "local":
        return _parse_local(name)
    endpoint = PRESETS.get(provider) or installed_endpoint(provider)
    if endpoint is None:
        raise UnknownNameError("model provider", provider, [*PRESETS, "local"])
    return ModelSpec(
        provider=provider, name=name.strip(), base_url=endpoint.base_url, key_variable=endpoint.key_variable
    )


def _parse_local(text: str) -> ModelSpec:
    url, _, name = text.partition("#")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, or an unclosed IPv6 bracket
        usable = False
    if not usable or not name.strip():
        raise AgentWorldError(
            "a local model is named local:URL#model, as in local:http://127.0.0.1:8080/v1#name"
        )
    if parts.username is not None or parts.password is not None or parts.query:
        # The address goes into records and error messages, so it must hold nothing secret.
        raise AgentWorldError(
            "the address of a local model must hold no user, password or query; "
            f"put its key into the environment variable {LOCAL_KEY_VARIABLE}"
        )
    return ModelSpec(
        provider="local",
        name=name.strip(),
        base_url=url.rstrip("/"),
        key_variable=LOCAL_KEY_VARIABLE,
        key_required=False,
    )


def _shown(text: str) -> str:
    # A key pasted in the place of a model's name should not be printed whole.
    return text if len(text) <= 24 else text[:12] + "..."
