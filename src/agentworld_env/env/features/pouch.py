"""What follows from the content of an agent's bag: worked out once, then remembered."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentworld_env.env.discrete.slots import BAG, MESSAGES, WANTED
from agentworld_env.env.features.brief import AgentBrief
from agentworld_env.env.features.layout import CRAFTS, Layout
from agentworld_env.env.features.pack import put, put_ids
from agentworld_env.env.legal import LISTERS
from agentworld_env.env.view import View
from agentworld_env.sim.crafting import unmet_needs

Content = tuple[tuple[str, int], ...]


class CraftRow(NamedTuple):
    """Something that the agent can make now, and the most times that one call can make it."""

    skill: str
    item: str
    most: int


class Pouch:
    """An agent's bag, and what can be done with it.

    Args:
        view: The agent's view.
        content: The items in the bag, in its order, with units.
        layout: Where fields lie.
        brief: What the agent knows all along.

    Attributes:
        content: The items in the bag, in its order, with units.
        held: Item -> units.
        crafts: What can be made.
        block: The fields ``Layout.of_bag``.
        gifts: The part of the mask for gifts to one team-mate in reach.
        makes: The part of the mask for crafts.
        messages: The part of the mask for messages, without calls for help with a creature.
        full: Whether it can take no further kind.
        wears: Rows of the bag that can be worn, with their slots.
        heals: Rows of the bag that restore hit points.
        refreshes: Rows of the bag that restore mana.
    """

    __slots__ = (
        "block", "content", "crafts", "full", "gifts", "heals", "held", "makes", "messages", "refreshes", "wears",
    )  # fmt: skip

    def __init__(self, view: View, content: Content, layout: Layout, brief: AgentBrief) -> None:
        items, agent = view._sim.world.items, view._agent
        self.content = content
        self.held = dict(content)
        self.crafts = _crafts(view)
        self.block = self._block(view, layout, brief)
        self.full = len(content) >= view._sim.rules.bag_kinds
        gifts, makes, messages = bytearray(2 * BAG), bytearray(2 * CRAFTS), bytearray(MESSAGES)
        for k, (_, units) in enumerate(content):
            gifts[2 * k], gifts[2 * k + 1] = 1, units > 1
        for k, row in enumerate(self.crafts):
            makes[2 * k], makes[2 * k + 1] = 1, row.most > 1
        have = 1 + WANTED
        for offset in (0, *range(1, 1 + len(brief.wanted)), *range(have, have + len(content)), have + BAG):
            messages[offset] = 1
        self.gifts, self.makes, self.messages = bytes(gifts), bytes(makes), bytes(messages)
        kinds = [items[item] for item, _ in content]
        self.wears = [
            (k, kind.slot)
            for k, kind in enumerate(kinds)
            if kind.slot is not None and not unmet_needs(view._sim, agent, kind.key)
        ]
        self.heals = [k for k, kind in enumerate(kinds) if kind.heal_hp]
        self.refreshes = [k for k, kind in enumerate(kinds) if kind.heal_mana]

    def _block(self, view: View, layout: Layout, brief: AgentBrief) -> bytes:
        ids, at, items = layout.ids.item, layout.at, view._sim.world.items
        block = bytearray(layout.size)
        rows: list[float] = []
        for item, units in self.content:
            kind, share = items[item], units / (units + 8)
            put(block, at["inventory"] + 4 * (ids[item] - 1), (share,))
            rows += (
                share, kind.slot is not None, kind.heal_hp > 0, kind.heal_mana > 0, kind.tool is not None,
            )  # fmt: skip
        put(block, at["bag"], rows)
        put_ids(block, at["bag_items"], [ids[item] for item, _ in self.content])
        put(block, at["crafts"], [row.most / 10 for row in self.crafts])
        put_ids(block, at["craft_items"], [ids[row.item] for row in self.crafts])
        rows = []
        for goal in brief.goals:
            have = self.held.get(goal.item, 0)
            rows += (goal.need / (goal.need + 8), goal.mine, min(have / goal.need, 1.0))
        put(block, at["goals"], rows)
        return bytes(block[layout.of_bag])


def _crafts(view: View) -> list[CraftRow]:
    rows: dict[str, CraftRow] = {}
    arguments: dict[str, Any]
    for arguments in LISTERS["craft_item"](view):
        item, skill, count = arguments["item"], arguments["skill"], arguments["count"]
        rows[item] = CraftRow(skill, item, count)
    return list(rows.values())[:CRAFTS]
