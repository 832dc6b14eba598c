"""Many episodes at once, in this process or in several, as a Gymnasium vector environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from agentworld_env.env import ParallelAgentWorldEnv, Shaping
from agentworld_env.env.discrete.slots import SIZE
from agentworld_env.errors import AgentWorldError, InvalidValueError, quoted
from agentworld_env.learning.arrays import Arrays, SharedMemory, length
from agentworld_env.learning.crew import Crew
from agentworld_env.learning.group import AUTORESETS, DISABLED, SAME_STEP, Group
from agentworld_env.sim.setup import GREATEST_SEED, checked_seed
from agentworld_env.tasks import Task

_MODES = dict(
    zip(AUTORESETS, (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED), strict=True)
)

Observation = dict[str, Any]

_FIRST = "call reset() first"

_POSIX = os.name == "posix"


def _fresh_seed() -> int:
    return int.from_bytes(os.urandom(6), "big")


class TeamVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """Episodes of teams, played side by side, seen as a Gymnasium vector environment of agents.

    Every agent of every episode is one of the ``num_envs`` slots; those of an episode lie side by side in turn order,
    the first episode's first. A slot's observation is ``{"observation": features, "action_mask": mask}``, batched over
    slots; an action is an index of the menu for every slot. One step is one round of every episode.

    When an episode ends, ``autoreset`` says what happens, as Gymnasium defines it: ``next_step`` (the next step starts
    the following episode, ignores the actions and pays nothing), ``same_step`` (the step returns the first observation
    of the following episode, the last one of the ended episode in ``infos["final_obs"]`` and what it came to in
    ``infos["final_info"]``), or ``disabled``
    (``reset(options={"reset_mask": mask})`` starts it). The seeds of later episodes follow from the first one's.

    An agent can leave before its team's episode ends. Its slot then stays empty until the next episode: observation
    and reward are 0, the mask allows waiting only, and it is reported terminated in every step, so that no learner
    looks across. ``infos["active"]`` says for every slot whether this step's action was that of its agent: the
    transitions to learn from; after a reset, which plays no action, it is False everywhere. When episodes end,
    ``infos`` has ``psr``, ``success``, ``rounds`` and ``seed`` with their masks ``_psr`` ..., the same for all slots
    of an episode.

    Args:
        tasks: The tasks; episode ``e`` plays ``tasks[e % len(tasks)]``.
        episodes: Episodes played at once.
        processes: Processes that share them, besides this one; 0 plays them here.
        setting: Name of a setting, or None for the default.
        reward: ``progress`` or ``sparse``.
        shaping: What is paid on top, or None; with processes it must be picklable.
        plans: The plan that the setting ``shared_plan`` gives, per task.
        autoreset: ``next_step``, ``same_step`` or ``disabled``, or the member of Gymnasium's ``AutoresetMode``.
        copy: Whether observations are returned in new arrays; otherwise they are overwritten by the next step.

    Attributes:
        episodes: Episodes played at once.
        teams: Agents of each episode, in turn order.
        episode_of: Episode of each slot.

    Raises:
        TypeError: If a number is none.
        ValueError: If a number or ``autoreset`` is out of range, or there are fewer episodes than tasks.
        AgentWorldError: If a task cannot be played under the setting, or not be seen as numbers, or if there shall be
            processes on a system that is not of the POSIX kind.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        episodes: int,
        *,
        processes: int = 0,
        setting: str | None = None,
        reward: str = "progress",
        shaping: Shaping | None = None,
        plans: Sequence[str | None] = (),
        autoreset: str | AutoresetMode = "next_step",
        copy: bool = True,
    ) -> None:
        for name, number in (("n", episodes), ("processes", processes)):
            if isinstance(number, bool) or not isinstance(number, int | np.integer):
                raise TypeError(f"{name} must be a whole number, not {quoted(number)}")
        episodes, processes = int(episodes), int(processes)
        if episodes < 1:
            raise InvalidValueError(f"a vector environment plays at least one episode, not {episodes}")
        if processes < 0:
            raise InvalidValueError(f"processes must be 0 or more, not {processes}")
        if processes and not _POSIX:
            # They inherit a block of memory by its file descriptor, which Windows does not know.
            raise AgentWorldError(
                "processes of a vector environment need Linux or macOS; use processes=0 here"
            )
        if episodes < len(tasks):
            raise InvalidValueError(
                f"{len(tasks)} tasks need at least {len(tasks)} episodes at once, not {episodes}"
            )
        if isinstance(autoreset, AutoresetMode):
            autoreset = next(name for name, mode in _MODES.items() if mode is autoreset)
        if autoreset not in AUTORESETS:
            raise InvalidValueError(
                f"autoreset must be one of {', '.join(AUTORESETS)}, not {quoted(autoreset)}"
            )
        options: list[dict[str, Any]] = [
            {
                "task": tasks[e % len(tasks)],
                "setting": setting,
                "reward": reward,
                "observation": "features",
                "action": "discrete",
                "shaping": shaping,
                "plan": plans[e % len(tasks)] if plans else None,
            }
            for e in range(episodes)
        ]
        # One of each task is made here in any case: it says what is wrong before a process is started.
        models = [ParallelAgentWorldEnv(**options[e]) for e in range(min(episodes, len(tasks)))]
        self.episodes = episodes
        self.teams = tuple([tuple(models[e % len(models)].possible_agents) for e in range(episodes)])
        self.episode_of: NDArray[np.int64] = np.repeat(np.arange(episodes), [len(t) for t in self.teams])
        self.num_envs = len(self.episode_of)
        self.copy = copy
        self.autoreset = autoreset
        self.metadata = {"autoreset_mode": _MODES[autoreset], "render_modes": []}
        team = models[0]
        self._layout = team.interface.senses.layout
        self.single_observation_space = team.observation_space(team.possible_agents[0])
        self.single_action_space = spaces.Discrete(SIZE)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._slots = [0, *np.cumsum([len(t) for t in self.teams]).tolist()]
        # Why no step can be made, as long as none can.
        self._unready = _FIRST
        sizes = (self.num_envs, episodes, self._layout.size)
        self._crew: Crew | None = None
        self._group: Group | None = None
        if processes:
            shared = SharedMemory(length(*sizes))
            try:
                self._arrays = Arrays(*sizes, shared.memory)
                self._crew = Crew(options, self._slots, shared, sizes, autoreset, min(processes, episodes))
            finally:
                shared.close()
        else:
            self._arrays = Arrays(*sizes)
            envs = models + [ParallelAgentWorldEnv(**given) for given in options[len(models) :]]
            self._group = Group(envs, self._arrays, 0, 0, autoreset)

    # -- Gymnasium ---------------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts episodes.

        Args:
            seed: Seed of the first episode; the others get the following ones. Or one seed per episode. None stands for
                fresh ones from the operating system.
            options: ``{"reset_mask": mask}`` starts only the episodes whose slots, or whose places among the episodes,
                are True; an episode's slots must agree.

        Returns:
            Observations and infos.

        Raises:
            ValueError: If a seed or the mask is none of these, or not every episode is started where that is needed:
                the first time, and after an interruption.
            RuntimeError: After ``close``; with processes also after an interrupted step, or if one has died.
        """
        if self.closed:
            raise RuntimeError("the vector environment is closed")
        seeds: list[int | None] = list(self._seeds(seed))
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            wanted = self._wanted(np.asarray(mask))
            seeds = [given if want else None for given, want in zip(seeds, wanted, strict=True)]
            if self._unready and not wanted.all():
                when = "the first reset" if self._unready == _FIRST else "after an interruption a reset"
                raise InvalidValueError(f"{when} must start every episode")
        self._unready = "the last reset was interrupted; call reset() for every episode"
        if self._crew is not None:
            self._crew.reset(seeds)
        elif self._group is not None:
            self._group.reset(seeds)
        self._unready = ""
        # No action was played, whatever the step before has left there.
        active = np.zeros(self.num_envs, dtype=np.bool_)
        return self._observation(), {"active": active, "seed": self._arrays.seeds[self.episode_of]}

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int]:
        count = self.episodes
        if seed is None:
            return [_fresh_seed() for _ in range(count)]
        if isinstance(seed, str) or not isinstance(seed, Sequence | np.ndarray):
            first = checked_seed(seed)
            if first > GREATEST_SEED - (count - 1):
                raise InvalidValueError(
                    f"episode e gets seed + e: for {count} episodes a seed is at most {GREATEST_SEED - (count - 1)}, "
                    f"not {quoted(seed)}"
                )
            return [first + e for e in range(count)]
        if len(seed) != count:
            raise InvalidValueError(f"one seed per episode: {count}, not {len(seed)}")
        return [_fresh_seed() if each is None else checked_seed(each) for each in seed]

    def _wanted(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns which episodes a mask over slots or episodes names."""
        if mask.dtype != np.bool_ or mask.shape not in ((self.num_envs,), (self.episodes,)):
            raise InvalidValueError(
                f"reset_mask must be a boolean array over {self.num_envs} slots or {self.episodes} episodes, not "
                f"{mask.dtype} of shape {mask.shape}"
            )
        if mask.shape == (self.episodes,):
            return mask
        first = mask[np.asarray(self._slots[:-1])]
        if (first[self.episode_of] != mask).any():
            raise InvalidValueError("reset_mask must be the same for all slots of an episode")
        return np.asarray(first, dtype=np.bool_)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Plays a round of every episode.

        Args:
            actions: An index of the menu for every slot, integers of shape (``num_envs``,).

        Returns:
            Observations, rewards (float64), terminations and truncations (bool), each over slots, and infos.

        Raises:
            ValueError: If actions are of another shape or type, or outside the menu.
            RuntimeError: Before the first ``reset``, after ``close``, after an interrupted step, if an episode is over
                and ``autoreset`` is ``disabled`` (then nothing is played), or if a process has died.
        """
        if self._unready or self.closed:
            raise RuntimeError("the vector environment is closed" if self.closed else self._unready)
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise InvalidValueError(
                f"actions must be integers of shape ({self.num_envs},), not {given.dtype} of shape {given.shape}"
            )
        if given.min() < 0 or given.max() >= SIZE:
            raise InvalidValueError(f"actions must lie in 0..{SIZE - 1}")
        arrays = self._arrays
        if self.autoreset == DISABLED and arrays.ended.any():
            # Known before any episode is played, so that a refused step leaves all of them as they were.
            over = np.flatnonzero(arrays.ended).tolist()
            others = f" and {len(over) - 1} others are" if over[1:] else " is"
            which = "them" if over[1:] else "it"
            raise RuntimeError(
                f"episode {over[0]}{others} over: reset {which} with options={{'reset_mask': mask}}"
            )
        arrays.actions[:] = given
        # Whatever interrupts a step leaves the episodes at different places.
        if self._crew is not None:
            self._crew.step()
        elif self._group is not None:
            self._unready = "the last step was interrupted; call reset() for every episode"
            self._group.step()
            self._unready = ""
        infos: dict[str, Any] = {"active": arrays.active.copy()}
        if arrays.ended.any():
            self._add_endings(infos)
        if self.autoreset == SAME_STEP and (arrays.terminations | arrays.truncations).any():
            self._add_final(infos)
        return (
            self._observation(),
            arrays.rewards.copy(),
            arrays.terminations.copy(),
            arrays.truncations.copy(),
            infos,
        )

    def _observation(self) -> Observation:
        arrays = self._arrays
        fields = self._layout.arrays(arrays.features)
        mask = arrays.mask
        if self.copy:
            fields = {name: field.copy() for name, field in fields.items()}
            mask = mask.copy()
        return {"observation": fields, "action_mask": mask}

    def _add_endings(self, infos: dict[str, Any], among: NDArray[np.bool_] | None = None) -> None:
        """Adds what became of the episodes that ended, for all of their slots or those among some."""
        arrays, of = self._arrays, self.episode_of
        ended = arrays.ended[of] if among is None else arrays.ended[of] & among
        for name, values in (
            ("psr", arrays.psr),
            ("success", arrays.success),
            ("rounds", arrays.rounds),
            ("seed", arrays.seeds),
        ):
            infos[name] = np.where(ended, values[of], 0).astype(values.dtype)
            infos[f"_{name}"] = ended.copy()

    def _add_final(self, infos: dict[str, Any]) -> None:
        arrays = self._arrays
        final: NDArray[Any] = np.full(self.num_envs, None, dtype=object)
        done = (arrays.terminations | arrays.truncations) & arrays.active
        for slot in np.flatnonzero(done).tolist():
            fields = self._layout.arrays(arrays.final_features[slot].copy())
            final[slot] = {"observation": fields, "action_mask": arrays.final_mask[slot].copy()}
        infos["final_obs"], infos["_final_obs"] = final, done
        last: dict[str, Any] = {"active": done.copy(), "_active": done.copy()}
        if (arrays.ended[self.episode_of] & done).any():
            self._add_endings(last, done)
        infos["final_info"], infos["_final_info"] = last, done.copy()

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the processes; nothing is left of them."""
        if self._crew is not None:
            self._crew.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        # Also what copy.copy and copy.deepcopy ask for: a second handle on the same memory would be no environment.
        raise TypeError(
            "a vector environment cannot be copied or pickled: its episodes share one block of memory; "
            "make another with agentworld_env.vector() and reset it with the same seeds"
        )

    # -- beyond Gymnasium --------------------------------------------------------------------------

    @property
    def envs(self) -> tuple[ParallelAgentWorldEnv, ...]:
        """The environments of the episodes, if they are played in this process.

        Raises:
            AgentWorldError: If they are played in others.
        """
        if self._group is None:
            raise AgentWorldError(
                "these episodes are played in other processes; make the environment with processes=0"
            )
        return self._group.envs

    def slots(self, episode: int) -> slice:
        """Returns the slots of an episode."""
        return slice(self._slots[episode], self._slots[episode + 1])

    def __repr__(self) -> str:
        where = f", {len(self._crew.processes)} processes" if self._crew is not None else ""
        return f"TeamVectorEnv({self.episodes} episodes, {self.num_envs} slots, {self.autoreset}{where})"


__all__ = ["DISABLED", "TeamVectorEnv"]
