"""Playing one episode from start to end, or from where an earlier run left off."""

from __future__ import annotations

import asyncio
import inspect
import warnings
from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, cast

import msgspec

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import (
    Episode,
    EpisodeWriter,
    TurnLine,
    UsageWriter,
    canonical_call,
    check_footer,
    make_footer,
    make_header,
    play_turn,
    replay_lines,
    skip_departed,
)
from agentworld_env.errors import AgentWorldError, RecordWarning
from agentworld_env.evaluate.keeping import Keeper, kept_exchanges, recorded
from agentworld_env.evaluate.named import policy_by_name
from agentworld_env.evaluate.place import record_path, stored_record
from agentworld_env.evaluate.seating import admit_policy, turn_of
from agentworld_env.evaluate.shared import shared_plan
from agentworld_env.evaluate.waiting import EpisodeLoop
from agentworld_env.metrics import episode_metrics
from agentworld_env.models.meter import ServiceError
from agentworld_env.policies.protocol import (
    BarePolicy,
    Call,
    Decision,
    Exchange,
    Policy,
    as_policy,
    close_policy,
)
from agentworld_env.tasks import Task
from agentworld_env.variants import resolve

OnTurn = Callable[[TurnLine, AgentWorldEnv], None]
"""Told of each turn right after it was played and recorded, re-simulated turns included."""

Answer = Decision | Call


def run_episode(
    task: str | Path | Task,
    policy: BarePolicy | str,
    *,
    seed: int,
    setting: str | None = None,
    out: str | Path | None = None,
    on_turn: OnTurn | None = None,
) -> Episode:
    """Plays one episode and returns it.

    If ``out`` already holds a part of the same episode, the run goes on from there: recorded calls are played again
    without asking the policy, and the finished file equals that of an uninterrupted run. A complete record is played
    again to check it, and returned without asking anybody. Both are said by a ``RecordWarning``: an episode is the same
    if task, seed, setting, and the policy's name and settings are, whatever else has changed in the policy.

    Args:
        task: A task, the id of one, or the path of a task file.
        policy: What decides the team's calls: a policy, of which ``name`` and ``act`` are compulsory, or the name of
            one, such as ``"planner"``. If it has a method ``close()``, that is called at the end, however the episode
            ended, and is waited for in the event loop of the episode if it is asynchronous.
        seed: Seed of the episode, 0 to 2**63 - 1.
        setting: Name of a setting; None means ``default``.
        out: Where the record goes: a ``.jsonl`` file, or a directory for ``<task>-<policy>-seed<N>.jsonl``. None keeps
            it in memory only.
        on_turn: Called with each turn's line and the environment.

    Raises:
        AgentWorldError: Task, policy, setting or ``out`` cannot be used, ``out`` holds another episode or is being
            written by another process, or an asynchronous policy is asked inside a running event loop (use
            ``run_episode_async`` there).
        EpisodeFileError: What ``out`` holds does not come out as recorded, or it cannot be written.
        ModelError: A language model does not answer. The record so far stays valid and can be continued.
        ValueError: The seed is out of range.
    """
    playing = as_policy(policy_by_name(policy) if isinstance(policy, str) else policy)
    play = _play(task, playing, seed, setting, out, on_turn)
    with closing(play), EpisodeLoop(playing) as loop:
        try:
            pending = next(play)
            while True:
                pending = play.send(loop.wait(pending))
        except StopIteration as end:
            return cast(Episode, end.value)


async def run_episode_async(
    task: str | Path | Task,
    policy: BarePolicy | str,
    *,
    seed: int,
    setting: str | None = None,
    out: str | Path | None = None,
    on_turn: OnTurn | None = None,
    turn_seconds: float | None = None,
) -> Episode:
    """Plays one episode inside a running event loop; everything else is as for ``run_episode``.

    Args:
        task: As for ``run_episode``.
        policy: What decides the team's calls. It is closed at the end only if it is given by name: what was opened in
            the caller's event loop may serve other episodes in it.
        seed: Seed of the episode.
        setting: Name of a setting.
        out: Where the record goes.
        on_turn: Called with each turn's line and the environment.
        turn_seconds: Longest wait for one turn, re-asks and retries included (seconds); None waits for ever.

    Raises:
        ServiceError: A turn took longer.
    """
    playing = as_policy(policy_by_name(policy) if isinstance(policy, str) else policy)
    play = _play(task, playing, seed, setting, out, on_turn)
    try:
        pending = next(play)
        while True:
            try:
                async with asyncio.timeout(turn_seconds) as clock:
                    answer = await pending
            except TimeoutError:
                if not clock.expired():
                    raise  # the policy's own
                raise ServiceError(
                    f"no answer within {turn_seconds:g} s for a turn", kind="turn deadline", transient=True
                ) from None
            pending = play.send(answer)
    except StopIteration as end:
        return cast(Episode, end.value)
    finally:
        play.close()
        if isinstance(policy, str) and (pending_close := close_policy(playing)) is not None:
            await pending_close


