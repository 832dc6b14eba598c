from __future__ import annotations

import json
import re
from functools import cache
from xml.etree import ElementTree

import msgspec
from tests.metrics.hand_made import Stage

from agentworld_env.episodes import Episode
from agentworld_env.evaluate import policy_by_name, run_episode
from agentworld_env.metrics import ActionGraph, events_finding
from agentworld_env.metrics.causal.export import GraphData, dot, graph_data, graphml

NAMES = {"g": "http://graphml.graphdrawing.org/xmlns"}


@cache
def _played() -> tuple[Episode, GraphData]:
    episode = run_episode("t51_survival_challenge", policy_by_name("planner"), seed=1)
    stated = ActionGraph(episode.lines).stated()
    return episode, graph_data(episode, events_finding(episode).trace, "events", stated)


def test_every_action_is_a_node_and_every_edge_leads_forward() -> None:
    episode, data = _played()
    assert [node.id for node in data.actions] == list(range(len(episode.lines)))
    assert all(0 <= edge.source < edge.target < len(data.actions) for edge in data.edges)
    assert sum(node.contributing for node in data.actions) == episode.footer.metrics["contributing"]  # type: ignore[union-attr]


def test_an_edge_contributes_only_between_contributing_actions() -> None:
    _, data = _played()
    assert any(edge.contributing for edge in data.edges)
    for edge in data.edges:
        if edge.contributing:
            assert data.actions[edge.source].contributing
            assert data.actions[edge.target].contributing


def test_json_gives_back_the_graph() -> None:
    _, data = _played()
    text = msgspec.json.encode(data)
    assert msgspec.json.decode(text, type=GraphData) == data
    assert json.loads(text)["method"] == "events"


def test_graphml_is_xml_with_all_nodes_edges_and_their_data() -> None:
    _, data = _played()
    root = ElementTree.fromstring(graphml(data))
    nodes = root.findall(".//g:node", NAMES)
    edges = root.findall(".//g:edge", NAMES)
    assert len(nodes) == len(data.actions)
    assert [(e.get("source"), e.get("target")) for e in edges] == [
        (f"a{edge.source}", f"a{edge.target}") for edge in data.edges
    ]
    keys = {key.get("id") for key in root.findall("g:key", NAMES)}
    assert {datum.get("key") for datum in root.findall(".//g:data", NAMES)} <= keys
    marked = [
        d.text for n in nodes for d in n.findall("g:data", NAMES) if d.get("key") == "node_contributing"
    ]
    assert marked.count("true") == sum(node.contributing for node in data.actions)


def test_dot_names_every_node_and_edge_once() -> None:
    _, data = _played()
    text = dot(data)
    assert len(re.findall(r"^  a\d+ \[", text, re.MULTILINE)) == len(data.actions)
    assert len(re.findall(r"^  a\d+ -> a\d+ ", text, re.MULTILINE)) == len(data.edges)
    assert text.count("{") == text.count("}")


def test_what_agents_sent_cannot_break_any_form() -> None:
    stage = Stage(a=(0, 0))
    stage.turn("a", 'chat"><&\n\x00', ok=False, message='\\"]; evil -> b; <x>&\x01')
    episode = stage.episode()
    data = graph_data(episode, ActionGraph(episode.lines).trace(()), "events")
    node = ElementTree.fromstring(graphml(data)).find(".//g:node", NAMES)
    assert node is not None
    assert any("evil" in (datum.text or "") for datum in node)
    quoted = re.findall(r'^  a0 \[label="((?:[^"\\]|\\.)*)"\];$', dot(data), re.MULTILINE)
    assert len(quoted) == 1
    assert data.success is None


def test_no_name_of_a_record_spoils_an_export() -> None:
    from agentworld_env.report.picture import picture, svg

    stage = Stage(a=(0, 0))
    ore = stage.harvest("a", "ore", 5, 0)
    episode = stage.episode()
    episode.header = msgspec.structs.replace(
        episode.header, policy={"name": "a\x1b[31m\x00<b>\u202e"}, task="t\x07"
    )
    episode.header.spec["title"] = "T\x08itle"
    data = graph_data(episode, stage.trace(ore), "events")
    drawn = (graphml(data), svg(picture(data)))
    for text in (*drawn, dot(data)):
        assert text.replace("\n", "").isprintable()
    for text in drawn:
        ElementTree.fromstring(text)
