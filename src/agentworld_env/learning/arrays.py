"""The arrays of a vector environment, in one block of memory that several processes can share."""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentworld_env.env.discrete.slots import SIZE

_ALIGN = 64


class Arrays:
    """Everything that goes in and out of a vector environment.

    A slot is one agent of one episode; slots of an episode lie side by side in turn order.

    Args:
        slots: Slots of all episodes.
        episodes: Episodes played at once.
        features: Length of one agent's features (bytes).
        memory: A writable buffer of ``length(...)`` bytes; new memory if None.

    Attributes:
        actions: Index that each slot has chosen.
        features: Features of each slot, as bytes.
        mask: Legal indices of each slot.
        final_features: Features of each slot at the end of its episode, where the next one begins in the same step.
        final_mask: Its mask there.
        rewards: Reward of each slot.
        terminations: Whether each slot's agent has left the episode, or it was decided.
        truncations: Whether the round budget ran out.
        active: Whether the slot's action of this step was its agent's own.
        ended: Whether each episode ended in this step.
        psr: PSR of the episodes that ended.
        success: Whether they succeeded.
        rounds: Rounds that they lasted.
        seeds: Seed of the running episode; of one that ended in this step, its own.
    """

    def __init__(self, slots: int, episodes: int, features: int, memory: Any = None) -> None:
        places, size = _places(slots, episodes, features)
        if memory is None:
            memory = bytearray(size)
        found = {
            name: np.frombuffer(memory, dtype, int(np.prod(shape)), place).reshape(shape)
            for name, shape, dtype, place in places
        }
        self.actions: NDArray[np.int64] = found["actions"]
        self.features: NDArray[np.uint8] = found["features"]
        self.mask: NDArray[np.int8] = found["mask"]
        self.final_features: NDArray[np.uint8] = found["final_features"]
        self.final_mask: NDArray[np.int8] = found["final_mask"]
        self.rewards: NDArray[np.float64] = found["rewards"]
        self.terminations: NDArray[np.bool_] = found["terminations"]
        self.truncations: NDArray[np.bool_] = found["truncations"]
        self.active: NDArray[np.bool_] = found["active"]
        self.ended: NDArray[np.bool_] = found["ended"]
        self.psr: NDArray[np.float64] = found["psr"]
        self.success: NDArray[np.bool_] = found["success"]
        self.rounds: NDArray[np.int64] = found["rounds"]
        self.seeds: NDArray[np.int64] = found["seeds"]


def length(slots: int, episodes: int, features: int) -> int:
    """Returns how many bytes the arrays take."""
    return _places(slots, episodes, features)[1]


def _places(
    slots: int, episodes: int, features: int
) -> tuple[list[tuple[str, tuple[int, ...], Any, int]], int]:
    places: list[tuple[str, tuple[int, ...], Any, int]] = []
    size = 0
    for name, shape, dtype in (
        ("actions", (slots,), np.int64),
        ("features", (slots, features), np.uint8),
        ("mask", (slots, SIZE), np.int8),
        ("final_features", (slots, features), np.uint8),
        ("final_mask", (slots, SIZE), np.int8),
        ("rewards", (slots,), np.float64),
        ("terminations", (slots,), np.bool_),
        ("truncations", (slots,), np.bool_),
        ("active", (slots,), np.bool_),
        ("ended", (episodes,), np.bool_),
        ("psr", (episodes,), np.float64),
        ("success", (episodes,), np.bool_),
        ("rounds", (episodes,), np.int64),
        ("seeds", (episodes,), np.int64),
    ):
        places.append((name, shape, dtype, size))
        size += -(-int(np.prod(shape)) * np.dtype(dtype).itemsize // _ALIGN) * _ALIGN
    return places, size


class SharedMemory:
    """A block of memory that child processes open by its file descriptor. It has no name anywhere at any time.

    Args:
        size: Its length (bytes).

    Attributes:
        descriptor: What child processes inherit, until ``close`` is called.
        memory: The block.
    """

    def __init__(self, size: int) -> None:
        self.descriptor = _nameless()
        try:
            os.ftruncate(self.descriptor, size)
            self.memory = mmap.mmap(self.descriptor, size)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the descriptor; the memory lives on until nobody maps it any more."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def _nameless() -> int:
    """Returns a descriptor of a file in memory; where there is no such thing, of one that has been unlinked."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("agentworld-env")
    with tempfile.TemporaryFile(prefix="agentworld-env-") as file:
        return os.dup(file.fileno())


def open_shared(descriptor: int, size: int) -> mmap.mmap:
    """Returns the block of memory behind an inherited descriptor, and closes that."""
    try:
        return mmap.mmap(descriptor, size)
    finally:
        os.close(descriptor)
