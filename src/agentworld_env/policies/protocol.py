"""What a policy is: something that sees one agent's observation and answers with one tool call."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeGuard, cast, runtime_checkable

import msgspec

from agentworld_env.calls import Call as Call
from agentworld_env.errors import AgentWorldError

if TYPE_CHECKING:
    from agentworld_env.env import AgentWorldEnv


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """What one agent is told before its first turn; it never changes within an episode.

    Attributes:
        agent: The agent's id.
        title: Title of the task.
        objective: The team's objective, one sentence.
        role: What this agent is for.
        guide: The role's guide: recipes, places, mobs as far as this role is told.
        team: Ids of all agents, in turn order.
        max_rounds: Round budget.
        tools: The tools that exist in this episode, in OpenAI function-calling form; in some turns there may be fewer.
        facts: What the guide says as data: ``recipes``, ``nodes``, ``mobs``, ``places`` and ``sites`` by key, and
            ``reach`` in tiles. The notes are in the text only.
    """

    agent: str
    title: str
    objective: str
    role: str
    guide: str
    team: tuple[str, ...]
    max_rounds: int
    tools: tuple[dict[str, Any], ...]
    facts: dict[str, Any] = {}


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy is asked whether it can play: a task under a setting, and the agents that are its own.

    Attributes:
        task: Id of the task.
        setting: Name of the setting.
        team: Ids of the task's agents before the setting, which may rename them.
        briefs: Agent id -> brief, of the agents that the policy is to play.
    """

    task: str
    setting: str
    team: tuple[str, ...]
    briefs: Mapping[str, Brief]


class Exchange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request to a model and its reply. Re-asks are exchanges of their own.

    Attributes:
        model: Name of the model.
        reply: Raw reply: text and tool calls as the endpoint gave them.
        finish: Finish reason, as the endpoint gave it.
        prompt_tokens: Tokens of the request.
        completion_tokens: Tokens of the reply.
        cached_tokens: Tokens of the request that the provider read from its cache.
        prompt_hash: BLAKE2b of the messages and tools that were sent (hexadecimal).
        problem: Why the reply was no legal call, or empty.
        surplus: Tool calls that the reply held beyond the first, which alone counts.
    """

    model: str
    reply: dict[str, Any]
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    prompt_hash: str = ""
    problem: str = ""
    surplus: Annotated[int, msgspec.Meta(ge=0)] = 0


class Turn(msgspec.Struct, kw_only=True):
    """One turn of one agent.

    Attributes:
        agent: Whose turn it is.
        round: Round, counted from 1.
        observation: The observation text; empty if the policy does not read text (``wants_text = False``).
        info: The environment's info for the agent: ``view`` (structured facts), ``legal`` (legal calls), ``result``.
        last: The agent's previous call and what came of it, or None on its first turn.
        tools: The tools that exist in this turn, in OpenAI function-calling form; None stands for those of the brief.
        asked: Exchanges with a model that an interrupted run has had in this very turn. A policy that goes on from
            them, and returns these very objects, pays for no reply twice.
        note: Keeps an exchange as soon as it is complete, so that it is not lost if the run is interrupted before the
            turn is over: called with its number in the turn (from 0), the exchange, and its time (seconds). None if
            nothing is kept. What is not noted is kept with the decision.
    """

    agent: str
    round: int
    observation: str
    info: Mapping[str, Any]
    last: Mapping[str, Any] | None = None
    tools: tuple[dict[str, Any], ...] | None = None
    asked: tuple[Exchange, ...] = ()
    note: Callable[[int, Exchange, float], None] | None = None


class Decision(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A policy's answer.

    Attributes:
        call: The tool call; anything malformed becomes a failed call with a reason.
        exchanges: Model exchanges that led to it, for the record.
        seconds: Wall-clock time per exchange (seconds); kept out of everything that is compared or hashed.
    """

    call: Any
    exchanges: tuple[Exchange, ...] = ()
    seconds: tuple[float, ...] = ()


class BarePolicy(Protocol):
    """The least that a policy must have; ``as_policy`` fills in the rest.

    One policy object plays all agents of an episode; it must keep what it remembers apart per agent. Implementations
    may answer synchronously or with an awaitable. A bare call dict is as good as a ``Decision``.
    """

    name: str
    """Short name for records and tables."""

    def act(self, turn: Turn) -> Decision | Call | Awaitable[Decision | Call]:
        """Returns the call for a turn."""


