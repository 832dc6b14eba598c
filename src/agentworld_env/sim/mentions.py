"""What a message names, found when it is sent, so that nobody has to parse text later.

The matcher reads words. A run of up to four words that spells an entity id, an item's key or name, a mob's
key or name, a place's key or name, or an agent's id, ignoring case, is a mention; longer runs win. Two
numbers written as ``(x, y)`` or ``x,y`` are a tile; any other whole number below a million is a quantity. A
plural ``s`` is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import NamedTuple

from agentworld_env.sim.events import Mention
from agentworld_env.sim.simulation import Simulation
from agentworld_env.world import World

_TOKEN = re.compile(r"\(?\b(\d{1,4})\s*,\s*(\d{1,4})\b\)?|([a-z0-9_]+(?:[-'][a-z0-9_]+)*)")
_PAIR = re.compile(r"\d\s*,\s*\d")
_WORD = re.compile(r"[a-z0-9_]+(?:[-'][a-z0-9_]+)*")
"""All that ``_TOKEN`` finds where no two numbers stand side by side, in half the time."""

_LONGEST = 4


class _Vocabulary(NamedTuple):
    """All names of a world's catalogue in lower case.

    Attributes:
        single: Ids and names of one word; an id wins over a name.
        several: Names of several words.
        openers: The first words of these.
    """

    single: dict[str, Mention]
    several: dict[str, Mention]
    openers: frozenset[str]


@lru_cache(maxsize=4)
def _vocabulary(world: World) -> _Vocabulary:
    names: dict[str, Mention] = {}
    for node_kind in world.node_kinds.values():
        names[node_kind.name.lower()] = names[node_kind.key] = Mention("node", node_kind.key)
    for place in world.places.values():
        names[place.name.lower()] = names[place.key] = Mention("place", place.key)
    for mob in world.mob_kinds.values():
        names[mob.name.lower()] = names[mob.key] = Mention("mob", mob.key)
    for item in world.items.values():
        names[item.name.lower()] = names[item.key] = Mention("item", item.key)
    single = {name: mention for name, mention in names.items() if " " not in name}
    # A plural is only looked up where the word itself is no name.
    single.update((f"{name}s", mention) for name, mention in list(single.items()) if f"{name}s" not in single)
    single.update((entity, Mention("entity", entity)) for entity in (*world.node_index, *world.mob_index))
    several = {name: mention for name, mention in names.items() if " " in name}
    return _Vocabulary(single, several, frozenset(name.split(" ", 1)[0] for name in several))


def _several(
    words: dict[str, Mention], tokens: list[str | Mention], start: int
) -> tuple[Mention | None, int]:
    """Returns the longest name of several words that begins at a token, and how many words it has."""
    for size in range(min(_LONGEST, len(tokens) - start), 1, -1):
        run = [token for token in tokens[start : start + size] if isinstance(token, str)]
        if len(run) == size:
            text = " ".join(run)
            found = words.get(text)
            if found is None and text.endswith("s"):
                found = words.get(text[:-1])
            if found is not None:
                return found, size
    return None, 1


def mentions(sim: Simulation, text: str) -> tuple[Mention, ...]:
    """Returns what a message names, in order, each thing once.

    Args:
        sim: The simulation, for the names of this episode.
        text: The message.
    """
    return named_in(text, sim.world, sim.mentioned, sim.state.ground)


def named_in(
    text: str, world: World, mentioned: Mapping[str, Mention], ground: Container[str] = ()
) -> tuple[Mention, ...]:
    """Returns what a text names, in order, each thing once.

    Args:
        text: The text.
        world: The world, for the names of its catalogue.
        mentioned: Lower-case name -> mention, for what has an id in these episodes only.
        ground: Ids of the things that lie on the ground.
    """
    single, several, openers = _vocabulary(world)
    text = text.lower()
    tokens: list[str | Mention]
    if "," in text and _PAIR.search(text):
        tokens = [word or Mention("tile", f"{int(x)},{int(y)}") for x, y, word in _TOKEN.findall(text)]
    else:
        tokens = _WORD.findall(text)
    found: dict[Mention, None] = {}
    beyond = 0
    for i, token in enumerate(tokens):
        if i < beyond:
            continue
        hit: Mention | None
        if isinstance(token, Mention):
            hit = token
        else:
            hit = None
            if token in openers:
                hit, size = _several(several, tokens, i)
                beyond = i + size
            hit = hit or mentioned.get(token)
            if hit is None and token in ground:
                hit = Mention("entity", token)
            hit = hit or single.get(token)
            if hit is None and token.isdigit() and len(token) < 7:
                hit = Mention("quantity", str(int(token)))
        if hit is not None:
            found[hit] = None
    return tuple(found)
