"""The typed mutations: each is data and a small pure function."""

from __future__ import annotations

from agentworld_env.variants.mutations.bosses import swap_boss, swap_prey
from agentworld_env.variants.mutations.gear import hand_on, reassign, strip
from agentworld_env.variants.mutations.mutation import Mutation
from agentworld_env.variants.mutations.places import scatter, swap_ground, swap_meeting, swap_site
from agentworld_env.variants.mutations.products import swap_material, swap_product
from agentworld_env.variants.mutations.quantities import horizon, scale, tighten
from agentworld_env.variants.mutations.team import add_role, drop_role

__all__ = ["BUDGET", "MUTATIONS", "SCALE", "STRIP", "Mutation", "horizon"]


def _mutation(
    name: str, about: str, kind: str, weight: int, apply: object, *, structural: bool = True
) -> Mutation:
    return Mutation(
        name=name,
        about=about,
        kind=kind,  # type: ignore[arg-type]
        structural=structural,
        weight=weight,
        apply=apply,  # type: ignore[arg-type]
    )


BUDGET = _mutation("budget", "There are fewer rounds.", "quantity", 2, tighten, structural=False)
SCALE = _mutation("quantity", "More is asked for.", "quantity", 3, scale, structural=False)
STRIP = _mutation("strip", "Materials that lay in a bag have to be made.", "gear", 4, strip)

MUTATIONS: tuple[Mutation, ...] = (
    _mutation("product", "Another thing is made, from other materials.", "recipe", 5, swap_product),
    _mutation("material", "Another raw material is gathered.", "source", 4, swap_material),
    _mutation("ground", "Gatherers work in another region.", "place", 3, swap_ground),
    _mutation("start", "A role group starts somewhere else.", "place", 3, scatter),
    _mutation("meeting", "The team meets, waits or scouts somewhere else.", "place", 3, swap_meeting),
    _mutation("site", "A site stands somewhere else.", "place", 3, swap_site),
    _mutation("boss", "Another boss of like strength is to be killed.", "source", 5, swap_boss),
    _mutation("prey", "Another kind of mob is to be hunted.", "source", 4, swap_prey),
    _mutation("reassign", "What one role needs lies with another at the start.", "gear", 5, reassign),
    STRIP,
    _mutation("hand_on", "What is made goes to somebody who had no part in it.", "checkpoint", 4, hand_on),
    _mutation("add_role", "A keeper joins the team.", "gear", 2, add_role),
    _mutation("drop_role", "A redundant member is missing.", "gear", 3, drop_role),
    SCALE,
    BUDGET,
)
"""All mutations, in the order in which a variant's file records them."""
