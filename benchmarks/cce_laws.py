"""Tests the laws of CCE on real episodes: ``python -m benchmarks.cce_laws [--insertions N] [--removals N] [--seed N]``.

With ``--method events+chat`` half of the calls that are put in are messages of one to three names out of the briefs.
With ``--play random`` it is episodes of random play that are changed; nearly all of them fail.

Over every main task, episodes of the planner, and of the planner with a fifth of its calls replaced by random ones,
are played again with calls put in or taken out, all other calls literally in the turns in which they were recorded.
Calls are useless if they do not contribute and are without effect on what does (``cce_effects``). Of episodes without
success this is asked of what is played on from their ends, too. The laws:

- *insertion*: in a turn in which an agent waited it makes a random legal call instead, in half of the cases an
  attack if there is any. If it is useless, CCE, or ``partial`` without success, is not higher than if the agent had
  passed;
- *removal*: one agent passes in all turns in which its calls did not contribute. If these calls were useless, the
  contributing calls of all other agents stay the same.

Calls that do not contribute and yet have an effect (who goes away and comes back, who strikes a boss that others
strike) are counted apart, and so is how often they changed what the laws speak of. So are calls that were put in and do
contribute, such as one more blow at what others kill: they are not useless, and the law says nothing of them. Prints
every breach; the exit code is 1 if there is any. With ``--write`` the figures replace those of docs/cce.md, if they
are of a run that is documented there.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from benchmarks.arguments import at_least, task_ids
from benchmarks.cce_effects import Played, Slot, effects
from benchmarks.cce_page import check, put
from tests.metrics.noisy import NoisyPlanner

from agentworld_env import list_tasks, run_episode
from agentworld_env.env import AgentWorldEnv, sample_legal
from agentworld_env.episodes import (
    Episode,
    TurnLine,
    make_footer,
    make_header,
    play_turn,
    skip_departed,
    task_of,
)
from agentworld_env.metrics import METHODS, Method, continued_trace, events_finding
from agentworld_env.metrics.causal import Briefing
from agentworld_env.policies.random_play import RandomPolicy
from agentworld_env.sim.randomness import below, draw

SEEDS = {"laws events": 2, "laws events+chat": 1, "laws events random": 2}
"""Place in docs/cce.md -> number of seeds of the run that is documented there."""

Calls = Mapping[Slot, Mapping[str, Any]]

PASS = {"tool": "pass", "arguments": {}}
"""A call of no tool: it fails and does nothing else."""

NOISE = 20
"""Percentage of random calls in every other episode."""

_STREAM = 79


Kind = Literal["useless", "effect", "contributing"]
Play = Literal["planner", "random"]


class Trial(NamedTuple):
    """A change of an episode, and what came of it.

    Attributes:
        law: ``insertion`` or ``removal``.
        kind: Whether the calls that were put in or taken out are useless, have an effect, or contribute themselves.
        changed: Whether what the law speaks of is not as it says.
        what: Where it was, what was changed, and what came of it.
    """

    law: str
    kind: Kind
    changed: bool
    what: str

    @property
    def useless(self) -> bool:
        """Whether the law speaks of these calls."""
        return self.kind == "useless"


def calls_of(episode: Episode) -> dict[Slot, Mapping[str, Any]]:
    """Returns turn -> call of an episode."""
    return {(line.round, line.agent): line.call for line in episode.lines}


def again(
    episode: Episode,
    calls: Calls,
    *,
    draws: Mapping[Slot, tuple[int, ...]] | None = None,
    method: Method = "events",
) -> Played:
    """Plays an episode's task again with given calls in given turns, and passes in all others, to the same end.

    Args:
        episode: The episode.
        calls: Turn -> call.
        draws: Turn -> what the draw of a random legal call in it hangs on.
        method: How it is decided what contributes.
    """
    names = _names(episode) if draws and method == "events+chat" else ()
    env = AgentWorldEnv(task_of(episode.header))
    env.reset(seed=episode.header.seed)
    last = episode.lines[-1]
    end = (last.round, env.sim.index[last.agent])
    lines: list[TurnLine] = []
    while skip_departed(env):
        slot = (env.sim.state.round, env.agent_selection)
        if (slot[0], env.sim.index[slot[1]]) > end:
            break
        call = calls.get(slot, PASS)
        if draws and slot in draws:
            call = _drawn(env, draws[slot], names)
        lines.append(play_turn(env, dict(call)))
    header = make_header(env.task, seed=episode.header.seed, setting="default", policy={"name": "again"})
    played = Episode(header=header, lines=lines, footer=make_footer(env, {}))
    if played.verdict.success:
        trace, every, verdict = events_finding(played, method).trace, lines, played.verdict
    else:
        onward, trace = continued_trace(played, env, method)
        every, verdict = [*lines, *onward.lines], onward.verdict
    slots = frozenset((lines[n].round, lines[n].agent) for n in trace.contributing if n < len(lines))
    return Played(played, slots, every, trace, verdict)


def _names(episode: Episode) -> tuple[str, ...]:
    """Returns what the briefs of an episode name, and the team."""
    briefing = Briefing(episode.header)
    named = {mention.key for agent in episode.team for mention in briefing.named(agent)}
    return tuple(sorted(named.union(episode.team)))


def _drawn(env: AgentWorldEnv, key: tuple[int, ...], names: Sequence[str] = ()) -> dict[str, Any]:
    """Draws a legal call; in every other draw a message if there are names, otherwise an attack if there is one."""
    drawn = 0

    def under(limit: int) -> int:
        nonlocal drawn
        drawn += 1
        return below(limit, draw(*key, drawn))

    legal = env.infos[env.agent_selection]["legal"]
    if names and "chat" in env.present_tools and under(2):
        words = [names[under(len(names))] for _ in range(1 + under(3))]
        return {"tool": "chat", "arguments": {"message": " ".join(words)}}
    fights = [call for call in legal.calls() if call["tool"] == "attack_entity"]
    if fights and under(2):
        return dict(fights[under(len(fights))])
    return dict(sample_legal(legal, under))


def insertions(episode: Episode, count: int, method: Method = "events") -> Iterator[Trial]:
    """Puts random calls into turns in which agents waited, one at a time.

    Args:
        episode: The episode.
        count: So many calls are drawn.
        method: How it is decided what contributes.
    """
    seed = episode.header.seed
    calls = calls_of(episode)
    waits = [slot for slot, call in calls.items() if call["tool"] == "sleep"]
    for number in range(count if waits else 0):
        slot = waits[below(len(waits), draw(seed, _STREAM, number, 0))]
        rest = {key: call for key, call in calls.items() if key != slot}
        without = again(episode, rest, method=method)
        fat = again(episode, rest, draws={slot: (seed, _STREAM, number)}, method=method)
        # Where one is a success and the other none, CCE and `partial` cannot be compared.
        raised = fat.success == without.success and fat.share > without.share
        call = next(line.call for line in fat.episode.lines if (line.round, line.agent) == slot)
        what = f"{slot[1]} in round {slot[0]}: {call}"
        yield _trial("insertion", fat, without, raised, what, method, counted=slot in fat.contributing)


def removals(episode: Episode, count: int, method: Method = "events") -> Iterator[Trial]:
    """Takes all calls of one agent out that do not contribute.

    Args:
        episode: The episode.
        count: For so many agents at most, one at a time.
        method: How it is decided what contributes.
    """
    calls = calls_of(episode)
    fat = again(episode, calls, method=method)
    team = episode.team
    for agent in sorted(team, key=lambda name: draw(episode.header.seed, _STREAM, team.index(name), 0))[
        :count
    ]:
        rest = {slot: call for slot, call in calls.items() if slot[1] != agent or slot in fat.contributing}
        if len(rest) < len(calls):
            without = again(episode, rest, method=method)
            changed = _others(fat, agent) != _others(without, agent)
            yield _trial("removal", fat, without, changed, agent, method)


def _trial(
    law: str, fat: Played, without: Played, changed: bool, what: str, method: Method, *, counted: bool = False
) -> Trial:
    header = fat.episode.header
    more, fewer = (
        ", ".join(
            f"{agent} in round {round_}" for round_, agent in sorted(one.contributing - other.contributing)
        )
        for one, other in ((fat, without), (without, fat))
    )
    came = f"with it more contribute: {more or 'none'}; without it: {fewer or 'none'}"
    kind: Kind = "contributing" if counted else "effect" if effects(fat, without, method) else "useless"
    return Trial(law, kind, changed, f"{header.task}, seed {header.seed}, {what}; {came}")


def _others(played: Played, agent: str) -> set[Slot]:
    return {slot for slot in played.contributing if slot[1] != agent}


def trials(
    tasks: Sequence[str],
    seed: int,
    into: int,
    out_of: int,
    method: Method = "events",
    play: Play = "planner",
) -> Iterator[Trial]:
    """Yields every change of an episode that was tried.

    Args:
        tasks: Task ids.
        seed: Seed of the episodes.
        into: Insertions an episode.
        out_of: Removals an episode.
        method: How it is decided what contributes.
        play: Whose episodes: the planner's, with and without noise, or those of random play.
    """
    for task in tasks:
        for policy in (RandomPolicy(),) if play == "random" else (NoisyPlanner(0), NoisyPlanner(NOISE)):
            episode = run_episode(task, policy, seed=seed)
            yield from insertions(episode, into, method)
            yield from removals(episode, out_of, method)


def main() -> None:
    """Runs what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--insertions", type=at_least(0), default=5, help="insertions an episode")
    parser.add_argument("--removals", type=at_least(0), default=5, help="removals an episode")
    parser.add_argument("--seed", type=at_least(0), default=0, help="seed of the episodes")
    parser.add_argument("--seeds", type=at_least(1), default=1, help="so many seeds, from that one on")
    parser.add_argument(
        "--method", choices=METHODS, default="events", help="how it is decided what contributes"
    )
    parser.add_argument(
        "--play", choices=get_args(Play), default="planner", help="whose episodes are changed"
    )
    parser.add_argument(
        "--tasks", type=task_ids, help="task ids, separated by commas; the main suite if left out"
    )
    parser.add_argument(
        "--effects", action="store_true", help="print changes by calls that are not useless as well"
    )
    parser.add_argument("--write", action="store_true", help="put the table into docs/cce.md")
    arguments = parser.parse_args()
    place = f"laws {arguments.method}{' random' if arguments.play == 'random' else ''}"
    if arguments.write:
        check(parser, place)
        # A smaller run, or one of other changes, must not pass for the one that the page describes.
        documented = {"tasks": None, "insertions": 5, "removals": 5, "seed": 0, "seeds": SEEDS[place]}
        others = [f"--{name}" for name, value in documented.items() if getattr(arguments, name) != value]
        if others:
            parser.error(
                f"--write replaces figures of every main task with --insertions 5 --removals 5 --seed 0 "
                f"--seeds {SEEDS[place]} by others of the same kind only; this run differs in {', '.join(others)}"
            )
    tasks = arguments.tasks or [info.id for info in list_tasks("main")]
    counts: Counter[tuple[str, Kind, bool]] = Counter()
    started = time.perf_counter()
    seeds = range(arguments.seed, arguments.seed + arguments.seeds)
    for seed in seeds:
        for trial in trials(
            tasks, seed, arguments.insertions, arguments.removals, arguments.method, arguments.play
        ):
            counts[trial.law, trial.kind, trial.changed] += 1
            if trial.changed and (trial.useless or arguments.effects):
                kind = "breach" if trial.useless else trial.kind
                print(f"{kind}, {trial.law}: {trial.what}", flush=True)
    print(f"{time.perf_counter() - started:.0f} s")
    played = "random play, " if arguments.play == "random" else ""
    span = f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"
    text = table(counts, f"{played}{len(tasks)} tasks, {span}, method {arguments.method}")
    print(text)
    if arguments.write:
        put(place, text)
    sys.exit(1 if any(counts[law, "useless", True] for law in ("insertion", "removal")) else 0)


def table(counts: Mapping[tuple[str, Kind, bool], int], title: str) -> str:
    """Returns what came of the trials, as a table in Markdown.

    Args:
        counts: Law, kind of calls, and whether what the law speaks of changed -> trials.
        title: What was tried.
    """

    def cell(law: str, kind: Kind) -> str:
        changed = counts.get((law, kind, True), 0)
        return f"{changed} of {changed + counts.get((law, kind, False), 0)}"

    rows = [
        (title, "useless: breaches", "no share, but an effect", "contribute themselves"),
        ("---",) * 4,
        (
            "insertions: CCE, or `partial`, rose",
            *(cell("insertion", kind) for kind in ("useless", "effect", "contributing")),
        ),
        (
            "removals: others' contributing calls changed",
            *(cell("removal", kind) for kind in ("useless", "effect")),
            "-",
        ),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    main()
