"""Reads lists of typed entries from YAML and CSV files, and says in one line what is wrong with one."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from agentworld_env.errors import AgentWorldError, nearest

T = TypeVar("T", bound=msgspec.Struct)


class ContentError(AgentWorldError):
    """A content file that cannot be used: names file, line, entry and field, and what was expected there."""


def read_yaml(path: Path, kind: type[T], also: frozenset[str] = frozenset()) -> tuple[T, ...]:
    """Reads a YAML list of entries.

    Args:
        path: The file.
        kind: What each entry is.
        also: Fields that an entry may have besides, for people only.

    Raises:
        ContentError: The file is no list, or an entry does not fit.
    """
    loader = yaml.SafeLoader(_text(path))
    try:
        root = loader.get_single_node()
        if not isinstance(root, yaml.SequenceNode):
            raise ContentError(f"{path.name}: expected a list of entries")
        entries = []
        for node in root.value:
            where = f"{path.name}, line {node.start_mark.line + 1}"
            if not isinstance(node, yaml.MappingNode):
                raise ContentError(f"{where}: expected an entry of the form {{field: value}}")
            names = [str(key.value) for key, _ in node.value]
            for name in names:
                if names.count(name) > 1:
                    raise ContentError(f"{where}, field {name!r}: given twice")
            raw = {str(k): v for k, v in loader.construct_mapping(node, deep=True).items()}
            entries.append(_entry(raw, kind, where, also))
    except yaml.YAMLError as error:
        raise ContentError(f"{path.name}: {' '.join(str(error).split())}") from error
    finally:
        loader.dispose()
    return tuple(entries)


def read_csv(path: Path, kind: type[T]) -> tuple[T, ...]:
    """Reads a CSV table whose first line names the fields.

    Args:
        path: The file.
        kind: What each row is.

    Raises:
        ContentError: The columns or a row do not fit.
    """
    reader = csv.reader(io.StringIO(_text(path)))
    expected = [field.name for field in msgspec.structs.fields(kind)]
    header = next(reader, [])
    if header != expected:
        raise ContentError(f"{path.name}, line 1: expected the columns {','.join(expected)}")
    rows = []
    for row in reader:
        where = f"{path.name}, line {reader.line_num}"
        if len(row) != len(expected):
            raise ContentError(f"{where}: expected {len(expected)} values, got {len(row)}")
        rows.append(_entry(dict(zip(expected, row, strict=True)), kind, where, frozenset(), text=True))
    return tuple(rows)


def known(file: str, entry: str, field: str, value: str, valid: set[str]) -> None:
    """Raises a ContentError unless a value is among the valid ones.

    Args:
        file: Name of the content file.
        entry: Key or id of the entry.
        field: The field that holds the value.
        value: The value.
        valid: Every value that would do.
    """
    if value not in valid:
        hint = " or ".join(nearest(value, valid)) or f"one of {len(valid)} known keys"
        raise ContentError(f"{file}, entry {entry!r}, field {field!r}: unknown {value!r}; expected {hint}")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ContentError(f"{path.name}: no such content file in {path.parent}") from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise ContentError(f"{path.name}:{line}: expected text in UTF-8") from error


def _entry(
    raw: Mapping[str, Any], kind: type[T], where: str, also: frozenset[str], *, text: bool = False
) -> T:
    name = next((str(raw[f]) for f in ("id", "key", "kind", "item") if f in raw), "")
    where += f", entry {name!r}" if name else ""
    names = [field.name for field in msgspec.structs.fields(kind)]
    for given in raw:
        if given not in names and given not in also:
            raise ContentError(f"{where}, field {given!r}: unknown; expected one of {', '.join(names)}")
    values = {given: value for given, value in raw.items() if given not in also}
    for field in msgspec.structs.fields(kind):
        if field.name not in values:
            if field.required:
                raise ContentError(f"{where}, field {field.name!r}: missing")
            continue
        try:
            values[field.name] = msgspec.convert(values[field.name], field.type, strict=not text)
        except msgspec.ValidationError as error:
            raise ContentError(f"{where}, field {field.name!r}: {error}") from error
    return kind(**values)
