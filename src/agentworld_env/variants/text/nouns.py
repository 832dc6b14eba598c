"""Names of things in English: how many of what, and lists of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from agentworld_env.world import World

_WORDS = "ore coal corn shrimp tuna sushi jellyfish kelp leather meat mail silk twine thread glass timber sauce flour"
_UNCOUNTED = frozenset(_WORDS.split())
"""Last words of names that have no plural of their own."""
_PAIRS = frozenset({"boots", "tongs"})
_PLURAL = frozenset({"logs", "arrowheads"})
"""Last words of names that are plural already."""
_SUITS = frozenset({"mail", "armour"})
_SOMEBODY = ("er", "or", "ar", "ian", "ist", "man", "smith", "mage", "chef", "jack", "scout")
"""Endings of the last words of names that are words for somebody."""
_MANY, _FEW = 4, 2
"""More names than the first are said by leaving out at most so many as the second."""
_KEPT = frozenset("abcdefghijklmnopqrstuvwxyz")


def noun(item: str, count: int, world: World, *, key: bool = False) -> str:
    """Returns an item's name in the singular or plural.

    Args:
        item: Its key.
        count: How many, which only decides the form.
        world: The world, for its name.
        key: Whether the key follows in brackets where it cannot be told from the name; it always does where several
            items bear one name.
    """
    name = world.items[item].name.lower()
    words = name.split()
    last = words[-1]
    if last in _PAIRS:
        text = f"pair{'s' if count != 1 else ''} of {name}"
    elif last in _SUITS:
        text = f"suit{'s' if count != 1 else ''} of {name}"
    elif last in _PLURAL:
        text = name if count != 1 else name[:-1]
    elif count == 1 or last in _UNCOUNTED:
        text = name
    elif "of" in words[1:]:
        head = words.index("of", 1)  # tridents of the sea
        text = " ".join([*words[: head - 1], plural(words[head - 1]), *words[head:]])
    else:
        text = " ".join([*words[:-1], plural(last)])
    letters = "".join(letter for letter in name if letter in _KEPT)
    return f"{text} ({item})" if (key and letters != item) or name in _shared(world) else text


@cache
def _shared(world: World) -> frozenset[str]:
    """Returns the names that several items bear, such as the beads of the elements."""
    count = Counter(item.name.lower() for item in world.items.values())
    return frozenset(name for name, several in count.items() if several > 1)


def plural(word: str) -> str:
    """Returns the plural of a word."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word in ("tomato", "potato"):
        return word + "es"
    return "wolves" if word == "wolf" else word + "s"


def amount(item: str, count: int, world: World, *, key: bool = False) -> str:
    """Returns how many of an item, such as ``"2 gold bars"``."""
    return f"{count} {noun(item, count, world, key=key)}"


def mobs(kind: str, count: int, world: World) -> str:
    """Returns how many of a kind of mob, such as ``"3 goblins"``."""
    return f"{count} {mob_name(kind, count, world)}"


def mob_name(kind: str, count: int, world: World) -> str:
    """Returns a kind of mob in the singular or plural, such as ``"goblins"``; the count only decides the form."""
    words = world.mob_kinds[kind].name.lower().split()
    if count != 1 and words[-1].endswith("man"):
        return " ".join([*words[:-1], words[-1][:-3] + "men"])
    if words[-1] in ("lich", "fish", "sheep", "deer", "moose") and count != 1:
        return " ".join(words)
    return " ".join(words if count == 1 else [*words[:-1], plural(words[-1])])


def listing(parts: Iterable[str], word: str = "and") -> str:
    """Returns parts as a list in a sentence."""
    things = list(parts)
    if len(things) < 2:
        return "".join(things)
    return f"{', '.join(things[:-1])} {word} {things[-1]}"


def article(text: str) -> str:
    """Returns a noun in the singular with its indefinite article."""
    return f"{'an' if text[:1].lower() in 'aeiou' else 'a'} {text}"


def called(name: str) -> str:
    """Returns a role's name as it stands within a sentence: what is a word for somebody gets an article.

    Names with numbers, and those that end in no such word, stay as they are: ``miner1``, ``crafter_gold``.
    """
    words = name.split("_")
    if any(letter.isdigit() for letter in name) or (len(words) > 1 and not words[-1].endswith(_SOMEBODY)):
        return name
    return "the " + " ".join(words)


def place_name(name: str) -> str:
    """Returns the name of a place as it stands within a sentence."""
    return "the " + name.removeprefix("The ") if name.startswith("The ") else name


def people(
    names: Sequence[str],
    groups: dict[str, list[str]],
    team: Sequence[str],
    word: str = "and",
    call: Callable[[str], str] = str,
) -> str:
    """Returns who, as short as it can be said: everybody, all but a few, a whole group, or the names.

    Args:
        names: The roles; everybody if there are none.
        groups: Group -> its roles.
        team: All roles.
        word: Whether all of them are meant ("and") or any ("or").
        call: How a name stands in the text.
    """
    everybody = "all of you" if word == "and" else "any of you"
    if not names or set(names) == set(team):
        return everybody
    for group, members in groups.items():
        if len(names) > 2 and set(names) == set(members):
            return f"{'one of ' if word == 'or' else ''}the {group.replace('_', ' ')}"
    rest = [name for name in team if name not in names]
    if len(names) > _MANY and len(rest) <= _FEW:
        return f"{everybody} but {listing(map(call, rest))}"
    return listing(map(call, names), word)
