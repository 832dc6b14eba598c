"""A moment of an episode as pixels, for ``render_mode="rgb_array"``: the land around the team, and how it fares."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from agentworld_env.draw import palette
from agentworld_env.draw.palette import Colour
from agentworld_env.draw.relief import Pixels, relief
from agentworld_env.errors import AgentWorldError, needs
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import ACTIVE, DEAD
from agentworld_env.verifiers import Verdict

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

    from agentworld_env.world import World

LAND = 640
"""Width and height of the land in the picture (pixels)."""

PANEL = 320
"""Width of the panel beside it (pixels)."""

_Box = tuple[float, float, float, float]

_GRID = 16
"""The view moves and grows in steps of so many tiles, so that a film of it does not tremble."""

_AROUND = 10
_WHITE: Colour = (255, 255, 255)
_FAINT: Colour = (120, 108, 96)
_GOOD: Colour = (40, 122, 70)
_BAD: Colour = (178, 38, 30)


def scene(sim: Simulation, verdict: Verdict, max_rounds: int) -> Pixels:
    """Returns a picture of the present moment, indexed [row, column, red/green/blue], of 640 x 960 pixels.

    Args:
        sim: The simulation.
        verdict: The present verdict.
        max_rounds: Round budget.

    Raises:
        AgentWorldError: Pillow is missing.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise AgentWorldError(needs("drawing", "pillow", "draw")) from error
    x0, y0, span = _view(sim)
    scale = LAND / span
    picture = Image.new("RGB", (LAND + PANEL, LAND), palette.PAPER)
    picture.paste(_land(sim.world, x0, y0, span), (0, 0))
    pen = ImageDraw.Draw(picture)
    marks = _Marks(pen, x0, y0, scale)
    _things(sim, marks)
    _team(sim, marks)
    pen.rectangle((LAND, 0, LAND + PANEL, LAND), fill=palette.PAPER)
    _panel(pen, sim, verdict, max_rounds)
    return np.asarray(picture, dtype=np.uint8).copy()


