"""Providers and policies that other packages offer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.evaluate.running import NAP, THREE, play
from tests.policies.loopback import Loopback


def test_other_packages_can_offer_providers_and_policies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentworld_env.errors import UnknownNameError
    from agentworld_env.models import Endpoint
    from agentworld_env.policies.idle import IdlePolicy

    class Bare:
        name = "bare"

        def act(self, turn: Any) -> dict[str, Any]:
            return {"tool": "sleep", "arguments": {"rounds": 5}}

    class Point:
        value = "somewhere:thing"

        def __init__(self, thing: Any) -> None:
            self.thing = thing

        def load(self) -> Any:
            return self.thing

    with Loopback(NAP) as server:
        offered = {
            ("agentworld_env.models", "acme"): Endpoint(server.url, "ACME_KEY"),
            ("agentworld_env.policies", "lazy"): lambda rest: IdlePolicy(),
            ("agentworld_env.policies", "bare"): lambda rest: Bare(),
        }

        def entry_points(group: str, name: str) -> list[Point]:
            return [Point(offered[group, name])] if (group, name) in offered else []

        monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
        monkeypatch.setattr("agentworld_env.evaluate.named.entry_points", entry_points)
        monkeypatch.setenv("ACME_KEY", "x")
        assert play("acme:large", tmp_path / "model", THREE[:1]).done == 1
        assert play("lazy:very", tmp_path / "policy", THREE[:1]).done == 1
        assert play("bare:very", tmp_path / "bare", THREE[:1]).done == 1
        with pytest.raises(UnknownNameError):
            play("busy:very", tmp_path / "none", THREE[:1])
