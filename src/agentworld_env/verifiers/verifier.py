"""The verifier: follows an episode's event log and says where the task stands."""

from __future__ import annotations

from typing import Any

from agentworld_env.sim import Simulation
from agentworld_env.sim.events import Event
from agentworld_env.tasks.schema import HeldForRounds, SurvivedUntil, TaskSpec
from agentworld_env.tasks.task import Task
from agentworld_env.verifiers import standing
from agentworld_env.verifiers.constraints import Watch
from agentworld_env.verifiers.kinds import CONSTRAINTS, tracker_of
from agentworld_env.verifiers.scene import Scene
from agentworld_env.verifiers.tracker import Tracker
from agentworld_env.verifiers.verdict import CheckpointStatus, ConstraintStatus, Verdict

Saved = tuple[Any, ...]


class Verifier:
    """Judges one episode of a task, incrementally.

    Call ``update`` after turns, as often or as seldom as you like, and ``round_end`` once after each world's
    turn.

    Args:
        task: The task.
        sim: A simulation of the task's set-up, after its reset. Events already in its log are read by the
            first ``update``; what depends on the ends of rounds counts only those reported to this verifier.

    Attributes:
        impossible: Whether a constraint is broken, which nothing can mend.
        success: Whether every checkpoint is reached and no constraint broken.
        psr: Fraction of checkpoints reached, capped at (n - 1) / n while a constraint is broken.
    """

    __slots__ = (
        "_cursor", "_ended", "_lookers", "_routes", "_scene", "_trackers", "_watches", "impossible", "psr", "sim",
        "success", "task",
    )  # fmt: skip

    def __init__(self, task: Task, sim: Simulation) -> None:
        self.task = task
        self.sim = sim
        spec = task.spec
        self._scene = Scene(sim, spec.sources)
        self._trackers = tuple(tracker_of(c, self._scene) for c in spec.checkpoints)
        self._watches = tuple(CONSTRAINTS[c.kind](c) for c in spec.constraints)
        self._lookers = tuple(tracker for tracker in self._trackers if tracker.looks)
        self._routes = self._routing()
        self._link(spec)
        self._cursor = 0
        self._ended = 0
        self.impossible: bool
        self.success: bool
        self.psr: float
        for tracker in self._lookers:
            tracker.look()
        self._judge()

    def _routing(self) -> dict[type[Event], tuple[Any, ...]]:
        routes: dict[type[Event], tuple[Any, ...]] = {}
        listeners: tuple[Scene | Tracker | Watch, ...] = (self._scene, *self._trackers, *self._watches)
        for listener in listeners:
            for event_type in listener.listens():
                routes[event_type] = (*routes.get(event_type, ()), listener)
        return routes

    def _link(self, spec: TaskSpec) -> None:
        by_label = {tracker.label: tracker for tracker in self._trackers}
        for checkpoint, tracker in zip(spec.checkpoints, self._trackers, strict=True):
            if isinstance(checkpoint, SurvivedUntil | HeldForRounds) and checkpoint.after is not None:
                assert isinstance(tracker, standing.SurvivedUntil | standing.HeldForRounds)
                tracker.follow(by_label[checkpoint.after])

    # -- following the episode -------------------------------------------------------------------------------

    def update(self) -> bool:
        """Reads the events since the last call.

        Returns:
            Whether there were any.
        """
        events = self.sim.state.events
        cursor, end = self._cursor, len(events)
        if cursor == end:
            return False
        routes, scene = self._routes, self._scene
        stirred = False
        while cursor < end:
            event = events[cursor]
            cursor += 1
            listeners = routes.get(type(event))
            if listeners is not None:
                for listener in listeners:
                    if listener is scene:
                        scene.on(event)
                    elif not (isinstance(listener, Tracker) and listener.latches and listener.reached):
                        listener.on(event)
                        stirred = True
        self._cursor = end
        for tracker in self._lookers:
            if not (tracker.latches and tracker.reached):
                tracker.look()
                stirred = True
        if stirred:
            self._judge()
        return True

    def round_end(self) -> None:
        """Judges the round that the simulation has just ended; a second call for it does nothing."""
        self.update()
        state = self.sim.state
        # After the world's turn the simulation already counts the next round, with nobody's turn yet.
        ended = state.round - 1 if state.turn < 0 else state.round
        if ended <= self._ended:
            return
        self._ended = ended
        for tracker in self._trackers:
            if not (tracker.latches and tracker.reached):
                tracker.end_round(ended)
        self._judge()

    # -- what it says ----------------------------------------------------------------------------------------

    def _judge(self) -> None:
        """Draws the conclusions, once after each change: they are asked for more often than they change."""
        total = len(self._trackers)
        reached = sum(tracker.have >= tracker.need for tracker in self._trackers)
        self.impossible = any(watch.round for watch in self._watches)
        self.success = not self.impossible and reached == total
        self.psr = (min(reached, total - 1) if self.impossible else reached) / total

    def verdict(self) -> Verdict:
        """Returns the verdict as of the last ``update`` and ``round_end``."""
        trackers = self._trackers
        return Verdict(
            success=self.success,
            psr=self.psr,
            progress=sum(min(t.have, t.need) / t.need for t in trackers) / len(trackers),
            checkpoints=tuple(
                CheckpointStatus(t.kind, t.label, t.have, t.need, t.reached, t.round, t.actions, t.shares)
                for t in trackers
            ),
            constraints=tuple(
                ConstraintStatus(w.kind, w.label, w.held, w.broken_by, w.round) for w in self._watches
            ),
            impossible=self.impossible,
        )

    # -- value semantics -------------------------------------------------------------------------------------

    def snapshot(self) -> Saved:
        """Returns everything that changes, as an immutable value; the simulation is put aside by itself."""
        return (
            self._cursor,
            self._ended,
            self._scene.save(),
            tuple(tracker.save() for tracker in self._trackers),
            tuple(watch.save() for watch in self._watches),
        )

    def restore(self, saved: Saved) -> None:
        """Goes back to a snapshot; restore the simulation to its own snapshot of the same moment, too."""
        self._cursor, self._ended, moves, trackers, watches = saved
        self._scene.load(moves)
        for tracker, part in zip(self._trackers, trackers, strict=True):
            tracker.load(part)
        for watch, part in zip(self._watches, watches, strict=True):
            watch.load(part)
        self._judge()

    def digest_parts(self) -> Saved:
        """Returns plain values that decide all later verdicts, for the hash of an environment's state."""
        return self.snapshot()
