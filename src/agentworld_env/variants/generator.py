"""Certified variants: candidates are drawn and examined until one passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from functools import cache, lru_cache
from importlib import resources

import msgspec

from agentworld_env.certify import Certificate, Kind, certify_task
from agentworld_env.errors import AgentWorldError
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import Change, TaskSpec
from agentworld_env.variants.digests import demand, errand, fingerprint
from agentworld_env.variants.draft import draft, variant_id
from agentworld_env.variants.mutations import BUDGET
from agentworld_env.variants.mutations.quantities import horizon, last_event
from agentworld_env.variants.rounds import too_long
from agentworld_env.variants.splits import SPLITS, only_for, split_of, split_of_seed

MOST_DRAFTS = 240
"""Drafts of one variant at the most; splits, fingerprints and budgets rule many out before they cost a proof."""
SEEDS_LOOKED_AT = 5
"""Seeds whose drafts tell whether a source has any errand for a split."""
MOST_CANDIDATES = 24
"""Candidates of one variant that are examined at the most."""
_SPARE = 5, 4
"""A budget that is cut leaves the planner's rounds times this fraction at least."""
_LEAST = 3, 4
"""A budget that is cut keeps this fraction of the source's at least."""
_KNOWN = "known.json"

REASONS: dict[Kind, str] = {
    "hopeless": "no team can do it in time",
    "unprovided": "the planner cannot provide for it",
    "unsolved": "the planner does not solve it",
    "start": "a checkpoint holds at the start",
    "idle": "an idle team reaches a checkpoint",
    "alone": "one agent could do it alone",
    "groups": "fewer than two role groups are needed",
    "meeting": "nothing is asked for but to meet",
    "wording": "the texts do not say what is asked for",
    "bound": "the planner is faster than the lower bound",
    "nothing_shared": "nothing is handed over or done together",
    "messages": "messages would exceed the budget",
    "unreachable": "a place of a guide cannot be reached",
    "untold": "no guide tells what the plan uses",
    "not_there": "a text names what is not there",
    "danger": "the danger need not be fought",
    "near_miss": "a near miss passes",
    "mutant": "no episode tells it from a wrong copy",
}
"""Kind of a certificate's first problem -> why the candidate fails, in words."""
NOT_HARDER = "not harder enough"


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """A certified variant.

    Attributes:
        task: The task.
        source: Id of the task that it varies.
        seed: Seed of the variant.
        attempt: Number of the draft that passed.
        mutations: Names of its mutations.
        fingerprint: Digest of everything that decides how it plays.
        certificate: Its quick certificate.
    """

    task: Task
    source: str
    seed: int
    attempt: int
    mutations: tuple[str, ...]
    fingerprint: str
    certificate: Certificate


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the search for a variant.

    Attributes:
        source: Id of the task that was to be varied.
        seed: Seed of the variant.
        variant: The variant; None if no candidate passed.
        candidates: Candidates that were examined.
        rejected: Why candidates failed, in words -> how many.
        best: Greatest share of the budget that the planner used in a candidate that was to be harder and was so in
            hand-overs and role groups; 0 if there was none.
        elsewhere: Splits that the source has errands for, if it has none for the seed's own; see ``other_splits``.
    """

    source: str
    seed: int
    variant: Variant | None
    candidates: int
    rejected: dict[str, int]
    best: float = 0.0
    elsewhere: tuple[str, ...] = ()


@cache
def known() -> frozenset[str]:
    """Returns the fingerprints of the main and the augmented tasks, which no variant may have."""
    packed = resources.files("agentworld_env.variants").joinpath(_KNOWN).read_bytes()
    return frozenset(msgspec.json.decode(packed, type=list[str]))


def find_variant(
    source: Task,
    seed: int,
    *,
    harder: float = 0.0,
    taken: Set[str] = frozenset(),
    shipped: Set[str] | None = None,
    candidates: int = MOST_CANDIDATES,
) -> Search:
    """Searches for the variant of a task that belongs to a seed.

    Drafts are drawn in turn; the first that belongs to the seed's split, is like no main or augmented task and passes
    the quick certificate is the variant. Drafts and certificates are pure functions, so that it is the same on every
    machine.

    Args:
        source: The task to vary.
        seed: Seed of the variant, which lies in one of the ranges of ``splits.SPLITS``.
        harder: By which fraction the planner's share of the round budget must exceed the source's at least, with no
            fewer hand-overs and joint acts and no fewer necessary role groups; 0 asks for nothing.
        taken: Fingerprints that it must not have.
        shipped: Fingerprints of shipped tasks, which it must not have either; ``known()`` if None.
        candidates: Candidates that are examined at the most.

    Raises:
        AgentWorldError: The seed lies in no split, or the source itself cannot be certified where that is needed.
    """
    barred = (known() if shipped is None else shipped) | taken
    rejected: Counter[str] = Counter()
    drafts = tried = 0
    best = 0.0
    variant = None
    for attempt in range(MOST_DRAFTS):
        drawn = draft(source, seed, attempt)
        if drawn is None:
            continue
        drafts += 1
        spec, mutations = drawn
        if fingerprint(spec) in barred or too_long(Task(spec, source.world), 0):
            continue
        tried += 1
        if harder > 0:
            # Another search than that for the plain variant of the seed, so another id.
            suffix = f"-s{seed}h{min(99, round(100 * harder)):02}"
            spec = spec.model_copy(update={"id": variant_id(source, suffix)})
        task = Task(spec, source.world)
        certificate = certify_task(task, (0,), quick=True)
        if certificate.ok and harder > 0:
            task, certificate, mutations = _harder(task, certificate, mutations, source, harder)
        reason = reason_of(certificate)
        if reason is None and harder > 0:
            if keeps_up(certificate, standard(source)):
                best = max(best, use(certificate))
            if not is_harder(certificate, standard(source), harder):
                reason = NOT_HARDER
        if reason is None:
            variant = Variant(
                task=task,
                source=source.id,
                seed=seed,
                attempt=attempt,
                mutations=mutations,
                fingerprint=fingerprint(task.spec),
                certificate=certificate,
            )
            break
        rejected[reason] += 1
        if tried == candidates:
            break
    return Search(
        source=source.id,
        seed=seed,
        variant=variant,
        candidates=tried,
        rejected=dict(rejected),
        best=best,
        elsewhere=() if drafts else other_splits(source, split_of_seed(seed)),
    )


@lru_cache(maxsize=256)
def other_splits(source: Task, split: str) -> tuple[str, ...]:
    """Returns the splits that a source has errands for if it has none for one split, and nothing otherwise.

    It is taken to have none if no draft of the split's first ``SEEDS_LOOKED_AT`` seeds belongs there. A single seed may
    miss errands that are there: in the source whose drafts belong to some split most seldom, one in about fifty does.

    Args:
        source: The task to vary.
        split: The split.
    """
    world, first = source.world, SPLITS[split][0]
    for seed in range(first, first + SEEDS_LOOKED_AT):
        if any(draft(source, seed, attempt) is not None for attempt in range(MOST_DRAFTS)):
            return ()
    drawn = (draft(source, first, attempt, anywhere=True) for attempt in range(MOST_DRAFTS))
    specs = (found[0] for found in drawn if found is not None)
    met = {split_of(errand(spec, world), demand(spec, world)) for spec in specs}
    return tuple(each for each in SPLITS if each in met)


@lru_cache(maxsize=1024)
def make_variant(source: Task, seed: int) -> Task:
    """Returns the variant of a task that belongs to a seed; the search is done once per process.

    Args:
        source: The task to vary.
        seed: Seed of the variant.

    Raises:
        AgentWorldError: The seed lies in no split, or no candidate passed.
    """
    found = find_variant(source, seed)
    if found.elsewhere:
        first = SPLITS[found.elsewhere[0]][0]
        other = first + seed - SPLITS[split_of_seed(seed)][0]
        raise AgentWorldError(
            f"no variant of {source.id} with seed {seed}: {only_for(found.elsewhere)}; try seed {other}"
        )
    if found.variant is None:
        why = ", ".join(f"{count} x {reason}" for reason, count in found.rejected.items()) or "none was drawn"
        raise AgentWorldError(
            f"no variant of {source.id} with seed {seed} can be certified ({why}); try another seed"
        )
    return found.variant.task


def reason_of(certificate: Certificate) -> str | None:
    """Returns in words why a certificate fails, or None if it holds."""
    if certificate.ok:
        return None
    return REASONS[certificate.problems[0].kind]


@lru_cache(maxsize=256)
def standard(source: Task) -> Certificate:
    """Returns the quick certificate of a source, which harder variants are compared with.

    Raises:
        AgentWorldError: The source is not sound.
    """
    certificate = certify_task(source, (0,), quick=True)
    if not certificate.ok:
        raise AgentWorldError(f"{source.id} cannot be certified itself: {certificate.problems[0]}")
    return certificate


def use(certificate: Certificate) -> float:
    """Returns the share of the round budget that the planner uses on the first seed."""
    return next(iter(certificate.rounds.values())) / certificate.max_rounds


def is_harder(certificate: Certificate, source: Certificate, by: float) -> bool:
    """Returns whether a certificate is harder than its source's by a fraction, as ``find_variant`` defines it."""
    return use(certificate) >= (1 + by) * use(source) and keeps_up(certificate, source)


