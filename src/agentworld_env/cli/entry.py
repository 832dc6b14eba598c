"""Where the command starts. Ctrl-C ends it without a traceback, even while everything else is still being loaded."""

from __future__ import annotations

import signal
import sys

_INTERRUPTED = 130


def main() -> None:
    """Runs the command and ends the process."""
    try:
        from agentworld_env.cli.main import main as command

        command()
    except KeyboardInterrupt:
        _at_an_end()
        sys.stderr.write("interrupted\n")
        sys.exit(_INTERRUPTED)
    finally:
        _at_an_end()


def _at_an_end() -> None:
    """Ignores further Ctrl-C: all is said and done, and Python's own end would only show a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
