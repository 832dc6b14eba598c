"""Reading prose: which numbers a text says of which things, and whether it names a thing at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

_WORDS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NUMBERS = {word: number for number, word in enumerate(_WORDS, 1)} | {"both": 2, "a": 1, "an": 1}
_TOKEN = re.compile(r"\([a-z0-9_-]+[);]|[a-z0-9][a-z0-9_'-]*|[,;.:()]")
_MOST_WORDS = 5
"""Words after a number among which the thing it counts must be named."""
_NEAR = 10
"""Words within which a name of several words must be complete."""
_SILENT = frozenset(
    {"of", "th", "thes", "thos", "them", "new", "mor", "other", "in", "all", "back", "each", "kill"}
)
"""Words, without their endings, that may stand between a number and what it counts."""
_ENDS = frozenset(
    {",", ";", ".", ":", "and", "or", "to", "by", "from", "with", "for", "at", "into", "out", "among"}
)
"""Words that end the search for what a number counts."""
_MEASURES = frozenset({"tile", "tiles", "round", "rounds"})
"""Words right after a number that then counts no things."""
_SPENDING = frozenset({"from", "exactly"})
"""Words before a number of things that are used up: nothing is asked for."""
_USING = frozenset({"take", "takes", "up"})
"""Words before a number without a noun that says how much is used up, as in "(the work takes 7)"."""
_TILE = re.compile(r"\(\d+, ?\d+\)")


class Said(NamedTuple):
    """A number that a text says of a thing.

    Attributes:
        number: The number.
        how: ``asked``, ``spent`` (that many are used up) or ``summed`` ("both", "all three": counted already).
        things: Keys of all that the words may mean, the thing among them.
    """

    number: int
    how: str
    things: frozenset[str]


def read_numbers(text: str, names: Mapping[str, str], asked: frozenset[str]) -> dict[str, list[Said]]:
    """Returns thing -> numbers that a text says of it.

    Args:
        text: The text.
        names: Thing -> its name in the world, in lower case.
        asked: What checkpoints count: this may be called by the last word of its name, "logs" for ice logs.
    """
    tokens = _TOKEN.findall(_TILE.sub(" ", text.lower()))
    spoken = {thing: {_stems(name)} for thing, name in names.items()}
    for i, token in enumerate(tokens):
        # "4 shafts (stick)": from here on, and before, shafts are sticks.
        if token.startswith("(") and len(token) > 1 and token[1:-1] in spoken:
            words = _before(tokens, i)
            if words:
                spoken[token[1:-1]].add(_stems(" ".join(words)))
    found: dict[str, list[Said]] = {}
    last: list[str] = []
    for i, word in enumerate(tokens):
        number = number_of(word)
        if number is None or tokens[i - 1 : i] in (["round"], ["rounds"]) or _people(tokens[i + 1 : i + 5]):
            continue
        things, open_ = _counted(tokens, i, spoken, asked)
        if not things and open_:
            things = last
        before = set(tokens[max(0, i - 2) : i])
        how = "asked"
        if word == "both" or "all" in before:
            how = "summed"
        elif _SPENDING & before or (open_ and _USING & before):
            how = "spent"
        for thing in things:
            found.setdefault(thing, []).append(Said(number, how, frozenset(things)))
        if word not in ("a", "an"):
            last = things
    return found


def _people(tokens: list[str]) -> bool:
    """Whether a number before some words counts the team: "two or more of you"."""
    here = next((i for i, token in enumerate(tokens) if token in (",", ";", ".", ":")), len(tokens))
    return "you" in tokens[:here]


def _counted(
    tokens: list[str], i: int, spoken: Mapping[str, set[tuple[str, ...]]], asked: frozenset[str]
) -> tuple[list[str], bool]:
    """Returns what the number at a place counts, and whether that may be something named earlier."""
    words: list[str] = []
    for token in tokens[i + 1 : i + 2 + _MOST_WORDS]:
        if token.startswith("(") and len(token) > 1:
            if token[1:-1] in spoken:
                return [token[1:-1]], False
            break
        if token in _MEASURES and not words:
            return [], False
        if token in _ENDS or number_of(token) is not None:
            break
        if _stem(token) not in _SILENT:
            words.append(token)
    return _best(words, spoken, asked), not words


def _best(words: list[str], spoken: Mapping[str, set[tuple[str, ...]]], asked: frozenset[str]) -> list[str]:
    """Returns the things that words name: that named first in full, or else those asked for that end like it."""
    stems = [_stem(word) for word in words]
    spans = [(i, j) for i in range(len(stems)) for j in range(i + 1, len(stems) + 1)]
    said = {tuple(stems[i:j]): (i, i - j) for i, j in reversed(spans)}
    # Keys are words written together, such as goldnugget.
    joined = {"".join(stems[i:j]): (i, i - j) for i, j in reversed(spans)}
    full: list[tuple[int, int, str]] = []
    partly: list[str] = []
    for thing, names in spoken.items():
        full.extend((*said[name], thing) for name in names if name in said)
        key = _stem(thing)
        if key in joined:
            full.append((*joined[key], thing))
        if thing in asked and any(name[-1] in stems for name in names):
            partly.append(thing)
    if not full:
        return partly
    start, length, _ = min(full)
    first = list(dict.fromkeys(thing for *place, thing in full if place == [start, length]))
    if asked.isdisjoint(first):
        if start > 1:
            # Too far from the number to be what it counts: "4 raiders come down".
            return partly
        # Ice logs may be called logs, though these are something else; iron ore may not be called copper ore.
        word = tuple(stems[start : start - length])
        short = [thing for thing in partly if any(name[-len(word) :] == word for name in spoken[thing])]
        return short or first
    return first


def _before(tokens: list[str], end: int) -> list[str]:
    """Returns the words that name the thing whose key stands at a place: those since the last number or stop."""
    words: list[str] = []
    for token in reversed(tokens[max(0, end - 3) : end]):
        if token in _ENDS or token in _SILENT or token.startswith("(") or number_of(token) is not None:
            break
        words.insert(0, token)
    return words


def number_of(token: str) -> int | None:
    """Returns the number that a word or numeral stands for, or None."""
    return int(token) if token.isdigit() else _NUMBERS.get(token)


def _stems(name: str) -> tuple[str, ...]:
    return tuple(_stem(word) for word in re.findall(r"[a-z0-9_'-]+", name))


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """Returns a word without the ending of its plural, the same for both numbers."""
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = re.sub("(?<=..)(ie|y)$", "i", re.sub("(?<=..)men$", "man", word))
    return re.sub("(?<=..)f$", "v", re.sub("(?<=..)e$", "", word))


def speaks(text: str, name: str, key: str) -> bool:
    """Returns whether a text names a thing: by its key, or by the words of its name, as in "a fire and an ice staff".

    Args:
        text: The text.
        name: Name of the thing in the world.
        key: Its key.
    """
    words = [_root(word) for word in re.findall(r"[a-z0-9_'-]+", text.lower())]
    wanted = [_root(word) for word in re.findall(r"[a-z0-9_'-]+", name)]
    for start, word in enumerate(words):
        # Keys are words written together, such as goldnugget.
        if any("".join(words[start : start + n]) == _root(key) for n in (1, 2, 3)):
            return True
        if word == wanted[0]:
            near = iter(words[start : start + _NEAR])
            if all(part in near for part in wanted):
                return True
    return False


def _root(word: str) -> str:
    """Returns a word without the endings of plurals and of what has been done to a thing: "cooked" is "cook"."""
    stem = _stem(word)
    return re.sub("(?<=...)ed$", "", stem)
