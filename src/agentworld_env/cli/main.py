"""The entry of the command."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from agentworld_env._version import RULES_VERSION, SUITE_VERSION, __version__
from agentworld_env.cli import (
    cce,
    certify,
    doctor,
    evaluate,
    new_task,
    output,
    replay,
    report,
    run,
    score,
    show,
    tasks,
    variants,
    world,
)
from agentworld_env.cli.codes import INTERRUPTED, USER_ERROR
from agentworld_env.cli.named_files import is_about_named
from agentworld_env.cli.verbs import RaisedError, verb
from agentworld_env.errors import AgentWorldError


def build() -> typer.Typer:
    """Returns the command with all its verbs."""
    app = typer.Typer(
        name="agentworld-env",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_common)
    app.command("tasks")(verb(tasks.tasks))
    app.command("show")(verb(show.show))
    app.command("run")(verb(run.run))
    app.command("evaluate")(verb(evaluate.evaluate))
    app.command("report")(verb(report.report))
    app.command("compare")(verb(report.compare))
    app.command("doctor")(verb(doctor.doctor))
    app.command("score")(verb(score.score))
    app.command("replay")(verb(replay.replay))
    app.command("certify")(verb(certify.certify))
    app.command("new-task")(verb(new_task.new_task))
    app.command("variants")(verb(variants.variants))
    app.add_typer(cce.app, name="cce")
    app.add_typer(world.app, name="world")
    return app


def _version(asked: bool) -> None:
    if asked:
        output.line(f"agentworld-env {__version__} (rules {RULES_VERSION}, suite {SUITE_VERSION})")
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Benchmark of long-horizon collaboration: list and show tasks, run policies, score and certify."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command and ends the process.

    Args:
        arguments: What follows the command's name; None takes it from the command line.
    """
    sys.exit(run_command(arguments))


def run_command(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code; a fault of the program, or of a user's code, is raised as it is.

    Args:
        arguments: As for ``main``.
    """
    _prepare_output()
    try:
        code = build()(args=arguments, prog_name="agentworld-env", standalone_mode=False)
        output.flush()
        return code if isinstance(code, int) else 0
    except SystemExit:
        # The parser's own, while it prints help that nobody reads any more; what verbs raise comes as RaisedError.
        output.hush(sys.stdout)
        return 0
    except RaisedError as raised:
        error = raised.error
    except (Exception, KeyboardInterrupt) as other:
        error = other
    return _end(error, sys.argv[1:] if arguments is None else arguments)


def _end(error: BaseException, arguments: Sequence[str]) -> int:
    """Says what ended the command and returns its exit code; raises what is no mistake of the user's."""
    if isinstance(error, AgentWorldError):
        return _complain(str(error))
    if isinstance(error, output.ReaderGoneError):
        output.hush(sys.stdout)  # what Python still holds must not raise at exit
        return 0
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        output.note("interrupted")
        return INTERRUPTED
    if hasattr(error, "format_message"):  # only the parser's complaints about a command line have it
        message = _usage(error)
        # Without any argument the help has been printed instead of a message.
        return _complain(message) if message else USER_ERROR
    if isinstance(error, OSError) and is_about_named(error, arguments):
        return _complain(f"{error.filename}: {error.strerror}")
    if isinstance(error, SystemExit):
        # Code of a user's has asked for the end of the process, which would be silent, and a success perhaps.
        from agentworld_env.evaluate.blame import blamed_on

        place, said = blamed_on(error)
        return _complain(f"the code of a policy{place} cannot be used: {said}")
    raise error


def _usage(error: BaseException) -> str:
    """Returns what is wrong with a command line; of something that is missing, also what it is for."""
    message: str = error.format_message()  # type: ignore[attr-defined]
    purpose = getattr(getattr(error, "param", None), "help", None)
    if hasattr(error, "param_type") and purpose:  # only what is missing has it
        return f"{message.rstrip('.')}: {purpose}"
    return message


def _complain(message: str) -> int:
    output.error(message)
    return USER_ERROR


def _prepare_output() -> None:
    """Makes sure that any text can be written, whatever the terminal's encoding, even if an output is closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the process ends
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
