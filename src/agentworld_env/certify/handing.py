"""Hand-overs and changes of tools that no team can do without."""

from __future__ import annotations

from collections.abc import Callable

from agentworld_env.certify.critical import NEVER, Critical
from agentworld_env.certify.turns import Need, Window
from agentworld_env.certify.units import Units
from agentworld_env.tasks.schema import Built, Delivered, Held, Worn

Tail = Callable[[str, int], int]
"""Rounds that must pass after an agent has handed over an item that others make something of."""

_INPUT = ""
"""Stands for whoever makes something of an item and has none itself."""


def hand_overs(units: Units, critical: Critical, tail: Tail) -> list[Need]:
    """Returns one turn per kind and receiver: deliveries, sites, and inputs that no crafter can provide itself.

    The first unit of a kind is handed over by one of those who make it or have it at the start; others may pass it on.

    Args:
        units: Units that the task takes.
        critical: Earliest times.
        tail: What must follow the hand-over of an input.
    """
    if not critical.sources.lives:
        return []
    needs = []
    for item, receivers in sorted(_receivers(units, critical).items()):
        anybody: dict[int, Window] = {}
        for i in critical.sources.team:
            had = critical.holds.get((item, i), NEVER)
            if had < NEVER and {critical.sources.sim.names[i]} != set(receivers):
                anybody[i] = ((_head(critical, i, had), 0),)
        first = min(
            (_givers(critical, item, to, made=made) for to, made in sorted(receivers.items())), key=len
        )
        after = tail if set(receivers) == {_INPUT} else lambda _item, _agent: 0
        windows: dict[int, Window] = {i: ((head, after(item, i)),) for i, head in first.items()}
        needs.append(Need(f"hand over {item}", 1, windows))
        needs.append(Need(f"hand over {item} to others", len(receivers) - 1, anybody))
    return needs


def _head(critical: Critical, agent: int, had: int) -> int:
    """Returns the turns that pass before an agent can hand over what it has since a slot."""
    return critical.round_of(critical.after(agent, had)) - 1


def _givers(critical: Critical, item: str, to: str, *, made: bool) -> dict[int, int]:
    """Returns who can be the first to hand over an item, with the turns that pass before."""
    sources = critical.sources
    found = {}
    for i in sources.team:
        if sources.sim.names[i] == to:
            continue
        slot = 0 if not made and sources.stock(item, i) else critical.makes.get((item, i), NEVER)
        if slot < NEVER:
            found[i] = _head(critical, i, slot)
    return found


def _receivers(units: Units, critical: Critical) -> dict[str, dict[str, bool]]:
    """Returns item -> receiver -> whether only units made in the episode will do."""
    found: dict[str, dict[str, bool]] = {}
    sim, sources = critical.sources.sim, critical.sources
    for point in sources.parts:
        if isinstance(point, Delivered):
            receivers = found.setdefault(point.item, {})
            receivers[point.to] = receivers.get(point.to, False) or point.origin == "made"
        elif isinstance(point, Built):
            for item in sim.people[point.site].wants:
                found.setdefault(item, {}).setdefault(point.site, False)
        elif isinstance(point, Held | Worn) and point.by is not None:
            holder = sim.index[point.by]
            count = point.count if isinstance(point, Held) else 1
            if (point.item, holder) not in critical.makes and sources.stock(point.item, holder) < count:
                found.setdefault(point.item, {}).setdefault(point.by, False)
    for item, amounts in units.amounts.items():
        able = {c for recipe in units.users(item) for c in sources.crafters(recipe.item)}
        own = any((item, c) in critical.makes or sources.stock(item, c) for c in able)
        if able and amounts.used + sources.stock(item) > 0 and not own and item not in found:
            found[item] = {_INPUT: False}
    return found


def tool_changes(harvests: list[Need], critical: Critical) -> list[Need]:
    """Returns one turn for each tool that nobody able wears at the start."""
    found: dict[str, Need] = {}
    for need in harvests:
        tool = need.tool
        if tool is None or tool in found:
            continue
        if all(critical.sources.tool_turns(i, tool) for i in need.windows):
            windows: dict[int, Window] = {}
            for i, window in need.windows.items():
                soonest = critical.equipped(i, tool)
                if soonest < NEVER:
                    windows[i] = ((soonest - 1, min((last for _, last in window), default=0) + 1),)
            found[tool] = Need(f"put on {tool}", 1, windows, tool=tool)
    return list(found.values())


def tool_turns(needs: list[Need], tool: str, critical: Critical, rounds: int) -> int:
    """Returns how many turns in which a tool must be worn there can be in so many rounds.

    Nobody can hand on a tool in the turn in which it has used it, so that each serves once a round at most.

    Args:
        needs: Turns needed.
        tool: Kind of tool.
        critical: Earliest times.
        rounds: Rounds of the episode.
    """
    sources = critical.sources
    keys = [key for key, item in sources.world.items.items() if item.tool == tool]
    windows = [window for need in needs if need.tool == tool for window in need.windows.values() if window]
    if not windows:
        return 0
    first = min(head for window in windows for head, _ in window)
    last = rounds - min(tail for window in windows for _, tail in window)
    able = {i for need in needs if need.tool == tool for i in need.windows}
    there = min(sum(sources.stock(key) for key in keys), len(able))
    new = min((slot for (item, _), slot in critical.makes.items() if item in keys), default=NEVER)
    since = NEVER if new >= NEVER else critical.round_of(new) + 1
    return there * max(0, last - first) + (len(able) - there) * max(0, last - since)
