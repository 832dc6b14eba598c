from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.metrics.hand_made import Stage

from agentworld_env.errors import AgentWorldError
from agentworld_env.evaluate import policy_by_name, run_episode
from agentworld_env.metrics import ActionGraph, events_finding
from agentworld_env.metrics.causal.export import GraphData, graph_data
from agentworld_env.report.picture import Curve, Picture, Rectangle, Text, picture, png, svg

SVG = "{http://www.w3.org/2000/svg}"


@cache
def _data() -> GraphData:
    episode = run_episode("t64_ice_expedition", policy_by_name("planner"), seed=1)
    stated = ActionGraph(episode.lines).stated()
    return graph_data(episode, events_finding(episode).trace, "events", stated)


def _boxes(drawn: Picture) -> dict[str, Rectangle]:
    found = (shape for shape in drawn.shapes if isinstance(shape, Rectangle) and shape.note)
    return {shape.note.partition("]")[0][1:]: shape for shape in found}


def test_rounds_go_from_left_to_right_and_every_agent_has_a_lane() -> None:
    data = _data()
    boxes = _boxes(picture(data))
    assert len(boxes) == len(data.actions)
    columns: dict[int, set[float]] = {}
    lanes: dict[str, set[float]] = {}
    for node in data.actions:
        box = boxes[str(node.id)]
        columns.setdefault(node.round, set()).add(box.x + box.width / 2)
        lanes.setdefault(node.agent, set()).add(box.y + box.height / 2)
    assert all(len(middles) == 1 for middles in (*columns.values(), *lanes.values()))
    middles = [columns[number].pop() for number in sorted(columns)]
    assert middles == sorted(middles)
    rows = [lanes[name].pop() for name in data.agents if name in lanes]
    assert rows == sorted(rows)


def test_boxes_of_calls_never_overlap_and_everything_is_inside() -> None:
    drawn = picture(_data())
    boxes = list(_boxes(drawn).values())
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            apart = abs(one.x - other.x) >= one.width or abs(one.y - other.y) >= one.height
            assert apart or one.width < 10 or other.width < 10
    for box in boxes:
        assert box.x >= 0
        assert box.x + box.width <= drawn.width
        assert box.y + box.height <= drawn.height


def test_what_contributes_looks_different() -> None:
    data = _data()
    boxes = _boxes(picture(data))
    fills = {True: set(), False: set()}  # type: dict[bool, set[str]]
    for node in data.actions:
        fills[node.contributing].add(boxes[str(node.id)].fill)
    assert fills[True]
    assert fills[False]
    assert not fills[True] & fills[False]


def test_every_edge_is_drawn() -> None:
    data = _data()
    notes = {shape.note for shape in picture(data).shapes if isinstance(shape, Curve)}
    assert {f"{e.kind}: {e.source} -> {e.target}" for e in data.edges} <= notes


def test_svg_is_xml_with_a_shape_for_each() -> None:
    drawn = picture(_data())
    root = ElementTree.fromstring(svg(drawn))
    assert (root.get("width"), root.get("height")) == (str(drawn.width), str(drawn.height))
    kinds = [("rect", Rectangle), ("text", Text), ("path", Curve)]
    for tag, kind in kinds:
        shapes = sum(isinstance(shape, kind) for shape in drawn.shapes)
        # Arrow heads are paths inside the definitions.
        heads = len(root.findall(f"{SVG}defs/{SVG}marker")) if tag == "path" else 0
        assert len(root.findall(f".//{SVG}{tag}")) == shapes + heads


def test_png_has_the_size_of_the_picture_and_colours_of_its_edges(tmp_path: Path) -> None:
    from PIL import Image

    drawn = picture(_data())
    path = tmp_path / "graph.png"
    png(drawn, path)
    with Image.open(path) as image:
        assert image.size == (drawn.width, drawn.height)
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 24) or ()}
    assert (0x2F, 0x8F, 0x57) in colours  # an edge of movement


def test_a_picture_that_is_too_large_for_png_is_refused(tmp_path: Path) -> None:
    huge = Picture(width=20_000, height=20_000, title="", shapes=())
    with pytest.raises(AgentWorldError, match=r"write \.svg"):
        png(huge, tmp_path / "huge.png")


def test_what_agents_sent_cannot_break_the_picture() -> None:
    stage = Stage(a=(0, 0))
    stage.turn("a", "chat", ok=False, message="</svg><script>&\x02")
    stage.say("a")
    episode = stage.episode()
    drawn = picture(graph_data(episode, ActionGraph(episode.lines).trace(()), "events"))
    root = ElementTree.fromstring(svg(drawn))
    assert not root.findall(f".//{SVG}script")
    assert any("</svg>" in (title.text or "") for title in root.iter(f"{SVG}title"))


def test_an_episode_without_actions_is_drawn_all_the_same() -> None:
    episode = Stage(a=(0, 0)).episode()
    drawn = picture(graph_data(episode, ActionGraph(episode.lines).trace(()), "events"))
    assert ElementTree.fromstring(svg(drawn)) is not None