def keeps_up(certificate: Certificate, source: Certificate) -> bool:
    """Returns whether there are no fewer hand-overs and joint acts and necessary role groups than in the source."""
    return certificate.handovers + certificate.joint >= source.handovers + source.joint and _necessary(
        certificate
    ) >= _necessary(source)


def _necessary(certificate: Certificate) -> int:
    return sum(need.necessary for need in certificate.groups)


def _harder(
    task: Task, certificate: Certificate, mutations: tuple[str, ...], source: Task, by: float
) -> tuple[Task, Certificate, tuple[str, ...]]:
    """Returns a variant with a budget cut as far as it takes to be harder, if that suffices and leaves time."""
    aim = (1 + by) * use(standard(source))
    rounds = next(iter(certificate.rounds.values()))
    budget = int(rounds / aim)
    if (
        budget >= task.spec.max_rounds
        or budget * _SPARE[1] < rounds * _SPARE[0]
        or budget * _LEAST[1] < source.spec.max_rounds * _LEAST[0]
        or budget < last_event(task.spec)
        or horizon(budget) != horizon(source.spec.max_rounds)
    ):
        return task, certificate, mutations
    cut = Task(_with_budget(task.spec, budget, source), task.world)
    return cut, certify_task(cut, (0,), quick=True), tuple(dict.fromkeys((*mutations, "budget")))


def _with_budget(spec: TaskSpec, rounds: int, source: Task) -> TaskSpec:
    """Returns a variant with another budget, which its changes name."""
    changes = tuple(change for change in spec.changes if change.what != BUDGET.about)
    cut = Change(kind=BUDGET.kind, what=BUDGET.about, why=f"Variant of {source.id}.")
    return spec.model_copy(update={"max_rounds": rounds, "changes": (*changes, cut)})
