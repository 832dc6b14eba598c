"""What a field of a task file must be, in words, by the type of what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WORDS = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "greater_than_equal": "at least {ge}",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number of fewer digits",
    "int_type": "a whole number",
    "invalid_key": "names of fields that are text",
    "less_than_equal": "at most {le}",
    "model_attributes_type": "a mapping of fields",
    "model_type": "a mapping of fields",
    "string_pattern_mismatch": "text that matches '{pattern}'",
    "string_too_long": "text of at most {max_length} characters",
    "string_too_short": "text that is not empty",
    "string_type": "text",
    "string_unicode": "text",
    "too_long": "at most {max_length} entries",
    "too_short": "at least {min_length} of them",
    "tuple_type": "a list",
}
"""Type of an error -> what was expected, with the error's own figures."""


def in_words(detail: Mapping[str, Any]) -> str:
    """Returns what was expected where a value is of another kind or size than its field takes.

    Args:
        detail: One of pydantic's errors.
    """
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])  # one of the schema's own sentences
    words = WORDS.get(kind)
    return str(detail["msg"]) if words is None else words.format(**context)
