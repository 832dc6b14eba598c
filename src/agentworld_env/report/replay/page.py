"""The page itself: one HTML file with style, script and data inside, which loads nothing from anywhere."""

from __future__ import annotations

import base64
import gzip
import hashlib
from functools import cache
from html import escape
from importlib import resources
from typing import Any

import msgspec

_SCRIPTS = ("store.js", "view.js", "map.js", "lanes.js", "panels.js", "app.js")


def page_html(data: dict[str, Any]) -> str:
    """Returns the page of an episode.

    What comes from the record is packed (gzip, base64), so that nothing in it can be taken for markup, and the script
    puts it into the page as text only. A content security policy forbids every other script and all loading besides.

    Args:
        data: What ``replay_data`` returned.
    """
    packed = gzip.compress(msgspec.json.encode(data), 9, mtime=0)
    script = _script()
    # Replaced one after the other from the end on, so that no text that was put in is searched again.
    head, _, rest = _asset("page.html").partition("@SCRIPT_HASH@")
    between, _, rest = rest.partition("@TITLE@")
    before_style, _, rest = rest.partition("@STYLE@")
    before_data, _, rest = rest.partition("@DATA@")
    before_script, _, tail = rest.partition("@SCRIPT@")
    about = data["about"]
    title = escape(f"{about['title']} - {about['policy']}, seed {about['seed']}")
    digest = base64.b64encode(hashlib.sha256(f"\n{script}\n".encode()).digest()).decode()
    parts = [head, f"sha256-{digest}", between, title, before_style, _asset("page.css"), before_data]
    parts += [base64.b64encode(packed).decode(), before_script, script, tail]
    return "".join(parts)


def frame_html(page: str, height: int) -> str:
    """Returns an inline frame that shows a page, for notebooks; the page cannot reach the notebook around it.

    Args:
        page: The page.
        height: Height of the frame (CSS pixels).
    """
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="Replay" loading="lazy" '
        f'style="width: 100%; height: {height}px; border: 1px solid #8886; border-radius: 8px"></iframe>'
    )


@cache
def _script() -> str:
    body = "\n".join(_asset(name) for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{body}\n}})();'


@cache
def _asset(name: str) -> str:
    return (
        (resources.files("agentworld_env.report.replay") / "assets" / name)
        .read_text(encoding="utf-8")
        .rstrip()
    )
