"""``agentworld-env run``: plays one episode and tells it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentworld_env.cli.codes import INTERRUPTED
from agentworld_env.cli.folders import folder_named

if TYPE_CHECKING:
    from agentworld_env.env import AgentWorldEnv
    from agentworld_env.episodes import Episode, TurnLine
    from agentworld_env.tasks import Task


def run(
    task: Annotated[str, typer.Argument(help="Id of a task, or the path of a task file.")],
    policy: Annotated[
        str, typer.Option(help="planner, scripted, random, random_flat, idle, human, PROVIDER:MODEL, ...")
    ],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the episode.")] = 0,
    setting: Annotated[
        str | None, typer.Option(help="Setting, such as no_communication; several are joined by +.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(parser=folder_named, metavar="PATH", help="Directory or .jsonl file for the record."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the score as JSON and no story.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict only.")] = False,
) -> None:
    """Play one episode. With --out it is recorded, and an interrupted run is continued."""
    from agentworld_env.cli import output
    from agentworld_env.errors import ModelError
    from agentworld_env.evaluate import policy_by_name, run_episode
    from agentworld_env.variants import resolve

    found = resolve(task)
    playing = policy_by_name(policy)
    teller = None if json or quiet else _Teller(found, playing.name, seed, setting, recorded=out is not None)
    again = (
        "run the same command again to continue" if out is not None else "nothing was recorded without --out"
    )
    try:
        with output.warnings_as_notes():
            episode = run_episode(found, playing, seed=seed, setting=setting, out=out, on_turn=teller)
    except KeyboardInterrupt:
        output.note(f"interrupted; {again}")
        raise typer.Exit(INTERRUPTED) from None
    except ModelError as error:
        raise ModelError(f"{error}; {again}") from error
    if json:
        _print_json(episode)
        return
    if teller is not None:
        teller.close()
    _print_verdict(episode)


class _Teller:
    """Prints the story while the episode is played.

    If whoever read it goes away, as in "| head", an episode that is recorded is played to its end all the same.
    """

    def __init__(self, task: Task, policy: str, seed: int, setting: str | None, *, recorded: bool) -> None:
        from agentworld_env.env import setting_by_name
        from agentworld_env.report import Story

        self.told = False
        self._recorded = recorded
        self._policy = policy
        self._seed = seed
        self._story = Story(setting_by_name(setting).task(task).spec.model_dump(mode="json"))

    def __call__(self, line: TurnLine, env: AgentWorldEnv) -> None:
        import sys

        from agentworld_env.cli import output

        try:
            self._tell(line, env)
        except output.ReaderGoneError:
            if not self._recorded:
                raise
            output.hush(sys.stdout)

    def _tell(self, line: TurnLine, env: AgentWorldEnv) -> None:
        from agentworld_env.cli import output

        if not self.told:
            self.told = True
            for entry in self._story.opening(self._policy, self._seed, env.setting.name):
                output.story(self._story, entry)
        for entry in self._story.turn(line, env.verdict()):
            output.story(self._story, entry)

    def close(self) -> None:
        """Tells what is left to tell."""
        from agentworld_env.cli import output

        for entry in self._story.closing():
            output.story(self._story, entry)


def _print_json(episode: Episode) -> None:
    from agentworld_env.cli import output
    from agentworld_env.evaluate.score import score_of

    output.data({"score": score_of(episode), "verdict": episode.verdict})


def _print_verdict(episode: Episode) -> None:
    from agentworld_env.cli import output
    from agentworld_env.report import verdict_table

    verdict, footer = episode.verdict, episode.footer
    assert footer is not None
    output.line()
    output.table(verdict_table(verdict))
    word = "Success" if verdict.success else "Failure"
    output.line(f"{word}: PSR {verdict.psr:.2f} after {footer.rounds} rounds and {footer.actions} calls.")
    if episode.path is not None:
        output.line(f"Record: {episode.path}")
