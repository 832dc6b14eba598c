"""Drawing candidates: a few mutations of a task, worded anew, before anything is proven about them."""

from __future__ import annotations

import hashlib

from agentworld_env.tasks import Task
from agentworld_env.tasks.check import check_spec
from agentworld_env.tasks.schema import Change, TaskSpec
from agentworld_env.variants.dice import Dice
from agentworld_env.variants.digests import asked, demand, errand
from agentworld_env.variants.mutations import MUTATIONS, SCALE, STRIP, Mutation
from agentworld_env.variants.mutations.gear import stripped
from agentworld_env.variants.mutations.quantities import supplied
from agentworld_env.variants.needs import Needs
from agentworld_env.variants.sense import grown, senseless, trimmed
from agentworld_env.variants.splits import split_of, split_of_seed
from agentworld_env.variants.text import worded
from agentworld_env.world import World

FEWEST, MOST = 2, 4
"""Mutations of a variant."""
LONGEST_ID = 48
"""Characters of a task's id."""
CUT_DIGITS = 8
"""Hexadecimal digits that tell ids apart which are cut."""
SUITE = "variant"
"""Suite of tasks that were generated and not checked in."""


def draft(
    source: Task, seed: int, attempt: int, *, anywhere: bool = False
) -> tuple[TaskSpec, tuple[str, ...]] | None:
    """Returns a candidate and the names of its mutations, or None if this attempt comes to nothing.

    A pure function: the same arguments give the same candidate everywhere.

    Args:
        source: The task to vary.
        seed: Seed of the variant; only what its split may ask for is drawn.
        attempt: Number of the attempt, counted from 0.
        anywhere: Whether it may belong to any split.

    Raises:
        AgentWorldError: The seed lies in no split.
    """
    world = source.world
    split = split_of_seed(seed)
    dice = Dice("variant", source.id, seed, attempt)
    wanted = dice.between(FEWEST, MOST)
    spec = source.spec
    done: list[Mutation] = []
    for mutation in _drawn(dice):
        # The first decides that something else must be done; quantities and the budget come on top.
        if not done and not mutation.structural:
            continue
        changed = mutation.apply(spec, world, dice)
        if changed is not None:
            spec = changed
            done.append(mutation)
        if len(done) == wanted:
            break
    if len(done) < FEWEST:
        return None
    spec = supplied(spec, world)
    if STRIP in done and not stripped(spec, source.spec, world):
        # Others have undone it; the file must not claim it.
        done.remove(STRIP)
    spec = trimmed(spec, source.spec, world)
    if SCALE in done and not grown(spec, source.spec):
        done.remove(SCALE)
    if len(done) < FEWEST:
        return None
    wants = demand(spec, world)
    # Before the texts, which cost most: what it asks for must be new, and belong to the seed's split.
    if wants == demand(source.spec, world):
        return None
    if not anywhere and split_of(errand(spec, world), wants) != split:
        return None
    if asked(spec, world) == asked(source.spec, world):
        return None
    if senseless(spec, source.spec, world) is not None:
        return None
    names = tuple(mutation.name for mutation in done)
    found = finished(spec, source, names)
    if found is None:
        return None
    return found.model_copy(update={"id": variant_id(source, f"-s{seed}"), "suite": SUITE}), names


def variant_id(source: Task, suffix: str) -> str:
    """Returns the id of a variant: its source's with a suffix.

    Where that is longer than ids are, the source's is cut and ends in digits of its digest: sources whose ids begin
    alike, such as variants of one task, must not have variants of one name.
    """
    room = LONGEST_ID - len(suffix)
    if len(source.id) <= room:
        return source.id + suffix
    digits = hashlib.blake2b(source.id.encode("ascii"), digest_size=CUT_DIGITS // 2).hexdigest()
    return f"{source.id[: room - CUT_DIGITS - 1]}-{digits}{suffix}"


def finished(spec: TaskSpec, source: Task, names: tuple[str, ...]) -> TaskSpec | None:
    """Returns a mutated task with its texts and its list of changes; None if it is no sound task file.

    Args:
        spec: The mutated task, with texts of its source.
        source: The source.
        names: Names of the mutations.
    """
    world: World = source.world
    spec = supplied(spec, world)
    if Needs(spec, world).short:
        return None
    found = worded(spec, source.spec, world)
    if found is None:
        return None
    changes = tuple(
        Change(kind=mutation.kind, what=mutation.about, why=f"Variant of {source.id}.")
        for mutation in MUTATIONS
        if mutation.name in names
    )
    found = found.model_copy(update={"changes": changes})
    return None if check_spec(found, world) else found


def _drawn(dice: Dice) -> list[Mutation]:
    """Returns all mutations in a drawn order, the weightier ones rather early."""
    rest = list(MUTATIONS)
    order = []
    while rest:
        tickets = [mutation for mutation in rest for _ in range(mutation.weight)]
        mutation = dice.choice(tickets)
        rest.remove(mutation)
        order.append(mutation)
    return order
