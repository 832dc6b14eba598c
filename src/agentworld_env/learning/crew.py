"""The processes of a vector environment: starting them, asking them, and leaving none behind."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import weakref
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, BinaryIO

from agentworld_env.learning.arrays import SharedMemory
from agentworld_env.learning.worker import receive, send

_PATIENCE = 2.0
"""Seconds that a process is given to end by itself."""


class Crew:
    """Processes that each play some of the episodes.

    They are fresh interpreters, so that no script needs a guard and no thread or lock is inherited. They are deaf to
    Ctrl-C and end when their pipe closes, which it does with this process, however that ends.

    Args:
        options: Of each episode's environment.
        slots: First slot of each episode, and the number of slots.
        shared: The memory of the arrays.
        sizes: Slots, episodes and length of features (bytes).
        autoreset: How episodes follow each other.
        count: How many processes.

    Raises:
        RuntimeError: A process could not be started, or an environment not be made.
    """

    def __init__(
        self,
        options: Sequence[dict[str, Any]],
        slots: Sequence[int],
        shared: SharedMemory,
        sizes: tuple[int, int, int],
        autoreset: str,
        count: int,
    ) -> None:
        episodes = len(options)
        bounds = [episodes * k // count for k in range(count + 1)]
        self._shares = [slice(a, b) for a, b in pairwise(bounds)]
        self.processes: list[subprocess.Popen[bytes]] = []
        self._broken = ""
        self._finalizer = weakref.finalize(self, _end, self.processes)
        try:
            for share in self._shares:
                self.processes.append(_start(shared.descriptor))
                send(
                    self._pipe(-1),
                    {
                        "memory": shared.descriptor,
                        "size": len(shared.memory),
                        "slots": sizes[0],
                        "episodes": sizes[1],
                        "features": sizes[2],
                        "options": list(options[share]),
                        "first": share.start,
                        "slot": slots[share.start],
                        "autoreset": autoreset,
                    },
                )
            self._gather()
        except BaseException:
            self.close()
            raise

    def _pipe(self, k: int) -> BinaryIO:
        pipe = self.processes[k].stdin
        assert pipe is not None
        return pipe  # type: ignore[return-value]

    def reset(self, seeds: Sequence[int | None]) -> None:
        """Starts the episodes whose seed is not None."""
        self._ask("reset", [list(seeds[share]) for share in self._shares])

    def step(self) -> None:
        """Plays a round of every episode."""
        self._ask("step", [None] * len(self._shares))

    def _ask(self, command: str, arguments: Sequence[Any]) -> None:
        if self._broken:
            raise RuntimeError(f"{self._broken}; close the vector environment and make another")
        # Whatever interrupts the talk leaves the processes at different places.
        self._broken = "the last step was interrupted"
        for k, argument in enumerate(arguments):
            try:
                send(self._pipe(k), (command, argument))
            except (BrokenPipeError, ValueError) as error:
                raise self._died(k) from error
        self._gather()
        self._broken = ""

    def _gather(self) -> None:
        failure: tuple[BaseException, str] | None = None
        for k, process in enumerate(self.processes):
            assert process.stdout is not None
            try:
                reply = receive(process.stdout)  # type: ignore[arg-type]
            except EOFError:
                raise self._died(k) from None
            failure = failure or reply
        if failure is not None:
            error, text = failure
            self._broken = "a process has failed"
            error.add_note(f"in a process of the vector environment:\n{text}")
            raise error

    def _died(self, k: int) -> RuntimeError:
        self._broken = f"process {k + 1} of {len(self.processes)} has died"
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.processes[k].wait(_PATIENCE)
        code = self.processes[k].returncode
        return RuntimeError(
            f"process {k + 1} of {len(self.processes)} of the vector environment died (exit code {code})"
        )

    def close(self) -> None:
        """Ends the processes."""
        self._broken = "the vector environment is closed"
        self._finalizer()


def _start(memory: int) -> subprocess.Popen[bytes]:
    code = f"import sys; sys.path[:] = {sys.path!r}; from agentworld_env.learning.worker import main; main()"
    # Its own interpreter and its own code.
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        pass_fds=(memory,),
    )


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        # A closed pipe is the sign to end.
        with contextlib.suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
    for process in processes:
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
    processes.clear()
