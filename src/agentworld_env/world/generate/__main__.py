"""Writes ``terrain.bin`` and, where the package has them, the placements that stand on it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

from agentworld_env.world.generate.build import write


def main() -> None:
    """Regenerates the packaged map; prints the size of the file."""
    path = Path(__file__).resolve().parent.parent / "data" / "terrain.bin"
    size = write(path)
    sys.stdout.write(f"{path.name}: {size} bytes\n")
    if importlib.util.find_spec("agentworld_env.world.place") is not None:
        importlib.import_module("agentworld_env.world.place").write()


if __name__ == "__main__":
    main()
