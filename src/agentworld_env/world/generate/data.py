"""Reads the hand-made data that the generator starts from."""

from __future__ import annotations

import csv
from importlib import resources


def data_text(name: str) -> str:
    """Returns the text of a file in the world's data folder.

    Args:
        name: File name.
    """
    return (resources.files("agentworld_env.world") / "data" / name).read_text("ascii")


def read_rows(name: str) -> list[dict[str, str]]:
    """Returns the rows of a CSV file in the world's data folder.

    Args:
        name: File name.
    """
    return list(csv.DictReader(data_text(name).splitlines()))
