"""Checks that the objective and the checkpoints name the same numbers.

Objectives are prose. What is read from them is only this: a number, and which goods, creatures or rounds it counts. So
a threshold that was lowered in the file, or a number that was changed in the text, does not go unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import (
    Built,
    Crafted,
    Delivered,
    Gathered,
    Held,
    HeldForRounds,
    Killed,
    SurvivedUntil,
)

_WORDS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NUMBERS = {word: number for number, word in enumerate(_WORDS, 1)} | {"both": 2, "a": 1, "an": 1}
_TOKEN = re.compile(r"\([a-z0-9_-]+[);]|[a-z0-9][a-z0-9_'-]*|[,;.:()]")
_MOST_WORDS = 5
"""Words after a number among which the thing it counts must be named."""
_SILENT = frozenset(
    {"of", "th", "thes", "thos", "them", "new", "mor", "other", "in", "all", "back", "each", "kill"}
)
"""Words, without their endings, that may stand between a number and what it counts."""
_ENDS = frozenset(
    {",", ";", ".", ":", "and", "or", "to", "by", "from", "with", "for", "at", "into", "out", "among"}
)
"""Words that end the search for what a number counts."""
_SPENDING = frozenset({"from", "exactly"})
"""Words before a number of things that are used up: nothing is asked for."""
_USING = frozenset({"take", "takes", "up"})
"""Words before a number without a noun that says how much is used up, as in "(the work takes 7)"."""
_TILE = re.compile(r"\(\d+, ?\d+\)")


class _Threshold(NamedTuple):
    """A number that a checkpoint asks for.

    Attributes:
        label: The checkpoint's label.
        thing: Key of the item or kind of mob that is counted.
        units: How many.
    """

    label: str
    thing: str
    units: int


class _Said(NamedTuple):
    """A number that a text says of a thing.

    Attributes:
        number: The number.
        how: ``asked``, ``spent`` (that many are used up) or ``summed`` ("both", "all three": counted already).
    """

    number: int
    how: str


def wording_problems(task: Task) -> list[str]:
    """Returns where the numbers of the objective and those of the checkpoints disagree.

    Every number of two or more that a checkpoint asks for must be said of that item or mob by the objective, or, where
    the objective gives no number for it, by the notes of some role. A single unit needs no number, unless all numbers
    said are others. And a number that the objective says of something must not be just above what is asked for.

    Args:
        task: The task.
    """
    asked = list(_thresholds(task))
    names = {point.thing: _name(task, point.thing) for point in asked}
    objective = _read(task.spec.objective, names)
    notes = _read(_notes(task), names)
    problems = _rounds(task)
    for label, thing, count in asked:
        said = objective.get(thing) or notes.get(thing) or []
        numbers = {number for number, _ in said}
        if count not in numbers and (count > 1 or any(how != "summed" for _, how in said)):
            told = " and ".join(map(str, sorted(numbers))) or "no number"
            problems.append(f"{label!r} asks for {count} {thing}, the objective says {told}")
    portions: dict[str, int] = {}
    for point in task.spec.parts:
        if isinstance(point, Delivered | Held):
            portions[point.item] = portions.get(point.item, 0) + point.count
    for point in task.spec.parts:
        if isinstance(point, Gathered | Crafted):
            portions.pop(point.item, None)
    for thing, said in objective.items():
        counts = [point.units for point in asked if point.thing == thing]
        for number, how in said:
            # "Forge 2 rings and pay one to each": what is asked for in portions is said as a whole.
            if how == "asked" and number not in (*counts, portions.get(thing)) and number - 1 in counts:
                problems.append(f"the objective says {number} {thing}, the checkpoints ask for {number - 1}")
    return list(dict.fromkeys(problems))


def _thresholds(task: Task) -> Iterator[_Threshold]:
    for point in task.spec.parts:
        match point:
            case Gathered() | Crafted() | Delivered() | Held():
                yield _Threshold(point.label, point.item, point.count)
            case Killed() if point.mob in task.world.mob_kinds:
                yield _Threshold(point.label, point.mob, point.count)
            case Built():
                for item, count in task.spec.sites[point.site].wants.items():
                    yield _Threshold(point.label, item, count)
            case _:
                pass


def _rounds(task: Task) -> list[str]:
    """Returns checkpoints about rounds whose number no text says, and numbers of rounds that none asks for."""
    told = f"{task.spec.objective} {_notes(task)}".lower()
    found = re.findall(r"\b([a-z]+|\d+) (?:full |whole |more )?rounds?\b", told)
    spans = {n for n in map(_number, found) if n is not None}
    ends = {int(number) for number in re.findall(r"\bround (\d+)\b", told)}
    problems = []
    for point in task.spec.checkpoints:
        if isinstance(point, HeldForRounds) and point.rounds > 1 and point.rounds not in spans:
            problems.append(f"{point.label!r} asks for {point.rounds} rounds, no text says that number")
        elif isinstance(point, SurvivedUntil) and point.round not in ends:
            problems.append(f"{point.label!r} waits for round {point.round}, no text says that number")
    return problems


def _notes(task: Task) -> str:
    return " . ".join(text for role in task.spec.team.values() for text in (role.about, role.guide.notes))


def _name(task: Task, thing: str) -> str:
    item = task.world.items.get(thing)
    return (item.name if item is not None else task.world.mob_kinds[thing].name).lower()


# -- reading ---------------------------------------------------------------------------------------------------------


def _read(text: str, names: Mapping[str, str]) -> dict[str, list[_Said]]:
    """Returns thing -> numbers that a text says of it.

    Args:
        text: The text.
        names: Thing -> its name in the world, in lower case.
    """
    tokens = _TOKEN.findall(_TILE.sub(" ", text.lower()))
    spoken = {thing: {_stems(name)} for thing, name in names.items()}
    for i, token in enumerate(tokens):
        # "4 shafts (stick)": from here on, and before, shafts are sticks.
        if token.startswith("(") and len(token) > 1 and token[1:-1] in spoken:
            words = _before(tokens, i)
            if words:
                spoken[token[1:-1]].add(_stems(" ".join(words)))
    found: dict[str, list[_Said]] = {}
    last: list[str] = []
    for i, word in enumerate(tokens):
        number = _number(word)
        if number is None or tokens[i - 1 : i] in (["round"], ["rounds"]) or _people(tokens[i + 1 : i + 5]):
            continue
        things, open_ = _counted(tokens, i, spoken)
        if not things and open_:
            things = last
        before = set(tokens[max(0, i - 2) : i])
        how = "asked"
        if word == "both" or "all" in before:
            how = "summed"
        elif _SPENDING & before or (open_ and _USING & before):
            how = "spent"
        for thing in things:
            found.setdefault(thing, []).append(_Said(number, how))
        if word not in ("a", "an"):
            last = things
    return found


def _people(tokens: list[str]) -> bool:
    """Whether a number before some words counts the team: "two or more of you"."""
    here = next((i for i, token in enumerate(tokens) if token in (",", ";", ".", ":")), len(tokens))
    return "you" in tokens[:here]


def _counted(tokens: list[str], i: int, spoken: Mapping[str, set[tuple[str, ...]]]) -> tuple[list[str], bool]:
    """Returns what the number at a place counts, and whether that may be something named earlier."""
    words: list[str] = []
    for token in tokens[i + 1 : i + 2 + _MOST_WORDS]:
        if token.startswith("(") and len(token) > 1:
            if token[1:-1] in spoken:
                return [token[1:-1]], False
            break
        if token in _ENDS or _number(token) is not None:
            break
        if _stem(token) not in _SILENT:
            words.append(token)
    return _best(words, spoken), not words


def _best(words: list[str], spoken: Mapping[str, set[tuple[str, ...]]]) -> list[str]:
    """Returns the things that words name: that named first in full, or else those whose last word is among them."""
    stems = [_stem(word) for word in words]
    full: list[tuple[int, int, str]] = []
    partly: list[str] = []
    for thing, names in spoken.items():
        for name in names:
            starts = [i for i in range(len(stems)) if tuple(stems[i : i + len(name)]) == name]
            full.extend((start, -len(name), thing) for start in starts)
            if name[-1] in stems:
                partly.append(thing)
        # Keys are words written together, such as goldnugget.
        full.extend(
            (start, start - end, thing)
            for start in range(len(stems))
            for end in range(start + 1, len(stems) + 1)
            if "".join(stems[start:end]) == _stem(thing)
        )
    if full:
        start, length, _ = min(full)
        return list(dict.fromkeys(thing for *place, thing in full if place == [start, length]))
    return list(dict.fromkeys(partly))


def _before(tokens: list[str], end: int) -> list[str]:
    """Returns the words that name the thing whose key stands at a place: those since the last number or stop."""
    words: list[str] = []
    for token in reversed(tokens[max(0, end - 3) : end]):
        if token in _ENDS or token in _SILENT or token.startswith("(") or _number(token) is not None:
            break
        words.insert(0, token)
    return words


def _number(token: str) -> int | None:
    return int(token) if token.isdigit() else _NUMBERS.get(token)


def _stems(name: str) -> tuple[str, ...]:
    return tuple(_stem(word) for word in re.findall(r"[a-z0-9_'-]+", name))


def _stem(word: str) -> str:
    """Returns a word without the ending of its plural, the same for both numbers."""
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = re.sub("(?<=..)(ie|y)$", "i", word)
    return re.sub("(?<=..)f$", "v", re.sub("(?<=..)e$", "", word))
