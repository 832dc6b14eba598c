"""A learned policy at play: it is given what the numeric environments give, and answers with an index of the menu."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, SupportsIndex

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.env.discrete.slots import SIZE
from agentworld_env.env.features.senses import Senses
from agentworld_env.episodes import canonical_call
from agentworld_env.errors import AgentWorldError, quoted
from agentworld_env.policies.protocol import Brief, Call, Decision, Turn

Choose = Callable[[dict[str, Any]], SupportsIndex]
"""From an observation, ``{"observation": features, "action_mask": mask}``, to an index of the menu."""

APIS = ("parallel", "aec")


class DiscretePolicy:
    """Plays what a function chooses from features and mask, wherever a policy can play.

    The observations are those of ``make(..., observation="features", action="discrete")`` at the same moment, in new
    arrays. The calls that the indices stand for are recorded, so that such episodes are scored, replayed and compared
    like all others. Nothing but its agents' own observations reaches the function.

    With ``api="parallel"``, for what was trained with the parallel or the vector environment, all its agents choose
    before the first of them acts in a round, and an index means what its agent saw then. Played alone, the same seed
    and indices give the same episode as in the parallel environment: as there, agents that sleep or die before their
    turn are asked, and what they choose is dropped. With ``api="aec"``, for what was trained turn by turn or as the
    learner of ``gym_env``, each agent chooses in its own turn.

    A function that samples or remembers needs ``begin`` to start afresh with each episode. When an interrupted episode
    is resumed, it is asked about all that was played already, so that it goes on as if nothing had happened; one that
    chooses anything else than it did is refused. A complete record is returned without asking it, if name and settings
    are the same: say in ``settings`` which model it is.

    Args:
        choose: Called with one agent's observation, ``{"observation": features, "action_mask": mask}``; returns an
            index of the menu as an integer, or an array or tensor of one without axes. One that is not marked in the
            mask is recorded as a failed call.
        name: Short name for records and tables.
        api: ``parallel`` or ``aec``: when the agents choose.
        begin: Called with the seed of each episode before its first choice, or None.
        settings: What decides its answers, for the record's header: plain JSON, no secrets.

    Raises:
        AgentWorldError: An argument is none of these.
    """

    wants_text = False
    # The environment, to look at it through its agents' eyes; what they cannot see is not looked at.
    needs_state = True

    def __init__(
        self,
        choose: Choose,
        *,
        name: str = "learned",
        api: Literal["parallel", "aec"] = "parallel",
        begin: Callable[[int], object] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        if not callable(choose):
            raise AgentWorldError(
                f"DiscretePolicy takes a function from an observation to an index, not {choose!r:.60}"
            )
        if api not in APIS:
            raise AgentWorldError(f"api must be {' or '.join(map(repr, APIS))}, not {api!r:.60}")
        if not isinstance(name, str) or not name.strip():
            raise AgentWorldError(f"name must be a text, not {quoted(name)}")
        if begin is not None and not callable(begin):
            raise AgentWorldError(
                f"begin must be a function that takes the seed of an episode, such as torch.manual_seed, or None, "
                f"not {quoted(begin)}"
            )
        self.name = name
        self.api = api
        self._choose = choose
        self._begin = begin
        self._settings = _checked(settings)
        self._env: AgentWorldEnv | None = None
        self._senses: Senses | None = None
        self._team: frozenset[str] = frozenset()
        self._round = 0
        self._chosen: dict[str, Call] = {}

    def attach(self, env: AgentWorldEnv) -> None:
        """Takes the environment whose agents it plays; called before ``begin``.

        Raises:
            AgentWorldError: The task or its setting cannot be seen as numbers.
        """
        self._env, self._senses = env, Senses(env)

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts an episode.

        Raises:
            RuntimeError: If no environment was attached.
        """
        self._attached()
        self._team = frozenset(briefs)
        self._round, self._chosen = 0, {}
        if self._begin is not None:
            self._begin(seed)

    def act(self, turn: Turn) -> Call:
        """Returns the call that the chosen index stands for.

        Raises:
            AgentWorldError: The function's answer is no index of the menu.
        """
        env, _ = self._attached()
        if turn.agent not in self._team:
            raise AgentWorldError(
                f"the policy {self.name} is asked for {turn.agent}, whom it was not begun for; if it plays in several "
                "places of one team, give each an object of its own"
            )
        if self.api == "aec":
            return self._choice(turn.agent)
        if env.round != self._round:
            self._round = env.round
            self._chosen = {agent: self._choice(agent) for agent in env.agents if agent in self._team}
        return self._chosen[turn.agent]

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Asks the function again, which may sample or remember.

        Raises:
            AgentWorldError: It chooses something else than what is recorded, so that it is not the one that has played.
        """
        if canonical_call(self.act(turn)) != decision.call:
            raise AgentWorldError(
                f"the policy {self.name} would now play otherwise than its record does, in round {turn.round} for "
                f"{turn.agent}: it was changed, or samples without begin; delete the record or choose another place"
            )

    def config(self) -> dict[str, Any]:
        """Returns the settings, and when the agents choose."""
        return {"api": self.api, **self._settings}

    def _attached(self) -> tuple[AgentWorldEnv, Senses]:
        if self._env is None or self._senses is None:
            raise RuntimeError("a DiscretePolicy needs attach(env) before begin()")
        return self._env, self._senses

    def _choice(self, agent: str) -> Call:
        env, senses = self._attached()
        # New arrays: what the function does with them decides nothing.
        given = self._choose({"observation": senses.features(agent), "action_mask": senses.mask(agent)})
        try:
            return senses.call(agent, given)
        except (TypeError, ValueError):
            shown = " ".join(f"{given!r:.60}".split())
            raise AgentWorldError(
                f"the policy {self.name} chose {shown} for {agent} in round {env.round}; "
                f"a discrete action is an integer in 0..{SIZE - 1}"
            ) from None


def _checked(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns settings that can stand in a record's header beside those of the policy itself.

    Raises:
        AgentWorldError: They are none.
    """
    given = {} if settings is None else settings
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise AgentWorldError(
            f"settings must be a dict from names to plain JSON, such as {{'model': 'v1'}}, not {quoted(settings)}"
        )
    if "api" in given:
        raise AgentWorldError(
            f"settings cannot hold 'api' ({quoted(given['api'])}): the record says there when the agents choose; "
            "pass api=... instead, or choose another name"
        )
    try:
        msgspec.json.encode(given)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise AgentWorldError(f"settings must be plain JSON ({error})") from error
    return dict(given)