def _play(
    task: str | Path | Task,
    policy: Policy,
    seed: int,
    setting: str | None,
    out: str | Path | None,
    on_turn: OnTurn | None,
) -> Generator[Awaitable[Answer], Answer, Episode]:
    """Plays an episode; yields whatever must be awaited and is sent what came of it."""
    task = resolve(task)
    env = AgentWorldEnv(task, setting=setting, plan=shared_plan(task, setting))
    header = make_header(task, seed=seed, setting=env.setting.name, policy=described(policy))
    episode = Episode(header=header, lines=[])
    found = path = None
    if out is not None:
        path = record_path(out, header)
        episode.path = str(path)
        found = stored_record(path, header)
        if found is not None and found.episode is not None:
            episode = found.episode
    env.reset(seed=seed)
    if episode.footer is not None:
        assert path is not None
        assert found is not None
        replay_lines(env, episode.lines, str(path))
        check_footer(env, episode, episode_metrics)
        if found.torn:
            EpisodeWriter.resume(path, found).close()
        _warn(
            f"{path} is complete already: it was checked and returned, and the policy {policy.name} was not asked"
        )
        return episode
    policy.begin(admit_policy(policy, env), seed)
    _recall(env, policy, episode, on_turn)
    with ExitStack() as stack:
        writer = usage = None
        if path is not None:
            fresh = found is None or found.episode is None
            if found is None:
                writer = EpisodeWriter.create(path, header)
            else:
                writer = EpisodeWriter.resume(path, found)
            stack.callback(writer.close)
            if episode.lines:
                held = f"{len(episode.lines)} turn{'s' * (len(episode.lines) > 1)}"
                rest = f"the policy {policy.name} is asked for the rest only"
                _warn(f"{path} holds {held} of this episode already: {rest}")
            if found is not None and fresh:
                writer.write(header)  # there was nothing but the torn beginning of one
            usage = UsageWriter(path, fresh=fresh)
            stack.callback(usage.close)
        asked = () if path is None else kept_exchanges(path, len(episode.lines))
        while skip_departed(env):
            kept = Keeper(usage, env, asked)
            answer = policy.act(turn_of(env, policy, kept))
            if inspect.isawaitable(answer):
                answer = yield answer
            decision = answer if isinstance(answer, Decision) else Decision(call=answer)
            kept.rest(decision)
            asked = ()
            call = canonical_call(decision.call)
            line = play_turn(env, call, tuple(recorded(exchange) for exchange in decision.exchanges))
            episode.lines.append(line)
            if writer is not None:
                writer.write(line)
            if on_turn is not None:
                on_turn(line, env)
        episode.footer = make_footer(env, episode_metrics(episode, env))
        if writer is not None:
            writer.write(episode.footer)
    return episode


def _warn(said: str) -> None:
    # This function, _play and run_episode lie between here and the line that is to be shown.
    warnings.warn(f"{said}; to play anew, delete it or choose another place", RecordWarning, stacklevel=4)


def described(policy: Policy) -> dict[str, Any]:
    """Returns a policy's name and settings, as they stand in headers and manifests.

    Raises:
        AgentWorldError: The name cannot be shown, or the settings are no plain JSON.
    """
    if not policy.name.isprintable():  # records, tables and pictures bear it
        raise AgentWorldError(
            f"the name of a policy must be a text of printable letters, not {policy.name!a:.60}"
        )
    settings = policy.config()
    try:
        msgspec.json.encode(settings)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise AgentWorldError(
            f"config() of the policy {policy.name} must return plain JSON ({error})"
        ) from error
    if not isinstance(settings, dict):
        raise AgentWorldError(
            f"config() of the policy {policy.name} must return a dict, not {settings!r:.60}"
        )
    return {"name": policy.name, "settings": settings}


def _recall(env: AgentWorldEnv, policy: Policy, episode: Episode, on_turn: OnTurn | None) -> None:
    def before(line: TurnLine) -> None:
        exchanges = tuple(msgspec.convert(reply, Exchange) for reply in line.replies)
        policy.recall(turn_of(env, policy), Decision(call=line.call, exchanges=exchanges))

    def after(line: TurnLine) -> None:
        if on_turn is not None:
            on_turn(line, env)

    replay_lines(env, episode.lines, episode.path or "record", before, after)
