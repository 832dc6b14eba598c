from __future__ import annotations

import json

from agentworld_env.env.spaces import ToolCallSpace
from agentworld_env.sim.rules import RULES
from agentworld_env.tools import TOOLS, arguments_schema, call_schema, openai_tools
from agentworld_env.tools.spec import MAX_TEXT
from agentworld_env.world.geometry import HEIGHT, WIDTH


def test_there_are_the_thirteen_tools_of_the_design() -> None:
    assert list(TOOLS) == [
        "move_character",
        "enter_portal",
        "harvest_resource",
        "attack_entity",
        "pickup_item",
        "craft_item",
        "equip_item",
        "use_item",
        "transfer_items",
        "chat",
        "send_chat_message",
        "sleep",
        "complete",
    ]


def test_descriptions_state_the_numbers_of_the_rules() -> None:
    assert f"{RULES.path_limit} tiles" in TOOLS["move_character"].about
    assert f"{RULES.transfer_reach} tiles" in TOOLS["transfer_items"].about
    assert f"{RULES.speech_reach} tiles" in TOOLS["send_chat_message"].about
    assert f"{RULES.pickup_reach} tiles" in TOOLS["pickup_item"].about
    assert f"{RULES.portal_reach} tiles" in TOOLS["enter_portal"].about
    assert RULES.exchanges == 10
    assert "ten exchanges" in TOOLS["attack_entity"].about
    assert TOOLS["sleep"].parameters[0].most == RULES.sleep_limit
    assert f"{RULES.message_limit} characters" in TOOLS["chat"].parameters[0].about
    assert RULES.message_limit <= MAX_TEXT


def test_the_equip_tool_says_how_to_take_something_off() -> None:
    assert "take it off" in TOOLS["equip_item"].about


def test_schemas_bound_numbers_name_choices_and_allow_nothing_else() -> None:
    move = arguments_schema(TOOLS["move_character"])
    assert move["properties"]["x"]["maximum"] == WIDTH - 1
    assert move["properties"]["y"]["maximum"] == HEIGHT - 1
    assert move["required"] == ["x", "y"]
    assert move["additionalProperties"] is False
    craft = arguments_schema(TOOLS["craft_item"])
    assert craft["properties"]["count"]["enum"] == [1, 5, 10]
    assert craft["required"] == ["skill", "item"]


def test_the_openai_form_wraps_every_tool_and_is_plain_json() -> None:
    tools = openai_tools()
    assert [tool["function"]["name"] for tool in tools] == list(TOOLS)
    assert json.loads(json.dumps(tools)) == tools
    assert len(call_schema()["oneOf"]) == 13


def test_a_space_of_actions_exports_the_schema_of_its_own_tools() -> None:
    space = ToolCallSpace({name: TOOLS[name] for name in ("sleep", "move_character")})
    named = [one["properties"]["tool"]["const"] for one in space.json_schema()["oneOf"]]
    assert named == ["sleep", "move_character"]
