"""What tests of replays share: teams that say what is hard to show, and how a page says things stood."""

from __future__ import annotations

import base64
import gzip
import json
import re
from bisect import bisect_right
from typing import Any

from agentworld_env.policies.protocol import Decision, Exchange

HOSTILE = "</script><img src=x onerror=\"document.title='gone'\"><script>window.gone = 1</script>&lt;b&gt;"


class Hostile:
    """Says markup in every third turn, makes malformed calls of it, and walks about; its very name is markup."""

    name = "</title><script>window.gone = 2</script>"
    wants_text = False

    def begin(self, briefs: Any, seed: int) -> None:
        self.turns = 0

    def act(self, turn: Any) -> Decision:
        reply = {"text": HOSTILE, "calls": [{"name": HOSTILE, "arguments": HOSTILE}], "left_out": [HOSTILE]}
        asked = Exchange(model=HOSTILE, reply=reply, finish=HOSTILE, problem=HOSTILE)
        return Decision(call=self._call(turn), exchanges=(asked,))

    def _call(self, turn: Any) -> dict[str, Any]:
        self.turns += 1
        me = turn.info["view"]
        if self.turns % 3 == 0:
            return {"tool": "chat", "arguments": {"message": HOSTILE}}
        if self.turns % 3 == 1:
            step = 4 if turn.round % 2 else -4
            return {"tool": "move_character", "arguments": {"x": me.x + step, "y": me.y}}
        return {"tool": HOSTILE, "arguments": {HOSTILE: HOSTILE}}


class LongName:
    """Nothing of it can be wrapped at a space."""

    name = "n" * 300

    def act(self, turn: Any) -> Any:
        return {"tool": "chat", "arguments": {"message": "x" * 400}}


def in_force(rows: list[list[Any]], key: int, moment: int) -> list[Any] | None:
    """Returns what stands behind moment and key in the last row about a key up to a moment."""
    mine = [row for row in rows if row[1] == key]
    place = bisect_right([row[0] for row in mine], moment)
    return mine[place - 1][2:] if place else None


def unpacked(page: str) -> dict[str, Any]:
    """Returns the data inside a page."""
    found = re.search(r'<script type="text/plain" id="episode">([A-Za-z0-9+/=]+)</script>', page)
    assert found is not None
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(found.group(1))))
    return data
