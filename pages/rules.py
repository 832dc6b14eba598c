"""The page of the rules' numbers and formulas, made from the code so that it cannot drift."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from agentworld_env.sim import combat, growth, movement, rules, worldturn
from agentworld_env.sim.crafting import CRAFT_COUNTS
from agentworld_env.sim.rules import RULES, Rules
from agentworld_env.tools import TOOLS

_INTRO = """# Rules

Made from the code by `python -m pages.rules`; a test compares. Distances are Manhattan tiles,
chances thousandths unless said otherwise. Every number and formula says whether it is published or our own choice and
why. What single kinds of things have (the level of a node, the hit points of a mob) stands in the content;
`agentworld-env world list` shows it.

One round is ten seconds of the published engine's time. A published time in seconds becomes rounds by dividing by ten
and rounding up, and is at least one round (own choice: an agent has one turn in that time, and nothing comes back
sooner than published).
"""

FORMULAS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("Most hit points", rules.max_hp),
    ("Most mana", rules.max_mana),
    ("An agent's greatest damage", rules.max_strike),
    ("A mob's greatest damage", rules.mob_max_strike),
    ("Combat level", rules.combat_level),
    ("Experience of a level", growth.experience_for),
    ("Level by experience", growth.grown),
    ("Style of fighting", combat.fighting_style),
    ("Chance to hit", combat.hit_chance),
    ("Defence rating", combat.armour_of),
    ("A fight of one call", combat.exchange),
    ("Drops", combat.drops_of),
    ("Being noticed", movement.notices),
    ("A mob's turn, and bosses", worldturn.mob_turn),
    ("Creatures of waves", worldturn.seek),
    ("Regeneration", worldturn.regenerate),
)
"""Heading -> the function that holds the rule, and whose docstring says it."""


def rules_page() -> str:
    """Returns the page in Markdown."""
    lines = [_INTRO, "## Tools", "", "| tool | arguments | rule |", "| --- | --- | --- |"]
    for tool in TOOLS.values():
        arguments = ", ".join(parameter.name for parameter in tool.parameters) or "none"
        lines.append(f"| `{tool.name}` | {arguments} | {tool.about} |")
    lines += ["", "## Numbers", "", "| rule | value | meaning and source |", "| --- | --- | --- |"]
    meanings = _attributes(inspect.getdoc(Rules) or "")
    for field in fields(Rules):
        lines.append(f"| `{field.name}` | {getattr(RULES, field.name)} | {meanings[field.name]} |")
    counts = ", ".join(map(str, CRAFT_COUNTS))
    lines.append(f"| `CRAFT_COUNTS` | {counts} | So many times a recipe is made in one call. Published. |")
    lines += ["", "## Formulas"]
    for heading, function in FORMULAS:
        lines += ["", textwrap.fill(f"**{heading}.** {_said(function)}", 118, break_on_hyphens=False)]
    lines += ["", *_examples()]
    return "\n".join(lines) + "\n"


def _said(function: Callable[..., Any]) -> str:
    """Returns the prose of a docstring as one paragraph of Markdown."""
    prose = re.split(r"\n\n(?:Args|Returns|Raises):", inspect.getdoc(function) or "")[0]
    text = " ".join(prose.replace("``", "`").split())
    text = text.removeprefix("Returns ")
    return text[:1].upper() + text[1:]


def _examples() -> list[str]:
    """Returns tables of figures that follow from the formulas, worked out by the code itself."""
    ratings = (-60, -50, -25, 0, 25, 40, 50)
    chances = [RULES.hit_base + RULES.hit_slope * rating for rating in ratings]
    kept = [min(max(chance, RULES.hit_floor), RULES.hit_ceiling) for chance in chances]
    levels = (1, 10, 25, 50, 99)
    return [
        "| attack rating less defence rating | " + " | ".join(map(str, ratings)) + " |",
        "| --- |" + " --- |" * len(ratings),
        "| chance to hit (%) | " + " | ".join(f"{chance / 10:g}" for chance in kept) + " |",
        "",
        "| level | " + " | ".join(map(str, levels)) + " |",
        "| --- |" + " --- |" * len(levels),
        "| most hit points | " + " | ".join(str(rules.max_hp(level)) for level in levels) + " |",
        "| most mana | " + " | ".join(str(rules.max_mana(level)) for level in levels) + " |",
        "| experience at which it begins | "
        + " | ".join(str(growth.experience_for(level)) for level in levels)
        + " |",
    ]


def _attributes(doc: str) -> dict[str, str]:
    """Returns attribute -> text of the ``Attributes`` section of a Google-style docstring."""
    section = doc.split("Attributes:", 1)[1]
    entries = re.split(r"\n    (?=\w+: )", section)
    found = {}
    for entry in entries[1:]:
        name, text = entry.split(":", 1)
        found[name.strip()] = " ".join(text.split())
    return found


def main() -> None:
    """Writes ``docs/rules.md`` in the working directory."""
    from pathlib import Path

    Path("docs/rules.md").write_text(rules_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
