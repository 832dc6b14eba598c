"""A person labels the actions of an episode in the terminal, without seeing what any method says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import typer

from agentworld_env.cli import output
from agentworld_env.cli.codes import INTERRUPTED
from agentworld_env.cli.folders import check_file
from agentworld_env.episodes import played_spec, read_episode, verify
from agentworld_env.errors import AgentWorldError, quoted
from agentworld_env.metrics.judge.prompts import describe
from agentworld_env.metrics.labels import Label, append_label, episode_key, read_labels

_WORDS = {
    "y": ("y", "yes"),
    "n": ("n", "no"),
    "s": ("s", "skip"),
    "b": ("b", "back"),
    "q": ("q", "quit", "stop", "exit"),
}
"""Answer -> what may be typed for it."""

_HELP = "y it contributed   n it did not   s skip   b back to the one before   q stop (all is kept)"
_END = "end of input"


def run(record: Path, out: Path, labeller: str, sample: int | None, seed: int) -> None:
    """Shows an episode and asks about its actions, from the last to the first.

    Args:
        record: The record; it is re-simulated first.
        out: File of labels; actions that this labeller has labelled in it are not asked about again.
        labeller: Name of the person.
        sample: Asks about so many actions only, drawn evenly; None asks about all.
        seed: Seed of the drawing.

    Raises:
        AgentWorldError: The record or the file cannot be used, or the name is none.
        Exit: The person pressed Ctrl-C; what was labelled by then is kept, and told.
    """
    if not labeller.strip() or not labeller.isprintable():
        raise AgentWorldError(f"--labeller takes a name of printable letters, not {quoted(labeller)}")
    _labelled(out, "", labeller)  # what cannot be used is told before anything is shown
    check_file(out)
    episode = read_episode(record)
    verify(episode)
    spec, key = played_spec(episode.header), episode_key(episode)
    said = [describe(line) for line in episode.lines]
    done = _labelled(out, key, labeller)
    chosen = _drawn(len(said), sample, seed)
    queue = [number for number in reversed(chosen) if number not in done]
    output.line(f"{spec['title']}: {' '.join(str(spec['objective']).split())}")
    output.line(f"The team {'succeeded' if episode.verdict.success else 'did not succeed'}. What happened:\n")
    for line in said:
        output.line(line)
    output.line(
        f"\nDid an action lead to success, directly or by way of others? If it was of some help, it contributed."
        f"\n{_HELP}\n{len(queue)} of {len(chosen)} actions to label."
    )

    def keep(number: int, contributes: bool) -> None:
        given = Label(
            episode=key, task=episode.header.task, action=number, contributes=contributes, labeller=labeller
        )
        with output.writing(out):
            append_label(out, given)

    try:
        _ask_about(queue, said, keep)
    except KeyboardInterrupt:
        _tell(out, key, labeller, chosen)
        raise typer.Exit(INTERRUPTED) from None
    _tell(out, key, labeller, chosen)


def _ask_about(queue: Sequence[int], said: Sequence[str], keep: Callable[[int, bool], None]) -> None:
    """Asks about actions one by one, until all are answered or the person stops.

    Args:
        queue: The actions, in the order in which they are asked about.
        said: All actions, described.
        keep: Keeps the answer to one of them.
    """
    at = 0
    while at < len(queue):
        number = queue[at]
        answer = _asked(f"\n{at + 1}/{len(queue)}  {said[number]}\n  [y/n/s/b/q] ")
        if answer in ("y", "n"):
            keep(number, answer == "y")
            at += 1
        elif answer == "s":
            at += 1
        elif answer == "b":
            at = max(0, at - 1)
        elif answer in ("q", _END):
            if answer == _END:
                output.line("\nThe input ended.")
            break
        else:
            output.line(_HELP)


def _tell(out: Path, key: str, labeller: str, chosen: Collection[int]) -> None:
    """Says how many of the actions to label are labelled by now."""
    have = len(_labelled(out, key, labeller).intersection(chosen))
    where = f" in {out}" if have else ""
    output.line(f"\n{have} of {len(chosen)} actions are labelled by {labeller}{where}.")
    if have < len(chosen):
        output.line("The same command goes on with the rest.")
    output.flush()


def _labelled(out: Path, key: str, labeller: str) -> set[int]:
    """Returns the actions of an episode that somebody has labelled in a file, which need not exist yet."""
    held = read_labels(out) if out.exists() else []
    return {label.action for label in held if label.episode == key and label.labeller == labeller}


def _asked(prompt: str) -> str:
    """Returns the answer that was typed, ``_END`` at the end of the input, or nothing if it is none."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    typed = sys.stdin.readline()
    word = typed.strip().lower()
    return next((answer for answer, words in _WORDS.items() if word in words), "") if typed else _END


def _drawn(count: int, sample: int | None, seed: int) -> list[int]:
    """Returns the actions to label, ascending; a sample of a sample's seed is the same on every machine."""
    if sample is None or sample >= count:
        return list(range(count))
    from agentworld_env.metrics.counterfactual.shapley import shuffled

    return sorted(shuffled(count, seed, 0)[:sample])
