"""Reading YAML that people write: plain data plus the line of every field."""

from __future__ import annotations

from typing import Any

import yaml

from agentworld_env.errors import TaskFileError, quoted

Path = tuple[str | int, ...]
"""Where a value stands: mapping keys and list positions from the top."""

MAX_BYTES = 256 * 1024
"""Largest task file (bytes)."""

MAX_DEPTH = 12
"""Deepest nesting of lists and mappings."""

_LONGEST = 60
"""Most characters of a key or value in a message."""

# The C parser is some ten times faster where PyYAML was built with it; both give the same nodes.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SCALARS = {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null")}
_NUMBERS = frozenset({"max_rounds", "number", "count", "within", "rounds", "round", "appears", "seeks"})
_SWITCHES = frozenset({"growth"})


class Document:
    """A YAML document as plain data.

    Args:
        data: The file's bytes.
        name: What to call the file in messages.

    Attributes:
        name: What to call the file in messages.
        content: The document.
        lines: Path of each value -> line, counted from 1. A mapping's value stands at the line of its key.

    Raises:
        TaskFileError: It is too large, no YAML, or has what no task file needs: aliases, tags, repeated keys.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self.lines: dict[Path, int] = {(): 1}
        if len(data) > MAX_BYTES:
            raise self.error(1, (), f"at most {MAX_BYTES} bytes, got {len(data)}")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.error(1 + data[: error.start].count(b"\n"), (), "text in UTF-8") from error
        try:
            self._scan(text)
            node = yaml.compose(text, Loader=_LOADER)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark else 1
            raise self.error(line, (), f"valid YAML ({error.problem or error.context})") from error
        except yaml.YAMLError as error:
            raise self.error(1, (), f"valid YAML ({str(error).splitlines()[0]})") from error
        if node is None:
            raise self.error(1, (), "a mapping of task fields, got an empty file")
        self.content: Any = self._plain(node, ())

    def error(self, line: int, path: Path, expected: str) -> TaskFileError:
        """Returns the one-line error for a place in the file.

        Args:
            line: Line, counted from 1.
            path: Field.
            expected: What was expected there, and the nearest valid choice.
        """
        where = f"{self.name}:{line}: " + (f"{field(path)}: " if path else "")
        return TaskFileError(" ".join(f"{where}expected {expected}".split()))

    def error_at(self, path: Path, expected: str) -> TaskFileError:
        """Returns the one-line error for a field, at the line of the deepest part of it that the file has."""
        return self.error(self.line(path), path, expected)

    def line(self, path: Path) -> int:
        """Returns the line of a field, or of the deepest part of its path that the file has."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]

    def _scan(self, text: str) -> None:
        depth = 0
        for event in yaml.parse(text, Loader=_LOADER):
            line = event.start_mark.line + 1 if event.start_mark else 1
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise self.error(line, (), "no anchors and aliases: write the value out")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    raise self.error(line, (), f"at most {MAX_DEPTH} levels of nesting")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1

    def _plain(self, node: yaml.Node, path: Path) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(part, (*path, i)) for i, part in enumerate(node.value)]
        if node.tag not in _SCALARS:
            raise self.error(line, path, f"text, a number or a list, got {str(node.value)[:40]!r}; quote it")
        try:
            value = yaml.constructor.SafeConstructor().construct_object(node)
        except ValueError as error:
            raise self.error(line, path, f"a number, got {str(node.value)[:40]!r}") from error
        if isinstance(value, bool) and path[-1:] and path[-1] not in _SWITCHES:
            if path[-1] in _NUMBERS:
                raise self.error(line, path, f"a whole number, got {quoted(node.value)}")
            raise self.error(
                line, path, f"text or a number, got {quoted(node.value)}; quote it if it is text"
            )
        if isinstance(value, str):
            self._printable(value, line, path)
        return value

    def _printable(self, text: str, line: int, path: Path) -> None:
        """Refuses what a terminal or a reader would take for more than text; escapes bring it past the parser."""
        for character in text:
            if not (character.isprintable() or character == "\n"):
                raise self.error(line, path, f"nothing but printable text and line breaks, got {character!r}")

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        content: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.error(line, path, "a plain name as key")
            key = str(key_node.value)
            self._printable(key, line, path)
            if key in content:
                raise self.error(line, (*path, key), f"each key once, got {brief(repr(key))} a second time")
            self.lines[(*path, key)] = line
            content[key] = self._plain(value_node, (*path, key))
        return content


def field(path: Path) -> str:
    """Returns a path as people write it, such as ``"checkpoints[2].item"``."""
    text = ""
    for part in path:
        name = brief(str(part))
        text += f"[{part}]" if isinstance(part, int) else f".{name}" if text else name
    return text


def brief(text: str) -> str:
    """Returns a text as it stands in a message: what is long is cut."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
