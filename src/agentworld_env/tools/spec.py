"""The thirteen tools as data: names, descriptions, arguments, and the rule each one runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from agentworld_env.sim import combat, crafting, gathering, movement, talking, trading
from agentworld_env.sim.events import Result
from agentworld_env.world.catalogue import PRODUCTION_SKILLS
from agentworld_env.world.geometry import HEIGHT, WIDTH

MAX_TEXT = 4_000
"""Longest text argument that is read (characters); what is kept of a message is ``Rules.message_limit``."""

MAX_NAME = 80
"""Longest name of a thing that is read (characters)."""


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of a tool.

    Attributes:
        name: Its name.
        type: ``integer`` or ``string``.
        about: One sentence for policies.
        choices: The only allowed values, or empty.
        least: Least integer.
        most: Greatest integer.
        default: Value when it is left out, or None if it is required.
        sort: What a string names: ``target``, ``item``, ``receiver``, ``skill`` or ``text``; empty for
            integers.
    """

    name: str
    type: Literal["integer", "string"]
    about: str
    choices: tuple[Any, ...] = ()
    least: int = 0
    most: int = 1_000_000
    default: Any = None
    sort: str = ""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool.

    Attributes:
        name: Its name.
        about: What it does, for policies.
        parameters: Its arguments, in the order in which ``run`` takes them.
        run: The rule: ``run(simulation, agent_index, *arguments) -> Result``.
        names: Names of the arguments, in the same order; set by itself.
    """

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    run: Callable[..., Result]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "names", tuple(parameter.name for parameter in self.parameters))


def _text(name: str, about: str, sort: str = "text", default: str | None = None) -> Parameter:
    return Parameter(name=name, type="string", about=about, sort=sort, default=default)


_ALL = (
    Tool(
        name="move_character",
        about="Walk towards a tile, at most 120 tiles of path. The walk ends early where the way is blocked "
        "or where a hostile creature notices you; the result says where you are.",
        parameters=(
            Parameter(name="x", type="integer", about="Column of the tile.", most=WIDTH - 1),
            Parameter(
                name="y", type="integer", about="Row of the tile; greater is further south.", most=HEIGHT - 1
            ),
        ),
        run=movement.move,
    ),
    Tool(
        name="enter_portal",
        about="Go through the portal within 2 tiles of you.",
        parameters=(),
        run=movement.enter_portal,
    ),
    Tool(
        name="harvest_resource",
        about="Walk to a tree, rock, fishing spot or plant in sight and take one unit of what it gives. It "
        "needs the skill level and the worn tool of its kind, and is depleted for some rounds afterwards.",
        parameters=(_text("target", "Id of the resource node, such as oak-0123.", "target"),),
        run=gathering.harvest,
    ),
    Tool(
        name="attack_entity",
        about="Walk into reach of a creature and fight it for up to ten exchanges of blows; loot is "
        "collected when it falls. A fight can go on in your next turn, and team-mates can join it.",
        parameters=(_text("target", "Id of the creature.", "target"),),
        run=combat.attack,
    ),
    Tool(
        name="pickup_item",
        about="Pick up something that lies on the ground within 2 tiles.",
        parameters=(_text("target", "Id of the thing on the ground.", "target"),),
        run=combat.pickup,
    ),
    Tool(
        name="craft_item",
        about="Make an item by its recipe, 1, 5 or 10 times at once, from materials in your bag.",
        parameters=(
            Parameter(
                name="skill",
                type="string",
                about="Production skill of the recipe.",
                choices=PRODUCTION_SKILLS,
                sort="skill",
            ),
            _text("item", "Key of the item to make.", "item"),
            Parameter(
                name="count",
                type="integer",
                about="How many times to make the recipe.",
                choices=crafting.CRAFT_COUNTS,
                default=1,
            ),
        ),
        run=crafting.craft,
    ),
    Tool(
        name="equip_item",
        about="Put on a weapon, tool or piece of clothing from your bag, swapping what you wear there. On an "
        "item you wear, take it off into your bag.",
        parameters=(_text("item", "Key of the item.", "item"),),
        run=crafting.equip,
    ),
    Tool(
        name="use_item",
        about="Eat or drink one unit of an item in your bag to restore hit points or mana.",
        parameters=(_text("item", "Key of the item.", "item"),),
        run=crafting.use,
    ),
    Tool(
        name="transfer_items",
        about="Hand items from your bag to a team-mate, person or site within 8 tiles: the whole count or "
        "nothing. A merchant gives in return what exactly that count pays for.",
        parameters=(
            _text("to", "Id of the receiver.", "receiver"),
            _text("item", "Key of the item.", "item"),
            Parameter(name="count", type="integer", about="Units to hand over.", least=1, default=1),
        ),
        run=trading.transfer,
    ),
    Tool(
        name="chat",
        about="Send a message to the whole team, at any distance.",
        parameters=(_text("message", "At most 500 characters."),),
        run=talking.chat,
    ),
    Tool(
        name="send_chat_message",
        about="Say something aloud: everybody of the team within 16 tiles hears it.",
        parameters=(_text("message", "At most 500 characters."),),
        run=talking.speak,
    ),
    Tool(
        name="sleep",
        about="Wait for some rounds and regenerate. Damage or a message wakes you.",
        parameters=(
            Parameter(
                name="rounds", type="integer", about="Rounds to wait, 1 to 5.", least=1, most=5, default=1
            ),
        ),
        run=talking.sleep,
    ),
    Tool(
        name="complete",
        about="Declare your part done and leave the episode for good. You cannot act afterwards.",
        parameters=(_text("response", "A closing remark."),),
        run=talking.complete,
    ),
)

TOOLS: dict[str, Tool] = {tool.name: tool for tool in _ALL}
"""Tool name -> tool, in a fixed order."""