def _view(sim: Simulation) -> tuple[int, int, int]:
    """Returns first column, first row and size (tiles) of a square that holds everybody who is still there."""
    team = [agent for agent in sim.state.agents if agent.status == ACTIVE] or sim.state.agents
    columns, rows = [agent.x for agent in team], [agent.y for agent in team]
    span = max(max(columns) - min(columns), max(rows) - min(rows)) + 1 + 2 * _AROUND
    world = sim.world
    # One step more, since the corner is moved by up to a step.
    span = min((span + _GRID - 1) // _GRID * _GRID + _GRID, max(world.width, world.height))
    x0 = _corner(min(columns) + max(columns), span, world.width)
    return x0, _corner(min(rows) + max(rows), span, world.height), span


def _corner(twice_middle: int, span: int, size: int) -> int:
    if span >= size:
        return (size - span) // 2
    corner = (twice_middle - span) // 2 // _GRID * _GRID + _GRID // 2
    return max(0, min(size - span, corner))


def _land(world: World, x0: int, y0: int, span: int) -> Image.Image:
    from PIL import Image

    pixels = _relief_of(world)
    x1, y1 = max(x0, 0), max(y0, 0)
    part = pixels[y1 : y0 + span, x1 : x0 + span]
    cut = Image.new("RGB", (span, span), palette.INK)
    cut.paste(Image.fromarray(part), (x1 - x0, y1 - y0))
    way = Image.Resampling.NEAREST if span <= LAND else Image.Resampling.BOX
    return cut.resize((LAND, LAND), way)


@lru_cache(maxsize=4)
def _relief_of(world: World) -> Pixels:
    return relief(world.terrain)


class _Marks:
    """Draws markers by tile."""

    def __init__(self, pen: ImageDraw.ImageDraw, x0: int, y0: int, scale: float) -> None:
        self.pen = pen
        self.x0, self.y0, self.scale = x0, y0, scale

    def at(self, x: int, y: int) -> tuple[float, float]:
        """Returns the middle of a tile (pixels)."""
        return (x - self.x0 + 0.5) * self.scale, (y - self.y0 + 0.5) * self.scale

    def inside(self, x: int, y: int) -> bool:
        """Returns whether a tile is in the picture."""
        px, py = self.at(x, y)
        return 0 <= px < LAND and 0 <= py < LAND

    def square(self, x: int, y: int, colour: Colour) -> None:
        """Marks a tile by a square."""
        px, py = self.at(x, y)
        half = max(1.0, min(4.0, self.scale * 0.42))
        self.pen.rectangle((px - half, py - half, px + half, py + half), fill=colour)

    def disc(self, px: float, py: float, radius: float, colour: Colour, rim: Colour) -> None:
        """Draws a disc at a place in the picture."""
        self.pen.ellipse((px - radius, py - radius, px + radius, py + radius), fill=colour, outline=rim)


def _things(sim: Simulation, marks: _Marks) -> None:
    world, round_ = sim.world, sim.state.round
    for number, (node, kind) in enumerate(zip(world.nodes, world.kind_of_node, strict=True)):
        if marks.inside(node.x, node.y) and sim.node_ready(number) <= round_:
            marks.square(node.x, node.y, palette.NODE_COLOURS[kind.family])
    for portal in world.portals.values():
        if marks.inside(portal.x, portal.y):
            marks.disc(*marks.at(portal.x, portal.y), 5, palette.PORTAL_COLOUR, _WHITE)
    for person in sim.people.values():
        if marks.inside(person.x, person.y):
            marks.disc(*marks.at(person.x, person.y), 4, palette.NPC_COLOUR, palette.INK)
    for _, _, x, y in sim.state.ground.values():
        if marks.inside(x, y):
            marks.disc(*marks.at(x, y), 3, _WHITE, palette.INK)
    for number in (*range(sim.named_from), *sim.named.values()):
        spot = sim.where(number)
        if spot is not None and marks.inside(*spot):
            boss = number >= sim.named_from
            colour = palette.BOSS_COLOUR if boss else palette.MOB_COLOUR
            marks.disc(*marks.at(*spot), 6 if boss else 3, colour, _WHITE if boss else palette.INK)


def _team(sim: Simulation, marks: _Marks) -> None:
    """Draws the agents, the one whose turn it is last and ringed; those on one spot side by side."""
    taken: list[tuple[float, float]] = []
    order = sorted(range(len(sim.names)), key=lambda i: i == sim.state.turn)
    for i in order:
        me = sim.state.agents[i]
        px, py = marks.at(me.x, me.y)
        while any(abs(px - x) < 10 and abs(py - y) < 10 for x, y in taken):
            px += 11
        taken.append((px, py))
        if i == sim.state.turn:
            marks.disc(px, py, 10, _WHITE, palette.INK)
        marks.disc(px, py, 7, _colour(sim, i), palette.INK)
    # Names keep clear of all markers and of each other; that of whose turn it is comes first.
    covered = [(x - 7, y - 7, x + 7, y + 7) for x, y in taken]
    for i, (px, py) in reversed(list(zip(order, taken, strict=True))):
        _name(marks.pen, sim.names[i], px, py, covered)


def _name(pen: ImageDraw.ImageDraw, name: str, px: float, py: float, covered: list[_Box]) -> None:
    """Letters an agent right, left, below or above, wherever there is room; nowhere if there is none."""
    font = _font(12)
    for x, y, anchor in ((px + 11, py, "lm"), (px - 11, py, "rm"), (px, py + 16, "mm"), (px, py - 16, "mm")):
        left, top, right, bottom = box = pen.textbbox((x, y), name, font=font, anchor=anchor, stroke_width=1)
        if not any(left < b[2] and b[0] < right and top < b[3] and b[1] < bottom for b in covered):
            covered.append(box)
            pen.text((x, y), name, _WHITE, font, anchor=anchor, stroke_width=2, stroke_fill=palette.INK)
            return


def _colour(sim: Simulation, agent: int) -> Colour:
    return _FAINT if sim.state.agents[agent].status == DEAD else palette.agent_colour(agent)


def _panel(pen: ImageDraw.ImageDraw, sim: Simulation, verdict: Verdict, max_rounds: int) -> None:
    left, y = LAND + 14, 16
    pen.text((left, y), f"Round {min(sim.state.round, max_rounds)} of {max_rounds}", palette.INK, _font(18))
    pen.text((LAND + PANEL - 14, y), f"PSR {verdict.psr:.2f}", palette.INK, _font(18), anchor="ra")
    y += 34
    for point in verdict.checkpoints:
        colour = _GOOD if point.reached else palette.INK
        if point.reached:
            pen.ellipse((left, y + 3, left + 9, y + 12), fill=_GOOD)
        else:
            pen.ellipse((left, y + 3, left + 9, y + 12), outline=_FAINT)
        pen.text((left + 16, y), _fitted(pen, point.text, PANEL - 44), colour, _font(13))
        y += 19
    for rule in verdict.constraints:
        if not rule.held:
            pen.text((left, y), _fitted(pen, f"broken: {rule.label}", PANEL - 28), _BAD, _font(13))
            y += 19
    y += 10
    step = max(14, min(26, (LAND - y - 8) // len(sim.names)))
    for i, name in enumerate(sim.names):
        if y + step > LAND:
            break
        _row(pen, sim, i, name, y)
        y += step


def _row(pen: ImageDraw.ImageDraw, sim: Simulation, i: int, name: str, y: int) -> None:
    left, right = LAND + 14, LAND + PANEL - 14
    me = sim.state.agents[i]
    pen.ellipse((left, y + 2, left + 10, y + 12), fill=_colour(sim, i), outline=palette.INK)
    pen.text((left + 16, y), _fitted(pen, name, 150), palette.INK, _font(13))
    share = me.hp / sim.max_hp[i]
    pen.rectangle((right - 100, y + 4, right, y + 11), fill=(220, 208, 184))
    if share > 0:
        pen.rectangle(
            (right - 100, y + 4, right - 100 + 100 * share, y + 11), fill=_GOOD if share > 0.35 else _BAD
        )
    if me.asleep:
        pen.text((right - 118, y), "z", _FAINT, _font(13))


def _fitted(pen: ImageDraw.ImageDraw, text: str, width: int) -> str:
    if pen.textlength(text, _font(13)) <= width:
        return text
    while text and pen.textlength(text + "...", _font(13)) > width:
        text = text[:-1]
    return text + "..."


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)
