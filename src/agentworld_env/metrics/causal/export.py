"""The action graph in forms that other programs read: plain data for JSON, GraphML, and DOT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import msgspec

from agentworld_env.env import call_text, outcome_text
from agentworld_env.episodes import Episode, TurnLine
from agentworld_env.metrics.causal.edges import Edge
from agentworld_env.metrics.causal.graph import Trace
from agentworld_env.metrics.causal.log import tool_of

_LONGEST = 80


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One action.

    Attributes:
        id: Its number.
        round: Round, from 1.
        agent: Who called.
        tool: Name of the tool, or empty.
        call: The call in words.
        outcome: What came of it, in words.
        ok: Whether it did what it was for.
        success: Whether it is a success action.
        contributing: Whether it is a success action or led to one.
    """

    id: int
    round: int
    agent: str
    tool: str
    call: str
    outcome: str
    ok: bool
    success: bool
    contributing: bool


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """One edge.

    Attributes:
        source: Action that helped.
        target: Action that it helped.
        kind: Kind of the edge, such as ``material``.
        contributing: Whether both ends contribute.
    """

    source: int
    target: int
    kind: str
    contributing: bool


class GraphData(msgspec.Struct, frozen=True, kw_only=True):
    """A whole action graph.

    Attributes:
        task: Task id.
        title: Title of the task.
        seed: Seed of the episode.
        setting: Name of the setting.
        policy: Name of the policy.
        method: How it was decided what contributes.
        success: Whether the episode was a success; None if it is not over.
        agents: Agent ids in turn order.
        actions: The actions by number.
        edges: The edges, sorted by source and target.
    """

    task: str
    title: str
    seed: int
    setting: str
    policy: str
    method: str
    success: bool | None
    agents: tuple[str, ...]
    actions: tuple[Node, ...]
    edges: tuple[Link, ...]


def graph_data(episode: Episode, trace: Trace, method: str, stated: Sequence[Edge] = ()) -> GraphData:
    """Returns an episode's action graph as plain data.

    Args:
        episode: The episode.
        trace: What contributes, and the edges among it.
        method: How that was decided.
        stated: Further edges, between actions that need not contribute.
    """
    header = episode.header
    success, chosen = set(trace.success), set(trace.contributing)
    known = set(trace.edges)
    edges = sorted(known.union(stated))
    return GraphData(
        task=_printable(header.task),
        title=_printable(str(header.spec["title"])),
        seed=header.seed,
        setting=header.setting,
        policy=_printable(str(header.policy.get("name", ""))),
        method=method,
        success=None if episode.footer is None else episode.verdict.success,
        agents=episode.team,
        actions=tuple(_node(line, success, chosen) for line in episode.lines),
        edges=tuple(
            Link(source=edge.source, target=edge.target, kind=edge.kind, contributing=edge in known)
            for edge in edges
        ),
    )


def _node(line: TurnLine, success: set[int], chosen: set[int]) -> Node:
    own = [event for event in line.events if event.action == line.action]
    return Node(
        id=line.action,
        round=line.round,
        agent=line.agent,
        tool=_printable(tool_of(line.call)),
        call=said(line),
        outcome=_printable(outcome_text("", line.result, own)),
        ok=line.result.ok,
        success=line.action in success,
        contributing=line.action in chosen,
    )


def said(line: TurnLine) -> str:
    """Returns a call in words, in one line, whatever was sent."""
    arguments = line.call.get("arguments") if isinstance(line.call, Mapping) else None
    named = {str(key): value for key, value in arguments.items()} if isinstance(arguments, Mapping) else {}
    return _printable(call_text(tool_of(line.call), named))


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


_TYPES = {bool: "boolean", int: "int", str: "string"}


def graphml(data: GraphData) -> str:
    """Returns a graph as GraphML (XML), as yEd, Gephi and NetworkX read it."""
    nodes = [name for name in Node.__struct_fields__ if name != "id"]
    types = {name: _TYPES[type(getattr(data.actions[0], name))] for name in nodes} if data.actions else {}
    keys = [(name, "graph", "string") for name in ("task", "policy", "setting", "method", "seed")]
    keys += [(name, "node", types.get(name, "string")) for name in nodes]
    keys += [("kind", "edge", "string"), ("contributing", "edge", "boolean")]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    lines += [
        f'  <key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{sort}"/>'
        for name, kind, sort in keys
    ]
    lines.append('  <graph id="actions" edgedefault="directed">')
    lines += [_datum("graph", name, getattr(data, name), 4) for name, kind, _ in keys if kind == "graph"]
    for node in data.actions:
        lines.append(f'    <node id="a{node.id}">')
        lines += [_datum("node", name, getattr(node, name), 6) for name in nodes]
        lines.append("    </node>")
    for number, edge in enumerate(data.edges):
        lines.append(f'    <edge id="e{number}" source="a{edge.source}" target="a{edge.target}">')
        lines += [_datum("edge", name, getattr(edge, name), 6) for name in ("kind", "contributing")]
        lines.append("    </edge>")
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def _datum(kind: str, name: str, value: Any, indent: int) -> str:
    text = str(value).lower() if isinstance(value, bool) else escape(str(value))
    return f'{" " * indent}<data key="{kind}_{name}">{text}</data>'


_DOT_COLOURS = {
    "material": "#8a5a1f",
    "delivery": "#b8560f",
    "loot": "#7a4a8c",
    "damage": "#b3262b",
    "equipment": "#4b5d78",
    "movement": "#2f7d4f",
    "protection": "#0f7f8c",
    "sustenance": "#6b8e23",
    "information": "#2b5fb8",
}


def dot(data: GraphData) -> str:
    """Returns a graph in the language of Graphviz: rounds from left to right, one rank each."""
    lines = [
        "digraph actions {",
        "  rankdir=LR;",
        '  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=10, fillcolor="#f2f2f2"];',
        f"  label={_quoted(f'{data.task}, {data.policy}, seed {data.seed}, method {data.method}')};",
    ]
    rounds: dict[int, list[int]] = {}
    for node in data.actions:
        rounds.setdefault(node.round, []).append(node.id)
        shown = node.call if len(node.call) <= _LONGEST else node.call[: _LONGEST - 3] + "..."
        look = [f"label={_quoted(f'{node.agent}: {shown}')}"]
        if node.contributing:
            look.append('fillcolor="#ffe3a3"')
        if node.success:
            look.append("penwidth=2.5")
        lines.append(f"  a{node.id} [{', '.join(look)}];")
    lines += [
        f"  {{ rank=same; {' '.join(f'a{number};' for number in numbers)} }}" for numbers in rounds.values()
    ]
    for edge in data.edges:
        colour = _DOT_COLOURS[edge.kind] if edge.contributing else "#c8c8c8"
        lines.append(
            f'  a{edge.source} -> a{edge.target} [color="{colour}", tooltip="{edge.kind}"'
            f"{'' if edge.contributing else ', constraint=false'}];"
        )
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
