"""Colours of the map picture."""

from __future__ import annotations

from colorsys import hls_to_rgb

Colour = tuple[int, int, int]

GROUND_COLOURS: dict[str, Colour] = {
    "deep water": (46, 92, 142),
    "shallow water": (98, 160, 192),
    "sand": (233, 217, 166),
    "grass": (147, 184, 104),
    "forest floor": (104, 150, 84),
    "thicket": (56, 104, 60),
    "marsh": (126, 134, 90),
    "rock floor": (166, 155, 140),
    "cliff": (122, 110, 100),
    "snow": (238, 242, 246),
    "ice": (194, 222, 236),
    "lava": (228, 98, 36),
    "ash": (104, 92, 90),
    "ruins floor": (190, 178, 150),
    "wall": (82, 72, 68),
    "road": (206, 176, 130),
    "bridge": (150, 108, 66),
    "cave floor": (124, 110, 106),
    "dune": (232, 202, 134),
    "glade": (164, 190, 172),
    "paving": (204, 199, 192),
    "farmland": (206, 186, 100),
}
"""Kind of ground -> colour."""

BIOME_TINTS: dict[str, Colour] = {
    "wilderness": (0, 0, 0),
    "coastal": (4, 4, 0),
    "mountain": (0, 0, 0),
    "frozen": (-2, 2, 8),
    "magical": (14, -8, 22),
    "dragon_lair": (8, -6, -6),
    "ruins": (6, 0, -8),
    "castle": (6, 6, 0),
    "dark_forest": (-26, -26, -12),
}
"""Biome -> what is added to the colour of the ground there."""

NODE_COLOURS: dict[str, Colour] = {
    "tree": (24, 68, 30),
    "rock": (64, 60, 72),
    "fish": (214, 240, 255),
    "plant": (214, 92, 168),
}
"""Family of resource nodes -> colour."""

MOB_COLOUR: Colour = (178, 36, 32)
BOSS_COLOUR: Colour = (120, 12, 60)
NPC_COLOUR: Colour = (250, 214, 60)
PORTAL_COLOUR: Colour = (126, 70, 190)
INK: Colour = (34, 28, 24)
PAPER: Colour = (244, 236, 216)
"""Colours of markers, lettering and legend."""


_GOLDEN = 137.508
"""The golden angle (degrees): any number of steps of it lie well apart."""


def agent_colour(index: int) -> Colour:
    """Returns a colour that tells an agent from its team-mates: hue by steps, lightness and richness taking turns.

    Args:
        index: Place of the agent in the order of turns.
    """
    hue = (index * _GOLDEN + 8) % 360 / 360
    red, green, blue = hls_to_rgb(hue, (0.52, 0.66, 0.42)[index % 3], (0.78, 0.62)[index % 2])
    return round(red * 255), round(green * 255), round(blue * 255)
