"""Loading task files that people write; every mistake is one line: where it is and what was expected."""

from __future__ import annotations

import pathlib
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError

from agentworld_env.errors import TaskFileError, hint, nearest
from agentworld_env.tasks import schema
from agentworld_env.tasks.check import check_spec
from agentworld_env.tasks.reading import MAX_BYTES, Document, Path, brief
from agentworld_env.tasks.registry import list_tasks
from agentworld_env.tasks.task import Task
from agentworld_env.tasks.wording import in_words

_UNIONS: dict[str, dict[str, type[BaseModel]]] = {
    part: {
        get_args(model.model_fields["kind"].annotation)[0]: model for model in get_args(get_args(union)[0])
    }
    for part, union in (("checkpoints", schema.Checkpoint), ("constraints", schema.Constraint))
}

_PARTS: dict[str, type[BaseModel]] = {"team": schema.Role, "sites": schema.Site, "changes": schema.Change}


def load_task(path: str | pathlib.Path, *, allow_python: bool = False) -> Task:
    """Reads and checks a task file.

    Args:
        path: The YAML file.
        allow_python: Whether checkpoints of kind ``python`` may be used. They run code of installed modules.

    Raises:
        TaskFileError: The file cannot be read or says something wrong; the message is one line with file,
            line, field, what was expected and the nearest valid choice.
    """
    if not str(path):
        raise TaskFileError("expected the path of a task file, got an empty one")
    name, path = str(path), pathlib.Path(path)
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise TaskFileError(f"{path}: expected a regular file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        is_id = name in {info.id for info in list_tasks()}
        also = (
            f"; to use the package's task of that id, call agentworld_env.tasks.get_task({name!r}) or make({name!r})"
            if is_id
            else ""
        )
        raise TaskFileError(f"{path}: expected a readable task file ({error.strerror}){also}") from error
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = getattr(error, "strerror", None) or error
        raise TaskFileError(f"{path}: expected a readable task file ({reason})") from error
    return load_text(data, str(path), allow_python=allow_python)


def load_text(data: bytes, name: str, *, allow_python: bool = False) -> Task:
    """Reads and checks the bytes of a task file.

    Args:
        data: The YAML document.
        name: What to call the file in messages.
        allow_python: Whether checkpoints of kind ``python`` may be used.

    Raises:
        TaskFileError: As for ``load_task``.
    """
    document = Document(data, name)
    if not isinstance(document.content, dict):
        raise document.error(1, (), "a mapping of task fields")
    try:
        spec = schema.TaskSpec.model_validate(document.content)
    except ValidationError as error:
        raise _first(document, error) from error
    task = Task(spec)
    problems = check_spec(spec, task.world, allow_python=allow_python)
    if problems:
        first = min(problems, key=lambda problem: document.line(problem.path))
        raise document.error_at(first.path, first.expected)
    return task


def _first(document: Document, error: ValidationError) -> TaskFileError:
    """Returns the error that comes first in the file."""
    details = error.errors(include_url=False)
    # A mistyped field is both unknown and missing under its right name; only the former helps.
    strange = {detail["loc"][:-1] for detail in details if detail["type"] == "extra_forbidden"}
    found = [
        _explain(document, detail)
        for detail in details
        if detail["type"] != "missing" or detail["loc"][:-1] not in strange
    ]
    path, expected = min(found, key=lambda pair: document.line(pair[0]))
    return document.error_at(path, expected)


def _explain(document: Document, detail: Any) -> tuple[Path, str]:
    path = _path(document.content, detail["loc"])
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing" and isinstance(detail["loc"][-1], int) and isinstance(detail["input"], list | tuple):
        return path[:-1], f"[x, y], two whole numbers of tiles, got {brief(repr(detail['input']))}"
    if kind == "missing":
        return path, f"the field {path[-1]!r}, which is missing"
    if kind == "extra_forbidden":
        return path, f"a known field, got {brief(repr(path[-1]))}" + hint(
            str(path[-1]), _fields(document.content, path[:-1]), 1
        )
    if kind == "union_tag_not_found":
        return path, "the field 'kind', which is missing"
    if kind == "union_tag_invalid":
        given = str(context["tag"])
        return (*path, "kind"), f"a known kind, got {brief(repr(given))}" + hint(
            given, _UNIONS[str(path[0])], 1
        )
    if kind == "literal_error":
        given = str(detail["input"])
        choices = _choices(_model(document.content, path[:-1]).model_fields[str(path[-1])].annotation)
        close = nearest(given, choices, 1)
        return path, f"{' | '.join(choices)}, got {brief(repr(given))}" + (
            f"; did you mean {close[0]}?" if close else ""
        )
    if detail["loc"][-1] == "[key]":
        return path, f"a name of letters, digits and _ (or - in keys), got {brief(repr(detail['input']))}"
    message = in_words(detail)
    if kind == "value_error" and isinstance(detail["input"], dict) and detail["input"].get("count", 1) == 0:
        return path, f"{message}, got count: 0"
    if kind == "value_error" and isinstance(detail["input"], dict):
        given = " and ".join(map(str, detail["input"])) or "{}"
        return path, f"{message}, got {brief(given)}"
    return path, f"{message}, got {brief(repr(detail['input']))}"


def _path(content: Any, loc: tuple[str | int, ...]) -> Path:
    """Returns the place in the file, without the marks that pydantic adds for union members and keys."""
    path: list[str | int] = []
    for i, part in enumerate(loc):
        union_mark = i == 2 and loc[0] in _UNIONS and part in _UNIONS[str(loc[0])]
        if part not in ("[key]", "constrained-str") and not union_mark:
            path.append(part)
    return tuple(path)


def _fields(content: dict[str, Any], path: Path) -> list[str]:
    """Returns the valid fields of the mapping at a path."""
    return list(_model(content, path).model_fields)


def _choices(annotation: Any) -> list[str]:
    """Returns the words that a field takes."""
    parts = get_args(annotation)
    if get_origin(annotation) is Literal:
        return [str(part) for part in parts]
    return [word for part in parts for word in _choices(part)]


def _model(content: dict[str, Any], path: Path) -> type[BaseModel]:
    """Returns what the mapping at a path is read as."""
    model: type[BaseModel] = schema.TaskSpec
    if path and path[0] in _UNIONS:
        model = _UNIONS[str(path[0])][content[path[0]][path[1]]["kind"]]
    elif path:
        model = _PARTS[str(path[0])]
    if path and path[-1] in ("guide", "area"):
        model = schema.Guide if path[-1] == "guide" else schema.Area
    return model
