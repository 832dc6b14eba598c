"""The page of the rules' numbers, made from the code so that it cannot drift."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

from agentworld_env.sim import rules
from agentworld_env.sim.rules import RULES, Rules
from agentworld_env.tools import TOOLS

_INTRO = """# Rules

Made from the code by `python -m agentworld_env.report.rules_page`; a test compares. Distances are Manhattan tiles,
chances thousandths, and one round is ten seconds of the published engine's time. Every number says whether it is
published or our own choice.
"""


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
    lines += ["", "## Formulas", "", "| figure | meaning and source |", "| --- | --- |"]
    for name in ("max_hp", "max_mana", "max_strike", "mob_max_strike", "combat_level"):
        text = " ".join((inspect.getdoc(getattr(rules, name)) or "").split("\n\n")[0].split())
        lines.append(f"| `{name}` | {text.removeprefix('Returns ')} |")
    return "\n".join(lines) + "\n"


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
