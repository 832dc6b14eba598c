from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentworld_env.env.spaces import ToolCallSpace
from agentworld_env.sim.events import Result
from agentworld_env.sim.rules import RULES
from agentworld_env.tools import TOOLS, arguments_schema, call_schema, is_well_typed, openai_tools, parse
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


def satisfies(schema: dict[str, Any], value: Any) -> bool:
    """Returns whether a JSON value satisfies a schema, by the words of the standard that the package's schemas use."""
    assert set(schema) <= {
        "$schema", "oneOf", "type", "properties", "required", "additionalProperties", "const", "enum", "minimum",
        "maximum", "description", "default",
    }, schema.keys()  # fmt: skip
    number = isinstance(value, int | float) and not isinstance(value, bool)
    kinds = {
        "object": isinstance(value, dict),
        "string": isinstance(value, str),
        "integer": number and value == value // 1,
    }
    same = [
        value == one and isinstance(value, bool) == isinstance(one, bool) for one in schema.get("enum", ())
    ]
    return all(
        (
            kinds[schema["type"]] if "type" in schema else True,
            value == schema["const"] if "const" in schema else True,
            any(same) if "enum" in schema else True,
            not number or schema.get("minimum", value) <= value <= schema.get("maximum", value),
            sum(satisfies(one, value) for one in schema["oneOf"]) == 1 if "oneOf" in schema else True,
            not isinstance(value, dict)
            or (
                set(schema.get("required", ())) <= set(value)
                and (
                    schema.get("additionalProperties", True)
                    or set(value) <= set(schema.get("properties", {}))
                )
                and all(
                    satisfies(schema["properties"][k], v)
                    for k, v in value.items()
                    if k in schema.get("properties", {})
                )
            ),
        )
    )


_NAMES = sorted({p.name for tool in TOOLS.values() for p in tool.parameters})
_WORDS = sorted(
    {c for tool in TOOLS.values() for p in tool.parameters for c in p.choices if isinstance(c, str)}
)
_VALUES = (
    st.integers(-3, 12)
    | st.sampled_from([1.0, 2.5, 1055, 1056, 10**7, 1e300, True, False, None, "5", " smithing", "Smithing"])
    | st.sampled_from(_WORDS)
    | st.text(max_size=5)
    | st.just([])
    | st.just({})
)
_NEARLY = st.sampled_from(sorted(TOOLS)).flatmap(
    lambda name: st.fixed_dictionaries(
        {"tool": st.just(name)},
        optional={
            "arguments": st.fixed_dictionaries(
                {}, optional={p.name: _VALUES for p in TOOLS[name].parameters} | {"more": _VALUES}
            )
            | st.sampled_from([None, {}, "x"])
        },
    )
)
_ANYTHING = _NEARLY | st.dictionaries(
    st.sampled_from(["tool", "arguments", "x"]), _VALUES | st.dictionaries(st.sampled_from(_NAMES), _VALUES)
)


@given(call=_ANYTHING)
def test_a_call_is_well_typed_if_and_only_if_it_satisfies_the_schema(call: dict[str, Any]) -> None:
    assert is_well_typed(call) == satisfies(call_schema(), call)


@given(call=_NEARLY)
def test_whatever_is_well_typed_can_be_read(call: dict[str, Any]) -> None:
    if is_well_typed(call):
        assert not isinstance(parse(call, TOOLS), Result)


def test_what_is_read_kindly_is_not_well_typed_for_that() -> None:
    sleep, craft = (
        {"tool": "sleep"},
        {"tool": "craft_item", "arguments": {"skill": "smithing", "item": "axe"}},
    )
    assert is_well_typed(sleep)
    assert is_well_typed(craft)
    for call in (
        {"tool": "sleep", "arguments": {"rounds": "5"}},
        {"tool": "craft_item", "arguments": {"skill": "Smithing", "item": "axe"}},
    ):
        assert not isinstance(parse(call, TOOLS), Result)
        assert not is_well_typed(call)
    assert not is_well_typed({"tool": "craft_item"})
