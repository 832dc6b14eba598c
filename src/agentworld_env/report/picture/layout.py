"""Where everything goes: rounds from left to right, a lane per agent, what contributes highlighted."""

from __future__ import annotations

from collections.abc import Iterator

from agentworld_env.metrics.causal.export import GraphData, Link, Node
from agentworld_env.report.picture.shapes import Curve, Picture, Point, Rectangle, Shape, Text

INK = "#24292f"
FAINT = "#8b949e"
PAPER = "#ffffff"
LANES = ("#f6f8fa", "#ffffff")
GRID = "#e4e8ec"
PALE = "#e6eaee"
PALE_LINE = "#d3d9df"
SUCCESS = "#c77700"

EDGE_COLOURS = {
    "material": "#8a5a1f",
    "delivery": "#d1620a",
    "loot": "#8e44ad",
    "damage": "#c0282d",
    "equipment": "#5b6b82",
    "movement": "#2f8f57",
    "protection": "#0f8b99",
    "sustenance": "#7f9a1b",
    "information": "#2563c9",
}
"""Kind of edge -> colour."""

TOOL_COLOURS = {
    "harvest_resource": "#cfe8c5",
    "craft_item": "#fbdcae",
    "transfer_items": "#ffd0b0",
    "attack_entity": "#f6c4c4",
    "move_character": "#cfeadb",
    "enter_portal": "#cfeadb",
    "chat": "#c9dcf8",
    "send_chat_message": "#c9dcf8",
    "equip_item": "#d9dfe8",
    "use_item": "#e6edc3",
    "pickup_item": "#e5d3ee",
}
"""Tool -> colour of its actions, where they contribute."""
_OTHER = "#e3e3e3"

_WORDS = {
    "harvest_resource": "harvest",
    "craft_item": "make",
    "transfer_items": "give",
    "attack_entity": "attack",
    "move_character": "move",
    "enter_portal": "portal",
    "send_chat_message": "say",
    "equip_item": "wear",
    "use_item": "use",
    "pickup_item": "pick up",
}

_COLUMN = 104
_LANE = 58
_BOX = (84, 36)
_TOP = 78
_BOTTOM = 58
_LETTERS = 14
_SPOT = 10


def picture(data: GraphData) -> Picture:
    """Lays an action graph out.

    Calls that only waited are small dots, so that a team of twenty over fifty rounds can still be read.

    Args:
        data: The graph.
    """
    last = max((node.round for node in data.actions), default=1)
    left = 24 + 8 * max((len(name) for name in data.agents), default=4)
    width = max(left + last * _COLUMN + 24, 720)
    height = _TOP + _LANE * len(data.agents) + _BOTTOM
    lanes = {name: i for i, name in enumerate(data.agents)}
    centres = {
        node.id: (
            left + (node.round - 0.5) * _COLUMN,
            _TOP + (lanes[node.agent] + 0.5) * _LANE,
        )
        for node in data.actions
    }
    shapes: list[Shape] = [Rectangle(x=0, y=0, width=width, height=height, fill=PAPER)]
    shapes += _frame(data, left, width, last)
    nodes = {node.id: node for node in data.actions}
    ordered = sorted(data.edges, key=lambda edge: edge.contributing)
    shapes += [_edge(edge, centres, nodes) for edge in ordered]
    for node in data.actions:
        shapes += _box(node, centres[node.id])
    shapes += _legend(data, left, height)
    return Picture(width=width, height=height, title=_title(data), shapes=tuple(shapes))


def _title(data: GraphData) -> str:
    return f"{data.title} ({data.task})"


def _frame(data: GraphData, left: int, width: int, last: int) -> Iterator[Shape]:
    ended = {True: "success", False: "failure", None: "not over"}[data.success]
    chosen = sum(node.contributing for node in data.actions)
    yield Text(x=20, y=24, text=_title(data), size=17, colour=INK, bold=True)
    yield Text(
        x=20,
        y=46,
        text=f"{data.policy}, seed {data.seed}, {ended}; {chosen} of {len(data.actions)} actions contribute "
        f"(method {data.method})",
        size=12,
        colour=FAINT,
    )
    for i, name in enumerate(data.agents):
        y = _TOP + i * _LANE
        yield Rectangle(x=0, y=y, width=width, height=_LANE, fill=LANES[i % 2])
        yield Text(x=20, y=y + _LANE / 2, text=name, size=12, colour=INK, bold=True)
    bottom = _TOP + _LANE * len(data.agents)
    for number in range(1, last + 1):
        x = left + (number - 1) * _COLUMN
        yield Rectangle(x=x, y=_TOP - 4, width=1, height=bottom - _TOP + 4, fill=GRID)
        yield Text(x=x + _COLUMN / 2, y=_TOP - 12, text=str(number), size=11, colour=FAINT, anchor="middle")
    yield Text(x=left - 10, y=_TOP - 12, text="round", size=11, colour=FAINT, anchor="end")


