"""What a message names, found when it is sent, so that nobody has to parse text later.

The matcher reads words. A run of up to four words that spells an entity id, an item's key or name, a mob's key or name,
a place's key or name, or an agent's id, ignoring case, is a mention; longer runs win. Two numbers written as
``(x, y)`` or ``x,y`` are a tile; any other whole number below a million is a quantity. A plural ``s`` is ignored.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agentworld_env.sim.events import Mention
from agentworld_env.sim.simulation import Simulation
from agentworld_env.world import World

_TOKEN = re.compile(r"\(?\b(\d{1,4})\s*,\s*(\d{1,4})\b\)?|[a-z0-9_]+(?:[-'][a-z0-9_]+)*")
_LONGEST = 4


@lru_cache(maxsize=4)
def _vocabulary(world: World) -> dict[str, Mention]:
    words: dict[str, Mention] = {}
    for node_kind in world.node_kinds.values():
        words[node_kind.name.lower()] = Mention("node", node_kind.key)
        words[node_kind.key] = Mention("node", node_kind.key)
    for place in world.places.values():
        words[place.name.lower()] = words[place.key] = Mention("place", place.key)
    for mob in world.mob_kinds.values():
        words[mob.name.lower()] = words[mob.key] = Mention("mob", mob.key)
    for item in world.items.values():
        words[item.name.lower()] = words[item.key] = Mention("item", item.key)
    return words


def _lookup(sim: Simulation, words: str) -> Mention | None:
    if words in sim.index:
        return Mention("agent", words)
    if words in sim.people or words in sim.world.node_index or words in sim.state.ground:
        return Mention("entity", words)
    if sim.mob_number(words) is not None:
        return Mention("entity", words)
    vocabulary = _vocabulary(sim.world)
    found = vocabulary.get(words)
    if found is None and words.endswith("s"):
        found = vocabulary.get(words[:-1])
    return found


def mentions(sim: Simulation, text: str) -> tuple[Mention, ...]:
    """Returns what a message names, in order, each thing once.

    Args:
        sim: The simulation, for the names of this episode.
        text: The message.
    """
    tokens: list[str | Mention] = []
    for match in _TOKEN.finditer(text.lower()):
        x, y = match.group(1), match.group(2)
        tokens.append(Mention("tile", f"{int(x)},{int(y)}") if x is not None else match.group(0))
    found: dict[Mention, None] = {}
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if isinstance(token, Mention):
            found[token] = None
            i += 1
            continue
        for size in range(min(_LONGEST, len(tokens) - i), 0, -1):
            run = tokens[i : i + size]
            if not all(isinstance(word, str) for word in run):
                continue
            hit = _lookup(sim, " ".join(str(word) for word in run))
            if hit is not None:
                found[hit] = None
                i += size
                break
        else:
            if token.isdigit() and len(token) < 7:
                found[Mention("quantity", str(int(token)))] = None
            i += 1
    return tuple(found)
