"""Writing the action graph of a record in the form that the file's name asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode
from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate import verified_records
from agentworld_env.metrics import (
    METHODS,
    Method,
    MethodOptions,
    findings,
    graph_of,
    parse_method,
    require_all_decided,
)
from agentworld_env.metrics.causal.export import GraphData, dot, graph_data, graphml

if TYPE_CHECKING:
    from agentworld_env.report.picture import Picture

FORMATS = (".json", ".graphml", ".dot", ".svg", ".png")
"""Endings of the files that can be written."""

_NO_OPTIONS = MethodOptions()


def graph_picture(episode: Episode | str | Path, method: str = "events") -> Picture:
    """Returns the action graph of an episode as a picture, which shows itself in a notebook.

    Args:
        episode: A complete episode, or the path of its record, which is re-simulated and re-verified first.
        method: As for ``write_graph``.

    Raises:
        AgentWorldError: Record or method cannot be used.
    """
    from agentworld_env.report.picture import picture

    parse_method(method)
    env = None
    if not isinstance(episode, Episode):
        (verified,) = verified_records([episode])
        episode, env = verified.episode, verified.env
    return picture(_data(episode, method, _NO_OPTIONS, env))


def _data(episode: Episode, method: str, options: MethodOptions, env: AgentWorldEnv | None) -> GraphData:
    found = findings([episode], method, options, None if env is None else [env])
    require_all_decided(method, [episode], found)
    (finding,) = found
    kind = cast(Method, method) if method in METHODS else "events"
    stated = graph_of(episode, kind, env).stated()
    return graph_data(episode, finding.trace, method, stated)


def write_graph(
    record: str | Path, out: str | Path, method: str = "events", options: MethodOptions = _NO_OPTIONS
) -> None:
    """Writes the action graph of a record, which is re-simulated and re-verified first.

    Args:
        record: The record of a complete episode.
        out: The file; its ending decides the form.
        method: Decides what contributes. Edges between actions that do not contribute come from the event log.
        options: Options of the method.

    Raises:
        AgentWorldError: The ending is none of ``FORMATS``, record or method cannot be used, or a PNG is asked for and
            pillow is not installed.
    """
    out = Path(out)
    ending = out.suffix.lower()
    if ending not in FORMATS:
        raise AgentWorldError(f"{out}: expected a file that ends in one of {', '.join(FORMATS)}")
    parse_method(method)
    if ending == ".png":
        from agentworld_env.report.picture.png import require_pillow

        require_pillow()
    (verified,) = verified_records([record], allow_python=options.allow_python)
    data = _data(verified.episode, method, options, verified.env)
    out.parent.mkdir(parents=True, exist_ok=True)
    if ending == ".json":
        out.write_bytes(msgspec.json.format(msgspec.json.encode(data), indent=1) + b"\n")
        return
    if ending == ".graphml":
        out.write_text(graphml(data), encoding="utf-8")
        return
    if ending == ".dot":
        out.write_text(dot(data), encoding="utf-8")
        return
    from agentworld_env.report.picture import picture, png, svg

    drawn = picture(data)
    if ending == ".svg":
        out.write_text(svg(drawn), encoding="utf-8")
    else:
        png(drawn, out)