def _box(node: Node, centre: Point) -> Iterator[Shape]:
    x, y = centre
    note = f"[{node.id}] round {node.round}, {node.agent}: {node.call} -> {node.outcome}"
    if not node.contributing and node.tool == "sleep":
        yield Rectangle(x=x - 3, y=y - 3, width=6, height=6, fill=PALE_LINE, radius=3, note=note)
        return
    width, height = _BOX
    fill = TOOL_COLOURS.get(node.tool, _OTHER) if node.contributing else PALE
    line, line_width = (
        (SUCCESS, 2.5) if node.success else (INK, 1.2) if node.contributing else (PALE_LINE, 1.0)
    )
    yield Rectangle(
        x=x - width / 2,
        y=y - height / 2,
        width=width,
        height=height,
        fill=fill,
        line=line,
        line_width=line_width,
        radius=6,
        note=note,
    )
    colour = INK if node.contributing else FAINT
    word = _WORDS.get(node.tool, node.tool or "?")
    head = f"{word} (failed)" if not node.ok else word
    yield Text(x=x, y=y - 7, text=_cut(head), size=11, colour=colour, bold=node.contributing, anchor="middle")
    yield Text(x=x, y=y + 8, text=_cut(_object(node)), size=10, colour=colour, anchor="middle")


def _object(node: Node) -> str:
    """Returns what a call was about, from its own words: the item, target or place it names."""
    inside = node.call.partition("(")[2].removesuffix(")")
    named = dict(part.partition("=")[::2] for part in inside.split(", ") if "=" in part)
    if node.tool == "move_character":
        return f"({named.get('x', '?')}, {named.get('y', '?')})"
    if node.tool == "transfer_items":
        return f"{named.get('item', '?')} > {named.get('to', '?')}"
    return named.get("item") or named.get("target") or named.get("message") or ""


def _cut(text: str) -> str:
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"


def _edge(edge: Link, centres: dict[int, Point], nodes: dict[int, Node]) -> Curve:
    (x0, y0), (x1, y1) = centres[edge.source], centres[edge.target]
    half_width, half_height = _BOX[0] / 2, _BOX[1] / 2
    if x0 == x1:
        # Within a round: from lane to lane, bulging to the right so as not to run through boxes in between.
        down = 1 if y1 > y0 else -1
        bulge = min(_COLUMN * 0.45, 10 + abs(y1 - y0) * 0.12)
        start = (x0 + half_width * 0.5, y0 + down * half_height)
        end = (x1 + half_width * 0.5, y1 - down * half_height)
        middle = (
            (start[0] + bulge, start[1] + (end[1] - start[1]) * 0.3),
            (end[0] + bulge, end[1] - (end[1] - start[1]) * 0.3),
        )
    elif y0 == y1 and x1 - x0 > _COLUMN:
        # Along a lane past other boxes: an arc above them.
        lift = half_height + 7
        start = (x0 + half_width * 0.6, y0 - half_height)
        end = (x1 - half_width * 0.6, y1 - half_height)
        middle = (
            (start[0] + _SPOT, start[1] - lift + half_height),
            (end[0] - _SPOT, end[1] - lift + half_height),
        )
    else:
        start, end = (x0 + half_width, y0), (x1 - half_width, y1)
        pull = max(14.0, (end[0] - start[0]) * 0.5)
        middle = ((start[0] + pull, start[1]), (end[0] - pull, end[1]))
    note = f"{edge.kind}: {edge.source} -> {edge.target}"
    if edge.contributing:
        return Curve(points=(start, *middle, end), colour=EDGE_COLOURS[edge.kind], width=1.8, note=note)
    return Curve(points=(start, *middle, end), colour=PALE_LINE, width=1.0, note=note)


def _legend(data: GraphData, left: int, height: int) -> Iterator[Shape]:
    kinds = [kind for kind in EDGE_COLOURS if any(e.kind == kind and e.contributing for e in data.edges)]
    y = height - 26.0
    x = 20.0
    yield Rectangle(
        x=x,
        y=y - 8,
        width=22,
        height=16,
        fill=TOOL_COLOURS["craft_item"],
        line=SUCCESS,
        line_width=2.5,
        radius=4,
    )
    yield Text(x=x + 30, y=y, text="success action", size=11, colour=INK)
    x += 128
    yield Rectangle(
        x=x,
        y=y - 8,
        width=22,
        height=16,
        fill=TOOL_COLOURS["harvest_resource"],
        line=INK,
        line_width=1.2,
        radius=4,
    )
    yield Text(x=x + 30, y=y, text="contributes", size=11, colour=INK)
    x += 110
    yield Rectangle(x=x, y=y - 8, width=22, height=16, fill=PALE, line=PALE_LINE, radius=4)
    yield Text(x=x + 30, y=y, text="does not", size=11, colour=INK)
    x += 96
    for kind in kinds:
        yield Curve(
            points=((x, y), (x + 8, y), (x + 16, y), (x + 26, y)), colour=EDGE_COLOURS[kind], width=1.8
        )
        yield Text(x=x + 32, y=y, text=kind, size=11, colour=INK)
        x += 48 + 6.5 * len(kind)
