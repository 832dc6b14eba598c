"""Connected components of the walkable tiles, by runs: rows are cut into runs, and touching runs are joined."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def label_components(walkable: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Returns a label per tile: equal for tiles that a 4-neighbour walk connects, 0 where nobody can walk.

    Args:
        walkable: Truth per tile, indexed [row, column].
    """
    height, width = walkable.shape
    framed = np.zeros((height, width + 2), dtype=np.int8)
    framed[:, 1:-1] = walkable
    change = np.diff(framed, axis=1).reshape(-1)
    # Positions in rows of width + 1: a run covers [start, end) in that numbering.
    starts, ends = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    labels = np.zeros((height, width), dtype=np.int32)
    if not len(starts):
        return labels
    parent = _joined(starts, ends, width + 1)
    lengths = ends - starts
    labels[walkable] = np.repeat(parent + 1, lengths)
    return labels


def _joined(starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], stride: int) -> npt.NDArray[np.int64]:
    """Returns the least run of each run's component."""
    # Runs of the row above that overlap a run: those that end after its start and start before its end.
    first = np.searchsorted(ends, starts - stride, side="right")
    last = np.searchsorted(starts, ends - stride, side="left")
    count = np.maximum(last - first, 0)
    lower = np.repeat(np.arange(len(starts)), count)
    offset = np.arange(len(lower)) - np.repeat(np.cumsum(count) - count, count)
    upper = np.repeat(first, count) + offset
    parent = np.arange(len(starts))
    while True:
        a, b = parent[lower], parent[upper]
        differ = a != b
        if not differ.any():
            return parent
        lower, upper, a, b = lower[differ], upper[differ], a[differ], b[differ]
        np.minimum.at(parent, np.maximum(a, b), np.minimum(a, b))
        while True:
            shorter = parent[parent]
            if np.array_equal(shorter, parent):
                break
            parent = shorter
