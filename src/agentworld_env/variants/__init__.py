"""Variants: fresh certified tasks, made from others by typed mutations.

``resolve`` names them; everything else loads when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentworld_env.variants.names import resolve

if TYPE_CHECKING:
    from agentworld_env.variants.digests import demand, fingerprint
    from agentworld_env.variants.generator import Search, Variant, find_variant, make_variant
    from agentworld_env.variants.many import make_variants
    from agentworld_env.variants.splits import SPLITS

__all__ = [
    "SPLITS",
    "Search",
    "Variant",
    "demand",
    "find_variant",
    "fingerprint",
    "make_variant",
    "make_variants",
    "resolve",
]

_HOMES = {
    "SPLITS": "splits",
    "Search": "generator",
    "Variant": "generator",
    "demand": "digests",
    "find_variant": "generator",
    "fingerprint": "digests",
    "make_variant": "generator",
    "make_variants": "many",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
