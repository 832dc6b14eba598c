"""Pictures of action graphs: laid out once, written as SVG or, with pillow, as PNG."""

from agentworld_env.report.picture.layout import picture
from agentworld_env.report.picture.png import png
from agentworld_env.report.picture.shapes import Curve, Picture, Rectangle, Text
from agentworld_env.report.picture.svg import svg

__all__ = ["Curve", "Picture", "Rectangle", "Text", "picture", "png", "svg"]
