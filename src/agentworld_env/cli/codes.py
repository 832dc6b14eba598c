"""Exit codes of the command besides 0."""

from __future__ import annotations

FAULT = 1
"""Something was checked and found wanting."""

USER_ERROR = 2
"""The user asked for something that cannot be done."""

INTERRUPTED = 130
"""The user pressed Ctrl-C."""

TERMINATED = 143
"""Somebody asked the process to end (SIGTERM)."""
