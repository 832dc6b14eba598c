"""The record of one episode: its types, as they stand on the lines of the file.

A record is one JSON object a line: a header, one line per turn, a footer once the episode is over. Everything in it
follows from task, seed, setting and the policies' answers, so that equal episodes have equal files. Wall-clock times,
tokens and cost go to a second file beside it, see ``episodes.usage``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from agentworld_env.markup import html_block
from agentworld_env.sim.events import AnyEvent, Result
from agentworld_env.verifiers import Verdict

FORMAT = 1
"""Version of the file format."""

# Keys keep their order: a task's team stands in turn order. Nothing in a record comes from a set, so that equal
# records have equal bytes.
_ENCODER = msgspec.json.Encoder()

REPLY_FIELDS = frozenset({"model", "reply", "finish", "prompt_hash", "problem", "surplus"})
"""What a record keeps of an exchange with a model: not the tokens, which go to the usage file."""


class Header(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="header", tag_field="line"
):
    """First line: everything that is needed to play the episode again.

    Attributes:
        format: Version of the file format.
        package: Version of the package that wrote it.
        rules: Version of the rules; records of other versions are refused.
        suite: Name and version of the suite the task belongs to; ``user`` for a task of the user's own.
        task: Task id.
        task_hash: Content hash of the task.
        spec: The whole task as plain data, so that a record stands by itself.
        seed: Seed of the episode.
        setting: Name of the setting.
        policy: ``name`` and ``settings`` of the policy.
    """

    format: int
    package: str
    rules: int
    suite: str
    task: str
    task_hash: str
    spec: dict[str, Any]
    seed: int
    setting: str
    policy: dict[str, Any]


class TurnLine(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="turn", tag_field="line"
):
    """One turn.

    Attributes:
        action: Number of the call, from 0.
        round: Round, from 1.
        agent: Whose turn it was.
        call: The call as it was played: plain JSON.
        result: What came of it.
        events: Events since the previous line: the call's own, then the world's if it ended the round.
        replies: Raw replies of a model, re-asks included; empty for other policies.
        hash: State hash after the turn.
    """

    action: int
    round: int
    agent: str
    call: Any
    result: Result
    events: tuple[AnyEvent, ...]
    replies: tuple[dict[str, Any], ...] = ()
    hash: str


class Footer(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="footer", tag_field="line"
):
    """Last line.

    Attributes:
        verdict: The verdict.
        rounds: Rounds played.
        actions: Calls made.
        turns: Agent id -> turns it had, slept ones included.
        chats: Messages sent.
        metrics: Figures of ``metrics``, such as CCE.
        hash: Final state hash.
    """

    verdict: Verdict
    rounds: int
    actions: int
    turns: dict[str, int]
    chats: int
    metrics: dict[str, Any]
    hash: str


def encode_line(line: Header | TurnLine | Footer) -> bytes:
    """Returns a line of a record, line end included."""
    return _ENCODER.encode(line) + b"\n"


class Episode(msgspec.Struct, kw_only=True):
    """A whole episode in memory, complete or not.

    Attributes:
        header: Its header.
        lines: Its turns.
        footer: Its footer, or None while it is not over.
        path: Where it is written, or None.
    """

    header: Header
    lines: list[TurnLine]
    footer: Footer | None = None
    path: str | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict.

        Raises:
            ValueError: If the episode is not over.
        """
        if self.footer is None:
            raise ValueError(f"episode of {self.header.task} is not over: it has {len(self.lines)} turns")
        return self.footer.verdict

    @property
    def team(self) -> tuple[str, ...]:
        """Agent ids in turn order."""
        from agentworld_env.episodes.opening import played_spec

        return tuple(played_spec(self.header)["team"])  # a setting may give other ids than the task does

    def _title(self) -> str:
        header = self.header
        setting = "" if header.setting == "default" else f", setting {header.setting}"
        return f"{header.task} by {header.policy.get('name', '')}, seed {header.seed}{setting}"

    def _outcome(self) -> str:
        footer = self.footer
        if footer is None:
            return f"not over, {len(self.lines)} calls so far"
        word = "success" if footer.verdict.success else "failure"
        return f"{word}, {footer.rounds} rounds, {footer.actions} calls, {footer.verdict.summary}"

    def __repr__(self) -> str:
        return f"<Episode of {self._title()}: {self._outcome()}>"

    def _repr_html_(self) -> str:
        lines, body = [self._outcome()], ""
        if self.footer is not None:
            cce = self.footer.metrics.get("cce")
            lines.append(f"CCE {cce:.2f}" if isinstance(cce, float) else "")
            body = self.footer.verdict._repr_html_()
        lines += [f"Record: {self.path}" if self.path else "", "agentworld_env.replay(episode) shows it."]
        return html_block(f"Episode of {self._title()}", *lines, body=body)
