"""The shipped people: everyone has a use, lives somewhere, and trade makes nothing from nothing."""

from __future__ import annotations

from collections import Counter

import pytest

from agentworld_env.world import load_world
from agentworld_env.world.catalogue import Npc
from agentworld_env.world.geometry import manhattan

WORLD = load_world()
PEOPLE = tuple(WORLD.npcs.values())
MERCHANTS = [npc for npc in PEOPLE if npc.role == "merchant"]
SETTLEMENTS = [p for p in WORLD.places.values() if p.kind in ("town", "camp", "cave", "region")]


def leads_back(ways: dict[str, set[str]]) -> list[str]:
    """The goods from which some chain of ways leads back to themselves."""

    def beyond(start: str) -> set[str]:
        reached: set[str] = set()
        left = list(ways.get(start, ()))
        while left:
            good = left.pop()
            if good not in reached:
                reached.add(good)
                left += ways.get(good, ())
        return reached

    return [good for good in ways if good in beyond(good)]


def test_the_world_has_at_least_seventy_people_with_merchants_and_collectors_among_them() -> None:
    roles = Counter(npc.role for npc in PEOPLE)
    assert len(PEOPLE) >= 70
    assert roles["merchant"] >= 25
    assert roles["collector"] >= 15


def test_everybody_has_a_use_that_a_tool_can_reach() -> None:
    assert [npc.id for npc in PEOPLE if not npc.offers and not npc.wants] == []


@pytest.mark.parametrize("npc", MERCHANTS, ids=lambda npc: npc.id)
def test_a_merchant_has_two_to_five_offers_and_takes_each_item_for_one_good_only(npc: Npc) -> None:
    # A transfer names only what is given, so a second offer for the same item could never be reached.
    assert 2 <= len(npc.offers) <= 5
    assert len({offer.take for offer in npc.offers}) == len(npc.offers)
    assert all(offer.take != offer.give for offer in npc.offers)


def test_no_chain_of_offers_and_recipes_leads_a_good_back_to_itself() -> None:
    ways: dict[str, set[str]] = {}
    for npc in PEOPLE:
        for offer in npc.offers:
            ways.setdefault(offer.take, set()).add(offer.give)
    for recipe in WORLD.recipes:
        for needed in recipe.inputs:
            ways.setdefault(needed, set()).add(recipe.item)
    assert leads_back(ways) == []


def test_a_loop_of_trade_would_be_found() -> None:
    assert leads_back({"egg": {"gold"}, "gold": {"salt", "egg"}, "salt": set()}) == ["egg", "gold"]


def test_coins_are_both_earned_and_spent() -> None:
    offers = [offer for npc in PEOPLE for offer in npc.offers]
    assert sum(offer.give == "gold" for offer in offers) >= 10
    assert sum(offer.take == "gold" for offer in offers) >= 10


def test_people_live_in_at_least_eight_towns_and_nobody_far_from_a_place() -> None:
    homes: Counter[str] = Counter()
    for npc in PEOPLE:
        home = min(SETTLEMENTS, key=lambda p: manhattan(npc.x, npc.y, p.x, p.y))
        assert manhattan(npc.x, npc.y, home.x, home.y) <= 44, npc.id
        homes[home.key] += 1
    towns = [key for key in homes if WORLD.places[key].kind == "town"]
    assert len(towns) >= 8


def test_everybody_stands_on_a_tile_of_their_own_with_room_around_it() -> None:
    tiles = [(npc.x, npc.y) for npc in PEOPLE]
    assert len(set(tiles)) == len(tiles)
    for x, y in tiles:
        assert WORLD.is_walkable(x, y)
        assert sum(WORLD.is_walkable(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)) >= 3


def test_every_name_and_sentence_belongs_to_one_person() -> None:
    assert len({npc.name for npc in PEOPLE}) == len(PEOPLE)
    assert len({npc.about for npc in PEOPLE}) == len(PEOPLE)


def test_goods_that_only_merchants_bring_into_the_world_are_sold_for_coins() -> None:
    sold = {offer.give for npc in PEOPLE for offer in npc.offers if offer.take == "gold"}
    assert {"flax", "salt", "sugar", "spice", "rice", "tealeaf", "milk"} <= sold
