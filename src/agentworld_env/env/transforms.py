"""What settings make of a task: each a pure function from a task to a task. Applied twice it changes nothing more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from agentworld_env.errors import AgentWorldError
from agentworld_env.sim.rules import RULES
from agentworld_env.tasks import Task
from agentworld_env.tasks.schema import (
    Checkpoint,
    Crafted,
    Delivered,
    Gathered,
    Guide,
    Held,
    HeldForRounds,
    Role,
    TaskSpec,
    parts_of,
)

SHORT = 10
"""Round budget of the setting ``short_horizon``."""

SOLO = "agent_1"
"""Id of the only agent of the setting ``single_agent``."""

NO_ROLE = "You are a member of the team."
"""What everybody is told instead of a role under the setting ``no_roles``."""

_ORACLE = "You see what every team-mate sees and carries, and you read every message: direct the team."

_LISTS = ("recipes", "nodes", "mobs", "places", "sites")


def short_horizon(task: Task) -> Task:
    """Returns the task with at most ``SHORT`` rounds."""
    return _with(task, max_rounds=min(SHORT, task.spec.max_rounds))


def no_docs(task: Task) -> Task:
    """Returns the task with empty guides."""
    team = {name: role.model_copy(update={"guide": Guide()}) for name, role in task.spec.team.items()}
    return _with(task, team=team)


def oracle_view(task: Task) -> Task:
    """Returns the task with the first agent told that it sees everything."""
    team = dict(task.spec.team)
    name = next(iter(team))
    about = team[name].about.strip()
    if about.endswith(_ORACLE):
        return task
    team[name] = team[name].model_copy(update={"about": f"{about} {_ORACLE}"})
    return _with(task, team=team)


def no_roles(task: Task) -> Task:
    """Returns the task with ids without meaning, one guide for all, and no role told to anybody.

    Skills and things stay with their agents. Role names in texts become the new ids.
    """
    spec = task.spec
    ids = {name: f"agent_{i}" for i, name in enumerate(spec.team, 1)}
    if list(ids) == list(ids.values()):
        return task
    clean = _renamer(ids)
    guide = _union(role.guide for role in spec.team.values()).model_copy(update={"notes": ""})
    team = {
        ids[name]: role.model_copy(update={"group": "agents", "about": NO_ROLE, "guide": guide})
        for name, role in spec.team.items()
    }
    sites = {
        key: site.model_copy(update={"name": clean(site.name), "about": clean(site.about)})
        for key, site in spec.sites.items()
    }
    return _with(
        task,
        team=team,
        sites=sites,
        title=clean(spec.title),
        objective=clean(spec.objective),
        checkpoints=tuple(_renamed(point, ids, clean) for point in spec.checkpoints),
        constraints=tuple(_renamed(rule, ids, clean) for rule in spec.constraints),
    )


def single_agent(task: Task) -> Task:
    """Returns the task for one agent that is everybody: most skill, all things, the first one's place.

    Handing something from role to role has no meaning any more; instead the goods must have been made.

    A bag holds no more kinds of things than anybody's; a team that together has more cannot be played so, because which
    of them to leave behind would decide the result.

    Raises:
        AgentWorldError: Nothing would be left to do, or the team's things do not fit into one bag.
    """
    spec = task.spec
    if list(spec.team) == [SOLO]:
        return task
    alone = _merged(task)
    if len(alone.inventory) > RULES.bag_kinds:
        raise AgentWorldError(
            f"{task.id} cannot be played by a single agent: its team starts with {len(alone.inventory)} kinds "
            f"of things, and a bag holds {RULES.bag_kinds}"
        )
    points = _alone(task)
    if not points:
        raise AgentWorldError(f"{task.id} cannot be played by a single agent: it only moves things around")
    return _with(
        task,
        team={SOLO: alone},
        checkpoints=tuple(_following(points, spec)),
        constraints=tuple(
            rule.model_copy(update={"by": ()}) if hasattr(rule, "by") else rule for rule in spec.constraints
        ),
    )


# -- helpers ---------------------------------------------------------------------------------------------------


def _with(task: Task, **fields: Any) -> Task:
    changed: TaskSpec = task.spec.model_copy(update=fields)
    return Task(changed, task.world)


def _union(guides: Iterable[Guide]) -> Guide:
    guides = list(guides)
    fields: dict[str, Any] = {
        part: tuple(dict.fromkeys(key for guide in guides for key in getattr(guide, part))) for part in _LISTS
    }
    fields["notes"] = " ".join(guide.notes.strip() for guide in guides if guide.notes.strip())
    return Guide().model_copy(update=fields)


def _renamer(ids: dict[str, str]) -> Callable[[str], str]:
    longest = sorted(ids, key=len, reverse=True)
    by_spelling = {name.lower(): new for name, new in ids.items()}
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)
    return lambda text: pattern.sub(lambda found: by_spelling[found.group(0).lower()], text)


def _renamed(part: Any, ids: dict[str, str], clean: Callable[[str], str]) -> Any:
    """Returns a checkpoint or constraint with new ids in the fields that name roles."""
    fields: dict[str, Any] = {}
    by = getattr(part, "by", None)
    if by:
        fields["by"] = ids[by] if isinstance(by, str) else tuple(ids[name] for name in by)
    if hasattr(part, "to"):
        fields["to"] = ids.get(part.to, part.to)
    for text in ("label", "after"):
        if getattr(part, text, None) is not None:
            fields[text] = clean(getattr(part, text))
    return part.model_copy(update=fields)


def _merged(task: Task) -> Role:
    """Returns the role of the agent that is everybody."""
    roles = task.spec.team
    skills: dict[str, int] = {}
    bag: dict[str, int] = {}
    worn: dict[str, str] = {}
    for role in roles.values():
        for skill, level in role.skills.items():
            skills[skill] = max(level, skills.get(skill, 0))
        for item, units in role.inventory.items():
            bag[item] = bag.get(item, 0) + units
        for item in role.worn:
            slot = task.world.items[item].slot or ""
            if slot in worn:
                bag[item] = bag.get(item, 0) + 1
            else:
                worn[slot] = item
    first = next(iter(roles.values()))
    about = "\n".join(f"- {name}: {role.about.strip()}" for name, role in roles.items())
    said = (
        "You are alone and stand for a whole team: you have the skills and things of all its roles. "
        "What the goal has one of them hand to another you simply keep. The roles were told:\n"
    )
    return first.model_copy(
        update={
            "group": "agents",
            "about": said + about,
            "skills": skills,
            "inventory": bag,
            "worn": tuple(worn.values()),
            "guide": _union(role.guide for role in roles.values()),
        }
    )


def _alone(task: Task) -> list[Checkpoint]:
    """Returns the checkpoints for one agent."""
    spec = task.spec
    kept: list[Checkpoint] = []
    owed: dict[str, Delivered] = {}
    for point in _taken_apart(spec):
        if isinstance(point, Delivered) and point.to in spec.team:
            before = owed.get(point.item)
            count = point.count + (before.count if before else 0)
            owed[point.item] = (before or point).model_copy(update={"count": count})
            continue
        by = getattr(point, "by", None)
        if by:
            point = point.model_copy(update={"by": SOLO if isinstance(by, str) else ()})
        kept.append(point)
    for item, handed in owed.items():
        made = _made(task, handed)
        if made is not None and not any(
            type(other) is type(made)
            and getattr(other, "item", "") == item
            and getattr(other, "count", 0) >= made.count
            for other in parts_of(kept)
        ):
            kept.append(made)
    return kept


def _taken_apart(spec: TaskSpec) -> Iterator[Checkpoint]:
    """Yields the checkpoints; a hand-over of several items within the team comes item by item."""
    for point in spec.checkpoints:
        apart = isinstance(point, Delivered) and point.to in spec.team
        yield from parts_of((point,)) if apart else (point,)


def _following(points: list[Checkpoint], spec: TaskSpec) -> Iterator[Checkpoint]:
    """Yields the checkpoints for one agent; one that followed a hand-over follows what stands for it, if anything."""
    labels = {point.label for point in points}
    items = {
        point.label: {getattr(part, "item", "") for part in parts_of((point,))} - {""}
        for point in spec.checkpoints
    }
    for point in points:
        after = getattr(point, "after", None)
        if after is None or after in labels:
            yield point
            continue
        alike = (other.label for other in points if getattr(other, "item", "") in items[after])
        stand_in = next(alike, None)
        # To have survived means nothing where nothing came before.
        if stand_in is not None or isinstance(point, HeldForRounds):
            yield point.model_copy(update={"after": stand_in})


def _made(task: Task, handed: Delivered) -> Gathered | Crafted | Held | None:
    """Returns what stands for a handover when nobody is there to receive it, or None if nothing has to be done."""
    fields: dict[str, Any] = {"label": handed.label, "item": handed.item, "count": handed.count}
    at_start = sum(role.inventory.get(handed.item, 0) for role in task.spec.team.values())
    if handed.origin == "any" and at_start >= handed.count:
        return None
    if handed.item in task.world.recipe_of:
        return Crafted(kind="crafted", **fields)
    if any(kind.gives == handed.item for kind in task.world.node_kinds.values()):
        return Gathered(kind="gathered", **fields)
    return Held(kind="held", by=SOLO, **fields) if at_start < handed.count else None
