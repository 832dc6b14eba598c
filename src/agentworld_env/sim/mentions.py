"""What a message names, found when it is sent, so that nobody has to parse text later.

The matcher reads words. A run of up to four words that spells an entity id, an item's key or name, a mob's
key or name, a place's key or name, or an agent's id, ignoring case, is a mention; longer runs win. Two
numbers written as ``(x, y)`` or ``x,y`` are a tile; any other whole number below a million is a quantity. A
plural ``s`` is ignored.
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
def _vocabulary(world: World) -> tuple[dict[str, Mention], frozenset[str]]:
    """Returns all names of the catalogue in lower case, and the words that begin names of several words."""
    words: dict[str, Mention] = {}
    for node_kind in world.node_kinds.values():
        words[node_kind.name.lower()] = words[node_kind.key] = Mention("node", node_kind.key)
    for place in world.places.values():
        words[place.name.lower()] = words[place.key] = Mention("place", place.key)
    for mob in world.mob_kinds.values():
        words[mob.name.lower()] = words[mob.key] = Mention("mob", mob.key)
    for item in world.items.values():
        words[item.name.lower()] = words[item.key] = Mention("item", item.key)
    return words, frozenset(name.split(" ", 1)[0] for name in words if " " in name)


def _entity(sim: Simulation, word: str) -> Mention | None:
    """Returns the mention of something that has an id of its own; ids are single words."""
    name = sim.spelling.get(word)
    if name is not None:
        return Mention("agent", name)
    world = sim.world
    if word in sim.people or word in world.node_index or word in sim.named or word in world.mob_index:
        return Mention("entity", word)
    return Mention("entity", word) if word in sim.state.ground else None


def _name(words: dict[str, Mention], text: str) -> Mention | None:
    found = words.get(text)
    return words.get(text[:-1]) if found is None and text.endswith("s") else found


def mentions(sim: Simulation, text: str) -> tuple[Mention, ...]:
    """Returns what a message names, in order, each thing once.

    Args:
        sim: The simulation, for the names of this episode.
        text: The message.
    """
    words, openers = _vocabulary(sim.world)
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
        longest = min(_LONGEST, len(tokens) - i) if token in openers else 1
        for size in range(longest, 0, -1):
            run = tokens[i : i + size]
            if not all(isinstance(word, str) for word in run):
                continue
            hit = _entity(sim, token) if size == 1 else None
            hit = hit or _name(words, " ".join(str(word) for word in run))
            if hit is not None:
                found[hit] = None
                i += size
                break
        else:
            if token.isdigit() and len(token) < 7:
                found[Mention("quantity", str(int(token)))] = None
            i += 1
    return tuple(found)
