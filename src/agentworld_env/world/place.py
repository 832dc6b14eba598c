"""Places resource nodes and common mobs on the terrain: ``python -m agentworld_env.world.place``.

First every demand of demands.csv is met, nearest tiles first; then each family of nodes is filled up to its
published total over the habitats of its kinds, and each kind of mob gets its scattered packs: gentle kinds around
the towns, dangerous ones far from towns and roads. All choices are integer hashes of kind and tile, so that the same
terrain and the same sources give the same world on every machine.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from agentworld_env.errors import AgentWorldError
from agentworld_env.world.board import Board, Mask
from agentworld_env.world.catalogue import MobKind, MobSpawn, Node, NodeKind, Place
from agentworld_env.world.compile import compile_catalogue
from agentworld_env.world.content import Demand, Habitat, Standards, data_path, read_standards
from agentworld_env.world.load import CATALOGUE_FILE
from agentworld_env.world.sources import ContentError, known, read_yaml
from agentworld_env.world.terrain import BIOMES, GROUND, Terrain, load_terrain

FAMILY_TOTALS = {"tree": 803, "rock": 383, "fish": 106, "plant": 239}
"""Resource nodes per family. Published figures."""

_PER_GROVE = 5  # nodes of a kind in one grove
_PACKS = ((40, 4), (120, 2))  # below the level: so many mobs of a kind in one grove
_ALONE = 1


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """What placement reads besides the terrain.

    Attributes:
        node_kinds: All kinds of resource nodes.
        mob_kinds: All kinds of mobs.
        standards: Habitats, demands and the tiles to keep clear.
        towns: Middles (x, y) of the towns, from which danger grows.
    """

    node_kinds: tuple[NodeKind, ...]
    mob_kinds: tuple[MobKind, ...]
    standards: Standards
    towns: tuple[tuple[int, int], ...]


def read_sources(folder: Path) -> Sources:
    """Reads what placement needs from a folder of content sources.

    Args:
        folder: The folder.

    Raises:
        ContentError: An entry does not fit, or names a kind that does not exist.
    """
    node_kinds = read_yaml(folder / "node_kinds.yaml", NodeKind)
    mob_kinds = read_yaml(folder / "mob_kinds.yaml", MobKind)
    standards = read_standards(folder)
    kinds = {kind.key for kind in node_kinds} | {kind.key for kind in mob_kinds}
    for demand in standards.demands:
        known("demands.csv", demand.note, "kind", demand.kind, kinds)
    for habitat in standards.habitats:
        known("habitats.yaml", habitat.kind, "kind", habitat.kind, kinds)
        for biome in habitat.biomes:
            known("habitats.yaml", habitat.kind, "biomes", biome, set(BIOMES))
        for ground in habitat.ground:
            known("habitats.yaml", habitat.kind, "ground", ground, set(GROUND))
    missing = kinds - {habitat.kind for habitat in standards.habitats}
    if missing:
        raise ContentError(f"habitats.yaml: no entry for {', '.join(sorted(missing))}")
    towns = tuple((p.x, p.y) for p in read_yaml(folder / "places.yaml", Place) if p.kind == "town")
    return Sources(node_kinds=node_kinds, mob_kinds=mob_kinds, standards=standards, towns=towns)


def place(terrain: Terrain, sources: Sources) -> tuple[tuple[Node, ...], tuple[MobSpawn, ...]]:
    """Returns the resource nodes and the common mobs of a terrain.

    Args:
        terrain: The land, without nodes on it.
        sources: Kinds, demands, habitats and the tiles to keep clear.

    Raises:
        ContentError: A demand or a family's total does not fit on the land.
    """
    board = Board(terrain, sources.standards.anchors, sources.towns)
    node_kinds = {kind.key: kind for kind in sources.node_kinds}
    mob_kinds = {kind.key: kind for kind in sources.mob_kinds}
    nodes = _place_nodes(board, node_kinds, sources)
    mobs = _place_mobs(board, mob_kinds, sources)
    return tuple(Node(*row) for row in _numbered(nodes)), tuple(MobSpawn(*row) for row in _numbered(mobs))


def write(folder: Path | None = None) -> None:
    """Places everything on the package's terrain; writes nodes.csv, mobs.csv and the compiled catalogue.

    The catalogue is compiled along, so that a new terrain never meets the nodes of the old one.

    Args:
        folder: Folder of the sources and of the files written; the package's own by default.
    """
    folder = data_path() if folder is None else folder
    nodes, mobs = place(load_terrain(), read_sources(folder))
    for name, rows in (("nodes.csv", nodes), ("mobs.csv", mobs)):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("id", "kind", "x", "y"))
            writer.writerows((row.id, row.kind, row.x, row.y) for row in rows)
    (folder / CATALOGUE_FILE).write_bytes(compile_catalogue(folder))


def _place_nodes(board: Board, kinds: dict[str, NodeKind], sources: Sources) -> list[tuple[str, int, int]]:
    masks = {"tree": board.solid, "rock": board.solid, "fish": board.shore, "plant": board.open}
    placed: list[tuple[str, int, int]] = []
    for demand in sources.standards.demands:
        if demand.kind in kinds:
            _meet(board, demand, masks[kinds[demand.kind].family], placed)
    for family, total in FAMILY_TOTALS.items():
        homes = [h for h in sources.standards.habitats if h.kind in kinds and kinds[h.kind].family == family]
        left = total - sum(kinds[kind].family == family for kind, _, _ in placed)
        if left < 0:
            raise ContentError(
                f"demands.csv: asks for {total - left} nodes of family {family}; at most {total}"
            )
        for habitat, count in _shares(homes, left):
            _scatter(board, habitat, masks[family], count, _PER_GROVE, placed)
    return placed


def _place_mobs(board: Board, kinds: dict[str, MobKind], sources: Sources) -> list[tuple[str, int, int]]:
    placed: list[tuple[str, int, int]] = []
    for demand in sources.standards.demands:
        if demand.kind in kinds:
            _meet(board, demand, board.ground_for(kinds[demand.kind]), placed)
    for habitat in sources.standards.habitats:
        if habitat.kind in kinds:
            mob = kinds[habitat.kind]
            pack = next((size for level, size in _PACKS if mob.level < level), _ALONE)
            _scatter(board, habitat, board.range_of(mob), habitat.count, pack, placed)
    return placed


def _meet(board: Board, demand: Demand, mask: Mask, placed: list[tuple[str, int, int]]) -> None:
    have = sum(
        kind == demand.kind and abs(x - demand.x) + abs(y - demand.y) <= demand.within
        for kind, x, y in placed
    )
    if have >= demand.count:
        return
    for x, y in board.near(demand.kind, mask, demand.x, demand.y, demand.within):
        if board.take(x, y):
            placed.append((demand.kind, x, y))
            have += 1
            if have >= demand.count:
                return
    raise ContentError(
        f"demands.csv, {demand.kind} at ({demand.x}, {demand.y}), field 'count': room for {have} within "
        f"{demand.within} tiles; expected {demand.count}"
    )


def _scatter(
    board: Board,
    habitat: Habitat,
    mask: Mask,
    count: int,
    per_grove: int,
    placed: list[tuple[str, int, int]],
) -> None:
    left = count
    if left == 0:
        return
    for x, y in board.scatter(habitat.kind, mask & board.home(habitat), per_grove):
        if board.take(x, y):
            placed.append((habitat.kind, x, y))
            left -= 1
            if left == 0:
                return
    raise ContentError(f"habitats.yaml, entry {habitat.kind!r}: room for {count - left}; expected {count}")


def _shares(habitats: list[Habitat], total: int) -> list[tuple[Habitat, int]]:
    """Splits a total by share; the remainders go to the kinds listed first."""
    weight = sum(h.share for h in habitats)
    counts = [total * h.share // weight for h in habitats]
    for i in range(total - sum(counts)):
        counts[i] += 1
    return list(zip(habitats, counts, strict=True))


def _numbered(placed: list[tuple[str, int, int]]) -> Iterator[tuple[str, str, int, int]]:
    count: dict[str, int] = {}
    for kind, y, x in sorted((kind, y, x) for kind, x, y in placed):
        count[kind] = count.get(kind, 0) + 1
        yield f"{kind}-{count[kind]:04d}", kind, x, y


def main() -> int:
    """Places everything in the package's own sources; returns the exit code."""
    try:
        write()
    except AgentWorldError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
