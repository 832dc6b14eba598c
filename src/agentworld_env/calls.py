"""What an agent does: a tool call."""

from __future__ import annotations

from typing import Any

Call = dict[str, Any]
"""A tool call: ``{"tool": name, "arguments": {...}}``."""
