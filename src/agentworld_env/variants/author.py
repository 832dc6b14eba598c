"""The other route: a language model proposes the edits; what it proposes is proven like any other variant."""

from __future__ import annotations

import json
from collections.abc import Collection, Set
from typing import Any

import msgspec

from agentworld_env.certify import certify_task
from agentworld_env.models import Answerer
from agentworld_env.tasks import Task
from agentworld_env.tasks.check import check_spec
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.variants.atlas import atlas
from agentworld_env.variants.digests import demand, errand, fingerprint
from agentworld_env.variants.draft import SUITE, finished, variant_id
from agentworld_env.variants.edits import MOST_BYTES, EditError, Edits, applied, read_edits
from agentworld_env.variants.generator import Variant, known, reason_of
from agentworld_env.variants.needs import Needs
from agentworld_env.variants.novelty import asks_nothing_new
from agentworld_env.variants.sense import senseless
from agentworld_env.variants.splits import split_of, split_of_seed
from agentworld_env.world import World

ATTEMPTS = 4
"""So often an author is asked for one variant: once, and again after what was wrong."""
TEMPERATURE = 1.0
OUTSIDE = 8
"""So many proposals that belong to another split end the search, too: no author can know what belongs where."""
_MOST_WORDS = 600
"""Characters of the complaint that an author is told."""

_TASK = """You design tasks for a team of agents in a role-playing sandbox. Change the task below into another one \
that asks for something else: other things, other places, other hand-overs. Answer with one JSON object of edits and \
nothing else. Names and texts are written for you; you only choose keys and numbers.

Schema of the answer:
{schema}

Rules: no agent may be able to do it alone; at least two role groups must be needed; something must pass from hand to \
hand or be done together; nothing may be done at the start already; it must be possible within the round budget. A \
change of quantities or of the budget alone is no other task, nor is a bag that is added where others suffice.

The task:
{task}

Places (key: what grows there):
{places}

What the team can craft: {crafts}
Named spawns: {spawns}
This is variant number {number}; make it unlike the others."""


class OtherSplitError(EditError):
    """Edits of a task that belongs to another split than the seed."""


class Authored(msgspec.Struct, kw_only=True):
    """What came of asking an author for one variant.

    Attributes:
        variant: The variant; None if nothing that the author proposed passed.
        requests: Requests sent.
        refused: Why proposals were refused, in words, in turn.
        prompt_tokens: Tokens of the requests.
        completion_tokens: Tokens of the replies.
    """

    variant: Variant | None = None
    requests: int = 0
    refused: list[str] = msgspec.field(default_factory=list)
    prompt_tokens: int = 0
    completion_tokens: int = 0


async def author_variant(
    source: Task,
    model: Answerer,
    number: int,
    *,
    taken: Set[str] = frozenset(),
    posed: Collection[TaskSpec] = (),
) -> Authored:
    """Asks a model for one variant, tells it what is wrong with what it proposes, and keeps only what passes.

    Args:
        source: The task to vary.
        model: The author.
        number: Seed of the variant: it names the variant, and what is asked for must belong to its split.
        taken: Fingerprints that it must not have.
        posed: Variants of the same run, of which it must ask for something that they do not.

    Raises:
        ModelError: The model cannot be reached.
        AgentWorldError: The seed lies in no split.
    """
    split_of_seed(number)
    found = Authored()
    wrong = outside = 0
    messages: list[dict[str, Any]] = [{"role": "user", "content": question(source, number)}]
    while wrong < ATTEMPTS and outside < OUTSIDE:
        reply = await model.complete(messages, temperature=TEMPERATURE)
        found.requests += 1
        found.prompt_tokens += reply.prompt_tokens
        found.completion_tokens += reply.completion_tokens
        try:
            found.variant = examined(source, read_edits(reply.text), number, found.requests - 1, taken, posed)
            return found
        except EditError as error:
            outside += isinstance(error, OtherSplitError)
            wrong += not isinstance(error, OtherSplitError)
            complaint = " ".join(str(error).split())[:_MOST_WORDS]
        found.refused.append(complaint)
        messages += [
            {"role": "assistant", "content": reply.text[:MOST_BYTES]},
            {"role": "user", "content": f"That will not do: {complaint}. Answer with a better JSON object."},
        ]
    return found


