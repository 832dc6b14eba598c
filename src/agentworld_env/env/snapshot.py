"""A moment of an episode as a value."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from agentworld_env.errors import InvalidValueError
from agentworld_env.sim import Simulation, Snapshot
from agentworld_env.tasks import Task
from agentworld_env.verifiers import Verifier


class EnvSnapshot:
    """A moment of a task's episode, put aside: simulation, verifier and PettingZoo bookkeeping.

    Every interface takes those of every other, whatever is observed and how actions are given.

    Attributes:
        task: The task as it is played.
        setting: Name of the setting.
        reward: The kind of reward.
        sim: State of the simulation.
        verifier: What the verifier has counted.
        books: PettingZoo's bookkeeping.
        shaping: What shaped rewards have been paid for, or None where there are none.
    """

    __slots__ = ("books", "reward", "setting", "shaping", "sim", "task", "verifier")

    def __init__(
        self,
        task: Task,
        setting: str,
        reward: str,
        sim: Snapshot,
        verifier: Any,
        books: tuple[Any, ...],
        shaping: Any = None,
    ) -> None:
        self.task = task
        self.setting = setting
        self.reward = reward
        self.sim = sim
        self.verifier = verifier
        self.books = books
        self.shaping = shaping

    def __reduce__(self) -> tuple[Any, ...]:
        kinds = (self.task, self.setting, self.reward)
        return EnvSnapshot, (*kinds, self.sim, self.verifier, self.books, self.shaping)


def episode_hash(sim: Simulation, verifier: Verifier, paid: float) -> str:
    """Returns the hash of an episode's moment (32 hexadecimal digits); see ``AgentWorldEnv.state_hash``.

    Args:
        sim: The simulation.
        verifier: The verifier.
        paid: Rewards so far of an agent that stays.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(sim.state_hash().encode())
    digest.update(_ENCODER.encode((verifier.digest_parts(), paid)))
    return digest.hexdigest()


_ENCODER = msgspec.msgpack.Encoder(order="deterministic")


def check_snapshot(snapshot: object, task: Task, setting: str, reward: str) -> None:
    """Refuses what cannot be restored in an environment.

    Args:
        snapshot: What is to be restored.
        task: The environment's task.
        setting: Name of its setting.
        reward: Its kind of reward.

    Raises:
        TypeError: If it is no snapshot of an environment.
        ValueError: If it is of another task, setting or reward.
    """
    if not isinstance(snapshot, EnvSnapshot):
        raise TypeError(f"restore() takes what snapshot() returned, not {type(snapshot).__name__}")
    for what, theirs, ours in (("setting", snapshot.setting, setting), ("reward", snapshot.reward, reward)):
        if theirs != ours:
            raise InvalidValueError(
                f"a snapshot with {what} {theirs!r} cannot be restored with {what} {ours!r}"
            )
    if snapshot.task is not task and snapshot.task != task:
        one = "another version of " if snapshot.task.id == task.id else ""
        raise InvalidValueError(f"a snapshot of {snapshot.task.id} cannot be restored in {one}{task.id}")
