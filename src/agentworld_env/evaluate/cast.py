"""Who plays: one policy for all, or a mixed team; models are shared by all episodes of a process."""

from __future__ import annotations

import msgspec

from agentworld_env.errors import AgentWorldError, quoted
from agentworld_env.evaluate.named import anchored_name, answers_at_once, is_model, policy_by_name
from agentworld_env.evaluate.who import Owns
from agentworld_env.models import ChatModel, Meter, Pace, parse_model
from agentworld_env.models.client import CALL_SECONDS, RETRIES
from agentworld_env.models.pace import LONGEST_PAUSE
from agentworld_env.policies.mixed import MixedPolicy, member_of
from agentworld_env.policies.protocol import Policy


class Cast(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which policy plays which agents, and how models are asked.

    Attributes:
        members: Pattern of agent ids and policy name, in the order in which patterns are tried.
        memory: So many of its own last calls a model is shown.
        reasks: So often a model is asked again after a reply without a usable call.
        temperature: Sampling temperature; None leaves it to the endpoint.
        reply_tokens: Longest reply (tokens); None leaves it to the endpoint.
        templates: Directory of prompt templates; None takes the package's.
    """

    members: tuple[tuple[str, str], ...]
    memory: int = 8
    reasks: int = 1
    temperature: float | None = None
    reply_tokens: int | None = None
    templates: str | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the language models in it, each once."""
        return tuple(dict.fromkeys(name for _, name in self.members if is_model(name)))

    @property
    def waits(self) -> bool:
        """Whether somebody in it may have to be waited for: models do, and policies of the user's own may."""
        return not all(answers_at_once(name) for _, name in self.members)

    def label_of(self, agent: str) -> str:
        """Returns the model that plays an agent, as ``provider:model``, or the policy's name."""
        name = self.members[member_of(agent, [pattern for pattern, _ in self.members])][1]
        return parse_model(name).label if is_model(name) else name


def read_members(policy: str | None, team: list[str]) -> tuple[tuple[str, str], ...]:
    """Reads who plays from a command's options. Files are remembered by absolute paths, as those of tasks are.

    Args:
        policy: One policy for all, or None.
        team: Parts of a mixed team, as ``PATTERN=POLICY``.

    Raises:
        AgentWorldError: Neither or both are given, or a part has another shape.
    """
    if (policy is None) == (not team):
        raise AgentWorldError("say who plays: either --policy or --model for all, or --team PATTERN=POLICY")
    if policy is not None:
        return (("*", anchored_name(policy)),)
    members = []
    for part in team:
        pattern, equals, name = part.partition("=")
        if not (equals and pattern.strip() and name.strip()):
            raise AgentWorldError(
                f"a part of a team is PATTERN=POLICY, as in 'miner*=planner', not {quoted(part)}"
            )
        members.append((pattern.strip(), anchored_name(name.strip())))
    return tuple(members)


class Company:
    """The models of a cast, opened once; makes a fresh policy for every episode.

    Args:
        cast: Who plays.
        most: Episodes played at once, and calls in flight to one endpoint, at most.
        timeout: Longest wait for one reply (seconds).
        retries: Attempts after a failed one.
        longest_pause: Nobody waits longer because an endpoint asks for it (seconds).
        meter: Asked before every request and told of every reply.
        owns: Members that a program has given other than by name.

    Raises:
        AgentWorldError: A model or policy cannot be used, such as a model without its key.
    """

    def __init__(
        self,
        cast: Cast,
        *,
        most: int = 64,
        timeout: float = CALL_SECONDS,
        retries: int = RETRIES,
        longest_pause: float = LONGEST_PAUSE,
        meter: Meter | None = None,
        owns: Owns | None = None,
    ) -> None:
        self.cast = cast
        self._owns = owns or {}
        self.most = most
        self.paces: dict[str, Pace] = {}
        self._models: dict[str, ChatModel] = {}
        for name in cast.models:
            spec = parse_model(name)
            pace = self.paces.setdefault(spec.base_url, Pace(most, longest_pause=longest_pause))
            self._models[name] = ChatModel(spec, timeout=timeout, retries=retries, pace=pace, meter=meter)

    def policy(self) -> Policy:
        """Returns a new policy for one episode."""
        members = self.cast.members
        if len(members) == 1 and members[0][0] == "*":
            return self._member(0, members[0][1])
        return MixedPolicy([(pattern, self._member(i, name)) for i, (pattern, name) in enumerate(members)])

    @property
    def hands(self) -> int:
        """Episodes played at once, at most: one after the other if a policy object of a program's plays in them."""
        return 1 if any(own.alone for own in self._owns.values()) else self.most

    @property
    def in_flight(self) -> int:
        """Calls that are on their way."""
        return sum(pace.in_flight for pace in self.paces.values())

    @property
    def retrying(self) -> dict[str, int]:
        """Calls that wait to be tried again, by reason."""
        found: dict[str, int] = {}
        for pace in self.paces.values():
            for reason, count in pace.retrying.items():
                if count:
                    found[reason] = found.get(reason, 0) + count
        return found

    async def close(self) -> None:
        """Closes the connections of the running event loop."""
        for model in self._models.values():
            await model.close()

    def _member(self, number: int, name: str) -> Policy:
        own = self._owns.get(number)
        if own is not None:
            return own.make()
        model = self._models.get(name)
        if model is None:
            return policy_by_name(name)
        from agentworld_env.policies.llm import LLMPolicy

        cast = self.cast
        return LLMPolicy(
            model,
            memory=cast.memory,
            reasks=cast.reasks,
            temperature=cast.temperature,
            reply_tokens=cast.reply_tokens,
            templates=cast.templates,
            shared=True,
        )