def authored_id(source: Task, number: int) -> str:
    """Returns the id of an authored variant."""
    return variant_id(source, f"-a{number}")


def examined(
    source: Task,
    edits: Edits,
    number: int,
    attempt: int = 0,
    taken: Set[str] = frozenset(),
    posed: Collection[TaskSpec] = (),
) -> Variant:
    """Returns the certified variant that edits make of a task.

    Args:
        source: The task.
        edits: What is to be changed.
        number: Seed of the variant.
        attempt: Number of the proposal.
        taken: Fingerprints that it must not have.
        posed: Tasks of which it must ask for something that they do not.

    Raises:
        EditError: They make none; it says why, in the words of the loader's checks or of the certificate.
    """
    world = source.world
    changed = applied(source.spec, edits, world)
    problems = [
        problem
        for problem in check_spec(changed, world)
        if not ({"guide", "label", "title"} & set(problem.path))
    ]
    if problems:
        where = ".".join(str(part) for part in problems[0].path)
        raise EditError(f"{where}: expected {problems[0].expected}")
    problem = senseless(changed, source.spec, world)
    if problem is not None:
        raise EditError(problem)
    spec = finished(changed, source, _mutations(edits))
    if spec is None:
        short = ", ".join(Needs(changed, world).short)
        raise EditError(f"nobody has or can make {short}" if short else "no sound task comes of it")
    spec = spec.model_copy(update={"id": authored_id(source, number), "suite": SUITE})
    if asks_nothing_new(spec, source.spec, world):
        raise EditError("it asks for the same as the given task, in other quantities at most")
    split, wanted = split_of(errand(spec, world), demand(spec, world)), split_of_seed(number)
    if split != wanted:
        raise OtherSplitError(
            f"what it asks for is set aside for {split} tasks, and a {wanted} task is wanted; "
            "keep the idea, but change one more item, place, checkpoint or bag"
        )
    digest = fingerprint(spec)
    if digest in known() or digest in taken or any(asks_nothing_new(spec, other, world) for other in posed):
        raise EditError("there is a task like it already")
    task = Task(spec, world)
    certificate = certify_task(task, (0,), quick=True)
    if reason_of(certificate) is not None:
        raise EditError("; ".join(problem.text for problem in certificate.problems[:3]))
    return Variant(
        task=task,
        source=source.id,
        seed=number,
        attempt=attempt,
        mutations=_mutations(edits),
        fingerprint=digest,
        certificate=certificate,
    )


def _mutations(edits: Edits) -> tuple[str, ...]:
    kinds = {
        "starts": "start",
        "bags": "reassign",
        "items": "product",
        "counts": "quantity",
        "wants": "product",
        "sites": "site",
        "areas": "meeting",
        "prey": "boss",
        "rounds": "budget",
    }
    return tuple(dict.fromkeys(kind for field, kind in kinds.items() if getattr(edits, field)))


def question(source: Task, number: int) -> str:
    """Returns what an author is asked."""
    spec, world = source.spec, source.world
    return _TASK.format(
        schema=json.dumps(Edits.model_json_schema(), separators=(",", ":")),
        task=json.dumps(_told(spec), separators=(",", ":")),
        places=_places(world),
        crafts=", ".join(_crafts(spec, world)),
        spawns=", ".join(
            f"{s.id} (level {s.level}, {s.team} attackers)" for s in world.named_spawns.values()
        ),
        number=number,
    )


def _told(spec: Any) -> dict[str, Any]:
    plain: dict[str, Any] = spec.model_dump(
        mode="json",
        exclude_defaults=True,
        include={"max_rounds", "objective", "team", "spawns", "sites", "checkpoints", "constraints"},
    )
    for role in plain["team"].values():
        role.pop("guide", None)
        role.pop("about", None)
    return plain


def _places(world: World) -> str:
    book = atlas(world)
    lines = []
    for key in sorted(book.places):
        kinds = [kind for kind, places in book.grounds.items() if key in places]
        lines.append(f"{key}: {', '.join(kinds) or '-'}")
    return "\n".join(lines)


def _crafts(spec: Any, world: World) -> list[str]:
    needs = Needs(spec, world)
    return [recipe.item for recipe in world.recipes if needs.crafters(recipe.item)]
