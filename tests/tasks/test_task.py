"""Tasks as values, and the list of tasks."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from agentworld_env.errors import TaskFileError, UnknownNameError
from agentworld_env.tasks import get_task, list_tasks, resolve
from agentworld_env.tasks.index import build_index
from agentworld_env.tasks.load import load_text


def test_the_index_says_what_the_task_files_say() -> None:
    import agentworld_env.tasks

    written = Path(agentworld_env.tasks.__file__).with_name("index.json").read_bytes()
    assert written == build_index()


def test_listing_tasks_loads_neither_schema_nor_world() -> None:
    code = (
        "import sys; from agentworld_env.tasks import list_tasks; assert list_tasks('main');"
        "heavy = {'pydantic', 'numpy', 'yaml', 'jinja2', 'agentworld_env.world'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tasks_are_listed_by_number() -> None:
    numbers = [int(info.id[1:].split("_")[0]) for info in list_tasks("main")]
    assert numbers == sorted(numbers)


def test_an_unknown_task_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        get_task("t01_magic_stuff")
    assert str(caught.value).startswith("unknown task 't01_magic_stuff'; did you mean t01_magic_staff")


def test_an_unknown_suite_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown suite 'mian'; did you mean main\?$"):
        list_tasks("mian")


def test_a_task_is_found_by_id_path_and_itself(good: str, tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(good)
    task = get_task("t01_magic_staff")
    assert resolve("t01_magic_staff") is task
    assert resolve(task) is task
    assert resolve(str(path)).id == resolve(path).id == "small_task"
    with pytest.raises(TaskFileError):
        resolve("missing.yaml")


def test_copies_of_a_task_are_equal_and_hash_alike() -> None:
    task = get_task("t86_forge_vanguard")
    assert copy.deepcopy(task) is task
    twin = pickle.loads(pickle.dumps(task))
    assert twin == task
    assert twin.content_hash == task.content_hash


def test_the_content_hash_follows_the_content_and_not_its_layout(good: str) -> None:
    def digest(text: str) -> str:
        return load_text(text.encode(), "mine.yaml").content_hash

    spaced = good.replace("inventory: {apple: 2}", "inventory:\n      apple: 2  # ration")
    assert digest(spaced) == digest(good)
    assert digest(good.replace("{apple: 2}", "{apple: 3}")) != digest(good)


def test_a_task_without_waves_has_the_hash_that_it_had_before_there_were_waves(good: str) -> None:
    task = load_text(good.encode(), "mine.yaml")
    plain = task.spec.model_dump(mode="json")
    assert plain.pop("waves") == []
    plain["team"] = list(plain["team"].items())
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    assert task.content_hash == hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    raided = good + "waves:\n  - {mob: wolf, at: [388, 10], appears: 3}\n"
    assert load_text(raided.encode(), "mine.yaml").content_hash != task.content_hash


def test_a_wave_becomes_creatures_with_ids_of_their_own(good: str) -> None:
    waves = (
        "waves:\n"
        "  - {mob: wolf, at: [388, 10], appears: 3}\n"
        "  - {mob: wolf, count: 2, at: [390, 10], appears: 7, seeks: 9}\n"
    )
    raiders = load_text((good + waves).encode(), "mine.yaml").setup().raiders
    assert [(r.id, r.kind, r.x, r.y, r.appears, r.seeks) for r in raiders] == [
        ("wolf-wave1-1", "wolf", 388, 10, 3, 40),
        ("wolf-wave2-1", "wolf", 390, 10, 7, 9),
        ("wolf-wave2-2", "wolf", 390, 10, 7, 9),
    ]


def test_the_turn_order_is_part_of_the_content(good: str) -> None:
    head, team = good.split("  logger:\n", 1)
    logger, rest = team.split("  keeper:\n", 1)
    keeper, tail = rest.split("spawns:", 1)
    swapped = f"{head}  keeper:\n{keeper}  logger:\n{logger}spawns:{tail}"
    first, second = (load_text(text.encode(), "mine.yaml") for text in (good, swapped))
    assert second.team == ("keeper", "logger")
    assert first.content_hash != second.content_hash
    assert first != second


def test_an_unknown_role_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown role 'smelte'; did you mean smelter"):
        get_task("t86_forge_vanguard").guide("smelte")