@runtime_checkable
class Policy(BarePolicy, Protocol):
    """A team of agents' decision maker, asked once per turn.

    Only ``name`` and ``act`` are compulsory. A policy without ``wants_text`` is given text, and one without ``begin``,
    ``recall`` or ``config`` is taken to need no briefs, to remember nothing and to have no settings. What else a policy
    may have, and is asked for only where it has it, say ``CheckingPolicy``, ``SeeingPolicy`` and ``ClosingPolicy``.
    """

    wants_text: bool
    """Whether ``Turn.observation`` is to be filled."""

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Starts an episode.

        Args:
            briefs: Agent id -> brief.
            seed: Seed of the episode; any randomness of the policy must derive from it.
        """

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Takes note of a recorded turn that is re-simulated on resuming, in place of ``act``.

        After recalling a prefix of an episode a policy must answer as if it had played that prefix.
        """

    def config(self) -> dict[str, Any]:
        """Returns the settings that decide its answers, for the record's header: plain JSON, no secrets."""


class CheckingPolicy(BarePolicy, Protocol):
    """A policy that says itself what it can play."""

    def check(self, assignment: Assignment) -> None:
        """Makes sure that it can play; asked before anything is begun or written. Must not change what it answers.

        Raises:
            AgentWorldError: It cannot; the message says why.
        """


class SeeingPolicy(BarePolicy, Protocol):
    """A policy that looks at the environment, and not only at what its agents are shown: no blackbox."""

    needs_state: bool
    """Whether it is to be given the environment."""

    def attach(self, env: AgentWorldEnv) -> None:
        """Takes the environment of the next episode, before ``check`` and ``begin``; it may not have been reset yet."""


class ClosingPolicy(BarePolicy, Protocol):
    """A policy that opens something, such as connections, files or processes."""

    def close(self) -> Awaitable[object] | None:
        """Closes it, synchronously or with an awaitable; the policy may be begun again afterwards.

        It is called once an episode is over, however it ended, in the event loop in which the policy was waited for.
        It is called of a policy that was never begun, too: its record was complete, or a run was only looked over.
        """


def sees_state(policy: BarePolicy) -> TypeGuard[SeeingPolicy]:
    """Returns whether a policy is to be given the environment by ``attach``."""
    return bool(getattr(policy, "needs_state", False))


def as_policy(given: BarePolicy) -> Policy:
    """Returns a policy with every member, whatever optional ones the given one lacks.

    Args:
        given: An object with a ``name`` and ``act``.

    Raises:
        AgentWorldError: It is no policy; the message says what it lacks.
    """
    what = getattr(given, "__name__", type(given).__name__)
    if isinstance(given, type):
        raise AgentWorldError(f"a policy is an object, not a class: pass {what}(...), not {what}")
    name = getattr(given, "name", None)
    if not isinstance(name, str) or not name.strip():
        raise AgentWorldError(
            f"a policy is an object with a name (a text) and a method act(turn); {what} has no name"
        )
    for member in ("act", "begin", "recall", "config", "check", "close"):
        if not callable(getattr(given, member, None)) and (member == "act" or hasattr(given, member)):
            raise AgentWorldError(f"the policy {name} has no method {member}(...)")
    if sees_state(given) and not callable(getattr(given, "attach", None)):
        raise AgentWorldError(f"the policy {name} needs the state and has no method attach(env) to get it by")
    return given if isinstance(given, Policy) else cast(Policy, _Completed(given))


def check_policy(policy: BarePolicy, assignment: Assignment) -> None:
    """Makes sure that a policy can play what it is asked to; one without ``check`` plays whatever it is given.

    Raises:
        AgentWorldError: It cannot; the message says why.
    """
    if hasattr(policy, "check"):
        cast(CheckingPolicy, policy).check(assignment)


def close_policy(policy: BarePolicy) -> Awaitable[object] | None:
    """Lets a policy close what it has opened; one without ``close`` has opened nothing.

    Returns:
        What must be awaited for that, in the event loop in which the policy was waited for; None if nothing must.
    """
    closing = cast(ClosingPolicy, policy).close() if hasattr(policy, "close") else None
    return closing if inspect.isawaitable(closing) else None


class _Completed:
    """A policy together with the optional members that it lacks."""

    def __init__(self, given: BarePolicy) -> None:
        self._given = given

    def __getattr__(self, member: str) -> Any:
        if member.startswith("__") or "_given" not in self.__dict__:
            # Python's own questions, as of copy and pickle, are about this object, which may be without content yet.
            raise AttributeError(member)
        if member in _DEFAULTS and not hasattr(self._given, member):
            return _DEFAULTS[member]
        return getattr(self._given, member)


def _nothing(*_: object) -> None:
    """Stands for ``begin`` and ``recall`` of a policy that remembers nothing."""


_DEFAULTS: dict[str, Any] = {"wants_text": True, "begin": _nothing, "recall": _nothing, "config": dict}
