"""Where the command starts. Ctrl-C ends it without a traceback, even while everything else is still being loaded."""

from __future__ import annotations

import sys

_INTERRUPTED = 130


def main() -> None:
    """Runs the command and ends the process."""
    try:
        from agentworld_env.cli.main import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(_INTERRUPTED)
