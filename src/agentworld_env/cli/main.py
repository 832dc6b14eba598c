"""The entry of the command."""

from __future__ import annotations

import io
import os
import re
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
from agentworld_env.errors import AgentWorldError, nearest

# typer's base class of wrong options, missing arguments and unknown commands; where it is defined differs by version.
_USAGE_ERROR: type = typer.BadParameter.__mro__[2]


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
    app.command("tasks")(tasks.tasks)
    app.command("show")(show.show)
    app.command("run")(run.run)
    app.command("evaluate")(evaluate.evaluate)
    app.command("report")(report.report)
    app.command("compare")(report.compare)
    app.command("doctor")(doctor.doctor)
    app.command("score")(score.score)
    app.command("replay")(replay.replay)
    app.command("certify")(certify.certify)
    app.command("new-task")(new_task.new_task)
    app.command("variants")(variants.variants)
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
    except AgentWorldError as error:
        return _complain(str(error))
    except (BrokenPipeError, SystemExit):
        # Whoever read the output has gone, as in "| head"; typer turns that into SystemExit while a verb runs. What
        # Python still holds must not raise at exit.
        output.hush(sys.stdout)
        return 0
    except (KeyboardInterrupt, typer.Abort):
        output.note("interrupted")
        return INTERRUPTED
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except Exception as error:
        if not isinstance(error, _USAGE_ERROR):
            raise
        message = _usage(error)
        # Without any argument the help has been printed instead of a message.
        return _complain(message) if message else USER_ERROR


def _usage(error: Exception) -> str:
    """Returns what is wrong with a command line, with what was expected: the nearest choice, what an option is for."""
    message: str = error.format_message()  # type: ignore[attr-defined]
    wrong = re.search(r"'([^']*)' is not one of ((?:'[^']*'(?:, )?)+)", message)
    if wrong is not None:
        near = nearest(wrong[1], re.findall(r"'([^']*)'", wrong[2]))
        return f"{message} Did you mean {' or '.join(near)}?" if near else message
    purpose = getattr(getattr(error, "param", None), "help", None)
    if message.startswith("Missing") and purpose:
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
