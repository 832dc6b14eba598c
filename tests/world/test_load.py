"""Loading: one shared immutable world per process."""

from __future__ import annotations

import copy
import pickle

import msgspec
import pytest

from agentworld_env.errors import AgentWorldError
from agentworld_env.world import load, load_world
from agentworld_env.world.content import Catalogue, data_path
from agentworld_env.world.load import CATALOGUE_FILE
from agentworld_env.world.terrain import load_terrain


def test_every_call_returns_the_same_world() -> None:
    assert load_world() is load_world()


def test_copies_and_pickles_of_the_world_are_the_world_itself() -> None:
    world = load_world()
    assert copy.deepcopy(world) is world
    assert pickle.loads(pickle.dumps(world)) is world


def test_trees_and_rocks_block_their_tile_and_other_nodes_do_not() -> None:
    world, bare = load_world(), load_terrain()
    for node, kind in zip(world.nodes, world.kind_of_node, strict=True):
        if kind.family in ("tree", "rock"):
            assert bare.is_walkable(node.x, node.y)
            assert not world.is_walkable(node.x, node.y)
        elif kind.family == "plant":
            assert world.is_walkable(node.x, node.y)
    blocked = sum(bare.walkable) - sum(world.walkable)
    assert blocked == 803 + 383  # published totals of trees and rocks


def test_entity_ids_lead_back_to_their_entries() -> None:
    world = load_world()
    for name, i in world.node_index.items():
        assert world.nodes[i].id == name
    for name, i in world.mob_index.items():
        assert world.mob_spawns[i].id == name


def test_a_catalogue_of_another_version_is_refused_with_the_way_to_mend_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Older(msgspec.Struct):
        items: list[str]

    monkeypatch.setattr(load, "Catalogue", Older)
    with pytest.raises(AgentWorldError, match=r"catalogue\.msgpack.*agentworld_env\.world\.compile"):
        load_world.__wrapped__()


def test_the_compiled_catalogue_decodes_to_what_was_encoded() -> None:
    packed = (data_path() / CATALOGUE_FILE).read_bytes()
    assert msgspec.msgpack.encode(msgspec.msgpack.decode(packed, type=Catalogue)) == packed
