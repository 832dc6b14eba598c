"""The header of a record: made from a task, and turned back into one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from pydantic import ValidationError

from agentworld_env._version import RULES_VERSION, SUITE_VERSION, __version__
from agentworld_env.env.settings import setting_by_name
from agentworld_env.episodes.record import FORMAT, Header
from agentworld_env.errors import EpisodeFileError, InvalidValueError, UnknownNameError
from agentworld_env.sim.setup import GREATEST_SEED, checked_seed
from agentworld_env.tasks.check import check_spec
from agentworld_env.tasks.registry import SUITES, get_task
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task, hash_of
from agentworld_env.world import load_world

_VERSION = re.compile(r"\d+(\.\d+)+[A-Za-z0-9.+]{0,40}")

_NUMBER = SUITE_VERSION.rpartition("-")[2]
"""Version of the package's suites."""


def make_header(task: Task, *, seed: int, setting: str, policy: Mapping[str, Any]) -> Header:
    """Returns the header of an episode.

    Args:
        task: The task.
        seed: Seed of the episode, 0 to 2**63 - 1.
        setting: Name of the setting.
        policy: Name and settings of the policy, as plain data.

    Raises:
        InvalidValueError: The seed is out of range, or the task plays in another world than the package's, which no
            record could name.
    """
    seed = checked_seed(seed)
    if task.world is not load_world():
        raise InvalidValueError(
            f"{task.id} plays in a world of its own, and records are of the package's world"
        )
    return Header(
        format=FORMAT,
        package=__version__,
        rules=RULES_VERSION,
        suite=suite_of(task),
        task=task.id,
        task_hash=task.content_hash,
        spec=task.spec.model_dump(mode="json"),
        seed=seed,
        setting=setting,
        # Through JSON and back, so that a header in memory equals the one that is read from its file.
        policy=msgspec.json.decode(msgspec.json.encode(policy)),
    )


def suite_of(task: Task) -> str:
    """Returns the suite a task belongs to, as records name it: with its version if it is the package's own.

    A changed copy of one of the package's tasks is the user's own and belongs to none of the package's suites.
    """
    suite = task.spec.suite
    if suite not in SUITES:
        return suite
    return _package_suite(suite, _NUMBER) if _is_shipped(task) else "user"


def task_of(header: Header, where: str = "record", *, allow_python: bool = False) -> Task:
    """Returns the task that a record was played on, rebuilt from the record itself.

    Args:
        header: The header.
        where: What to call the record in messages.
        allow_python: Whether checkpoints of kind ``python`` are accepted in tasks that are not the package's own. They
            run code of installed modules, so allow them only for records whose task you trust.

    Raises:
        EpisodeFileError: The record follows other rules, or its task does not match its hash or cannot be played.
    """
    if header.rules != RULES_VERSION:
        raise EpisodeFileError(
            f"{where}: it was recorded under version {header.rules} of the rules, "
            f"this is version {RULES_VERSION}; score it with the package version {header.package}"
        )
    try:
        task = Task(TaskSpec.model_validate(header.spec))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise EpisodeFileError(
            f"{where}, line 1: expected a valid task in 'spec' ({place}: {first['msg']})"
        ) from error
    if not _written_by_us(header.spec, task.spec.model_dump(mode="json")):
        raise EpisodeFileError(
            f"{where}, line 1: expected every field of the task in 'spec', as it is written"
        )
    # A version that knew fewer fields hashed fewer.
    if task.id != header.task or header.task_hash not in (task.content_hash, hash_of(header.spec)):
        raise EpisodeFileError(
            f"{where}, line 1: the task {task.id} has the hash {task.content_hash}, "
            f"but the header says {header.task} with {header.task_hash}"
        )
    _check_header(header, task, where)
    if _is_shipped(task):
        return task
    problems = check_spec(task.spec, task.world, allow_python=allow_python)
    if problems:
        place = ".".join(str(part) for part in problems[0].path)
        raise EpisodeFileError(f"{where}, line 1: task field {place}: expected {problems[0].expected}")
    return task


def played_task(header: Header) -> Task:
    """Returns the task as it was played: the recorded one, unchecked, changed by the setting."""
    return setting_by_name(header.setting).task(Task(TaskSpec.model_validate(header.spec)))


def played_spec(header: Header) -> dict[str, Any]:
    """Returns the specification of the task as it was played: the recorded one, changed by the setting."""
    if not setting_by_name(header.setting).parts:
        return header.spec
    return played_task(header).spec.model_dump(mode="json")


def differences(ours: Header, theirs: Header) -> str:
    """Returns in what two headers differ, as ``name theirs instead of ours``, or an empty text if they are equal."""
    found: list[str] = []
    for name in Header.__struct_fields__:
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine == other:
            continue
        if name == "policy":
            mine, other = (msgspec.json.encode(each).decode() for each in (mine, other))
        found.append(name if name == "spec" else f"{name} {other} instead of {mine}")
    return ", ".join(found)


def _written_by_us(recorded: Any, whole: Any) -> bool:
    """Returns whether a specification is what this package writes, or wrote when it knew fewer fields.

    Validation fills in what is missing with defaults and nothing else, so that a field that is in the whole only is one
    that has its default. Anything surplus, reordered or written otherwise is refused.

    Args:
        recorded: The specification, or a part of it, as a record holds it.
        whole: The same with every field.
    """
    if isinstance(recorded, dict) and isinstance(whole, dict):
        known = [key for key in whole if key in recorded]
        return known == list(recorded) and all(_written_by_us(recorded[key], whole[key]) for key in known)
    if isinstance(recorded, list) and isinstance(whole, list):
        return len(recorded) == len(whole) and all(map(_written_by_us, recorded, whole))
    # By their text: 1, 1.0 and true are equal, and written differently.
    return msgspec.json.encode(recorded) == msgspec.json.encode(whole)


def _check_header(header: Header, task: Task, where: str) -> None:
    """Refuses a header whose names and numbers are none that this package or an earlier one could have written."""
    place = f"{where}, line 1: expected"
    if _VERSION.fullmatch(header.package) is None:
        raise EpisodeFileError(f"{place} a version of the package, got {header.package!r:.60}")
    if header.suite != suite_of(task) and not _is_other_version(header.suite, task.spec.suite):
        raise EpisodeFileError(
            f"{place} the suite {suite_of(task)}, to which the task belongs, got {header.suite!r:.60}"
        )
    if not 0 <= header.seed <= GREATEST_SEED:
        raise EpisodeFileError(f"{place} a seed from 0 to {GREATEST_SEED}, got {header.seed}")
    name = header.policy.get("name")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise EpisodeFileError(f"{place} a policy with a name of printable letters, got {name!a:.60}")
    if header.policy.keys() - {"name", "settings"}:
        raise EpisodeFileError(f"{place} nothing but name and settings of the policy")


def _is_other_version(named: str, suite: str) -> bool:
    """Returns whether a name is that of another version of one of the package's suites, which cannot be looked up."""
    number = named.removeprefix(_package_suite(suite, ""))
    return suite in SUITES and named != number != _NUMBER and _VERSION.fullmatch(number) is not None


def _package_suite(suite: str, number: str) -> str:
    return f"agentworld-env-{suite}-{number}"


def _is_shipped(task: Task) -> bool:
    try:
        return get_task(task.id) == task
    except UnknownNameError:
        return False
