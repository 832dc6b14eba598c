from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from PIL import Image

import agentworld_env
from agentworld_env.draw import scene
from agentworld_env.draw.indexed import indexed_png, land_png
from agentworld_env.draw.palette import agent_colour
from agentworld_env.draw.relief import relief
from agentworld_env.draw.scene import LAND, PANEL
from agentworld_env.env import AgentWorldEnv
from agentworld_env.errors import AgentWorldError
from agentworld_env.world.terrain import load_terrain


def fresh(task: str = "t86_forge_vanguard") -> AgentWorldEnv:
    env = agentworld_env.make(task, render_mode="rgb_array")
    env.reset(seed=0)
    return env


def pixels(env: AgentWorldEnv) -> np.ndarray:
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    return picture


def test_a_picture_has_the_same_shape_whatever_the_team() -> None:
    for task in ("t01_magic_staff", "t99_kingdom_festival"):
        picture = pixels(fresh(task))
        assert picture.shape == (LAND, LAND + PANEL, 3)
        assert picture.dtype == np.uint8
        assert picture.flags.writeable


def test_every_agent_is_in_the_picture_in_a_colour_of_its_own() -> None:
    env = fresh()
    land = pixels(env)[:, :LAND].reshape(-1, 3)
    for i in range(len(env.possible_agents)):
        assert (land == agent_colour(i)).all(axis=1).sum() >= 12, env.possible_agents[i]
    colours = {agent_colour(i) for i in range(20)}
    apart = [
        sum(abs(a - b) for a, b in zip(one, other, strict=True))
        for one in colours
        for other in colours - {one}
    ]
    assert len(colours) == 20
    assert min(apart) > 40


def test_a_picture_is_a_function_of_the_moment() -> None:
    one, other = fresh(), fresh()
    assert np.array_equal(pixels(one), pixels(other))
    me = one.view(one.agent_selection)
    call = {"tool": "move_character", "arguments": {"x": me.x, "y": me.y + 12}}
    one.step(call)
    assert not np.array_equal(pixels(one), pixels(other))
    other.step(call)
    assert np.array_equal(pixels(one), pixels(other))


def test_drawing_changes_nothing_in_the_episode() -> None:
    env, quiet = fresh(), fresh()
    for _ in range(12):
        for each in (env, quiet):
            each.step({"tool": "sleep", "arguments": {"rounds": 1}})
        env.render()
    assert env.state_hash() == quiet.state_hash()


def test_without_pillow_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    env = fresh("t01_magic_staff")
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(AgentWorldError, match=r"pip install pillow"):
        env.render()
    with pytest.raises(AgentWorldError, match=r"pip install pillow"):
        scene(env.sim, env.verdict(), env.max_rounds)


def test_an_indexed_picture_of_few_colours_is_near_to_the_original() -> None:
    rng = np.random.default_rng(0)
    palette = rng.integers(0, 256, (40, 3), dtype=np.uint8)
    original = palette[rng.integers(0, 40, (30, 50))]
    with Image.open(io.BytesIO(indexed_png(original))) as picture:
        assert picture.size == (50, 30)
        shown = np.asarray(picture.convert("RGB")).astype(int)
    # Forty colours need no coarser steps than the finest, of 8: the middle of a step is at most 4 away.
    assert np.abs(shown - original).max() <= 4


def test_the_brightest_land_stays_bright() -> None:
    snow = np.full((4, 4, 3), 255, dtype=np.uint8)
    with Image.open(io.BytesIO(indexed_png(snow))) as picture:
        assert np.asarray(picture.convert("RGB")).min() >= 248


def test_the_whole_world_fits_into_few_bytes_and_looks_like_its_relief() -> None:
    terrain = load_terrain()
    packed = land_png(terrain, (0, 0, terrain.width - 1, terrain.height - 1))
    assert len(packed) < 250_000
    with Image.open(io.BytesIO(packed)) as picture:
        shown = np.asarray(picture.convert("RGB")).astype(int)
    off = np.abs(shown - relief(terrain, grain=False))
    assert off.max() <= 32
    assert off.mean() < 6


def test_a_part_of_the_land_is_the_same_part_of_the_whole() -> None:
    terrain = load_terrain()
    with Image.open(io.BytesIO(land_png(terrain, (300, 0, 499, 119)))) as picture:
        assert picture.size == (200, 120)
        shown = np.asarray(picture.convert("RGB")).astype(int)
    assert np.abs(shown - relief(terrain, grain=False)[0:120, 300:500]).max() <= 16
