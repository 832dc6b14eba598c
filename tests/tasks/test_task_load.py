"""Loading task files: every mistake is one line that names file, line, field and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentworld_env.errors import TaskFileError
from agentworld_env.tasks.load import load_task, load_text
from agentworld_env.tasks.reading import MAX_BYTES, MAX_DEPTH

# What is replaced in the good file, by what, and the whole message. Line numbers are those of the good file.
SPOILT = [
    ("category: gathering\n", "", "1: category: expected the field 'category', which is missing"),
    (
        "category: gathering",
        "category: gatering",
        "3: category: expected combat | crafting | trading | gathering | exploration | survival | "
        "construction | coordination, got 'gatering'; did you mean gathering?",
    ),
    (
        "max_rounds: 20",
        "max_round: 20",
        "4: max_round: expected a known field, got 'max_round'; did you mean max_rounds?",
    ),
    (
        "max_rounds: 20",
        "max_rounds: 20\ncolour: red",
        "5: colour: expected a known field, got 'colour'; expected one of id, number, title, category, suite, "
        "max_rounds, objective, team, spawns, waves, sites, sources, growth, checkpoints, constraints, changes, canary",
    ),
    (
        "- kind: gathered",
        "- kind: xyz",
        "28: checkpoints[0].kind: expected a known kind, got 'xyz'; expected one of gathered, crafted, killed, "
        "delivered, held, worn, visited, discovered, present_together, held_for_rounds, survived_until, built, python",
    ),
    (
        "max_rounds: 20",
        "max_rounds: many",
        "4: max_rounds: expected a whole number, got 'many'",
    ),
    (
        "max_rounds: 20",
        "max_rounds: yes",
        "4: max_rounds: expected a whole number, got 'yes'",
    ),
    ("max_rounds: 20", "max_rounds: 0", "4: max_rounds: expected at least 1, got 0"),
    (
        "lumberjacking: 5",
        "lumberjaking: 5",
        "11: team.logger.skills.lumberjaking: expected a known skill, got 'lumberjaking'; "
        "did you mean lumberjacking?",
    ),
    (
        "worn: [axe]",
        "worn: [axe, pickaxe]",
        "13: team.logger.worn[1]: expected one item per slot: 'axe' is already the weapon",
    ),
    (
        "worn: [axe]",
        "worn: [apple]",
        "13: team.logger.worn[0]: expected something that can be worn, got 'apple'",
    ),
    (
        "worn: [axe]",
        "worn: [platearmor]",
        "13: team.logger.worn[0]: expected combat 12 to wear 'platearmor', the role has 1",
    ),
    (
        "nodes: [oak]",
        "nodes: [oka]",
        "15: team.logger.guide.nodes[0]: expected a known kind of resource, got 'oka'; did you mean oak?",
    ),
    (
        "places: [oak-grove]",
        "placs: [oak-grove]",
        "16: team.logger.guide.placs: expected a known field, got 'placs'; did you mean places?",
    ),
    (
        "start: [390, 10]",
        "start: [390]",
        "20: team.keeper.start: expected [x, y], two whole numbers of tiles, got [390]",
    ),
    (
        "item: logs\n    count: 1",
        "item: logs\n    count: 0",
        "28: checkpoints[0]: expected 'item' and 'count' (1 or more), or else 'items' (two or more, each with its "
        "count), got count: 0",
    ),
    (
        "  keeper:\n",
        "  hobb:\n",
        "17: team.hobb: expected an id of its own, 'hobb' is a person of the world",
    ),
    (
        "start: [390, 10]",
        "start: [2000, 10]",
        "20: team.keeper.start: expected a tile within 1056 x 768, got [2000, 10]",
    ),
    (
        "spawns: [ice-guardian-1]",
        "spawns: [ice-guardian1]",
        "21: spawns[0]: expected a known named spawn, got 'ice-guardian1'; did you mean ice-guardian-1?",
    ),
    (
        "wants: {logs: 2}",
        "wants: {lgos: 2}",
        "26: sites.fort.wants.lgos: expected a known item, got 'lgos'; did you mean logs?",
    ),
    (
        "- kind: gathered",
        "- kind: gathred",
        "28: checkpoints[0].kind: expected a known kind, got 'gathred'; did you mean gathered?",
    ),
    (
        "item: logs\n    count: 1",
        "item: ironbar\n    count: 1",
        "30: checkpoints[0].item: expected something that a resource gives or 'sources' lists, got 'ironbar'",
    ),
    (
        "item: logs\n    count: 1",
        "items: {logs: 1, ironbar: 1}",
        "30: checkpoints[0].items.ironbar: expected something that a resource gives or 'sources' lists, got 'ironbar'",
    ),
    (
        "item: logs\n    count: 1",
        "items: {logs: 1, cola: 1}",
        "30: checkpoints[0].items.cola: expected a known item, got 'cola'; did you mean coal?",
    ),
    (
        "item: logs\n    count: 1",
        "items: {logs: 1, coal: 0}",
        "30: checkpoints[0].items.coal: expected at least 1, got 0",
    ),
    *(
        (
            "item: logs\n    count: 1",
            spoilt,
            "28: checkpoints[0]: expected 'item' and 'count' (1 or more), or else 'items' (two or more, each with its "
            f"count), got kind and label and {given}",
        )
        for spoilt, given in (
            ("item: logs", "item"),
            ("count: 1", "count"),
            ("items: {logs: 1}", "items"),
            ("items: {logs: 1, coal: 1}\n    count: 1", "items and count"),
        )
    ),
    (
        "item: logs\n    count: 1",
        "item: logs\n    cuont: 1",
        "31: checkpoints[0].cuont: expected a known field, got 'cuont'; did you mean count?",
    ),
    (
        "item: logs\n    count: 1",
        "item: logs\n    item: coal",
        "31: checkpoints[0].item: expected each key once, got 'item' a second time",
    ),
    (
        "to: keeper}",
        "to: keper}",
        "32: checkpoints[1].to: expected a known role, site or person, got 'keper'; did you mean keeper?",
    ),
    (
        "label: Log handed over",
        "label: Logs cut",
        "32: checkpoints[1].label: expected a label of its own, got 'Logs cut' a second time",
    ),
    (
        "- {kind: all_alive}",
        "- {kind: all_alive}\nwaves:\n  - {mob: wolff, at: [388, 10], appears: 3}",
        "36: waves[0].mob: expected a known mob kind, got 'wolff'; did you mean wolf?",
    ),
    (
        "- {kind: all_alive}",
        "- {kind: all_alive}\nwaves:\n  - {mob: wolf, at: [388, 10], appears: 1}",
        "36: waves[0].appears: expected at least 2, got 1",
    ),
    (
        "- {kind: all_alive}",
        "- {kind: all_alive}\nwaves:\n  - {mob: wolf, at: [388, 10], appears: 499}",
        "36: waves[0].appears: expected at most max_rounds (20), got 499",
    ),
    (
        "- {kind: all_alive}",
        "- {kind: all_alive}\nwaves:\n  - {mob: wolf, at: [-4, 10], appears: 3}",
        "36: waves[0].at: expected a tile within 1056 x 768, got [-4, 10]",
    ),
    (
        "- {kind: all_alive}",
        "- {kind: all_alive}\nwaves:\n  - {mob: wolf, at: [388, 10], appears: 3, seeks: 49}",
        "36: waves[0].seeks: expected at most 48, got 49",
    ),
    (
        "- {kind: all_alive}",
        "- {kind: all_alive, by: [loger]}",
        "34: constraints[0].by[0]: expected a known role of the team, got 'loger'; did you mean logger?",
    ),
    (
        "- {kind: all_alive}",
        "- {by: [logger]}",
        "34: constraints[0]: expected the field 'kind', which is missing",
    ),
    (
        "- {kind: all_alive}",
        "- {kind: all_alive",
        "35: expected valid YAML (did not find expected ',' or '}')",
    ),
    ("id: small_task", "id: &x small_task", "1: expected no anchors and aliases: write the value out"),
    (
        "id: small_task",
        "id: 2024-01-01",
        "1: id: expected text, a number or a list, got '2024-01-01'; quote it",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), SPOILT, ids=[f"{i}" for i in range(len(SPOILT))])
def test_a_mistake_is_one_line_with_file_line_field_and_expectation(
    good: str, old: str, new: str, message: str
) -> None:
    assert good.count(old) == 1
    with pytest.raises(TaskFileError) as caught:
        load_text(good.replace(old, new).encode(), "mine.yaml")
    assert str(caught.value) == f"mine.yaml:{message}"


@pytest.mark.parametrize(
    ("checkpoint", "message"),
    [
        (
            "{kind: crafted, label: X, item: logs, count: 1}",
            "[2].item: expected something that a recipe makes, got 'logs'",
        ),
        (
            "{kind: worn, label: X, item: logs, by: keeper}",
            "[2].item: expected something that can be worn, got 'logs'",
        ),
        (
            "{kind: held, label: X, item: logs, count: 1, by: bob}",
            "[2].by: expected a known role of the team, got 'bob'; expected one of logger, keeper",
        ),
        (
            "{kind: killed, label: X, mob: iron-ogre-1}",
            "[2].mob: expected a known mob kind, or a named spawn that 'spawns' lists, got 'iron-ogre-1'; "
            "did you mean ironogre?",
        ),
        (
            "{kind: built, label: X, site: frot}",
            "[2].site: expected a known site of the task, got 'frot'; did you mean fort?",
        ),
        (
            "{kind: visited, label: X, area: {place: oakgrove}}",
            "[2].area.place: expected a known place, got 'oakgrove'; did you mean oak-grove?",
        ),
        (
            "{kind: visited, label: X, area: {}}",
            "[2].area: expected either 'at: [x, y]' or 'place: key', got {}",
        ),
        (
            "{kind: survived_until, label: X, round: 5, after: X}",
            "[2].after: expected a known label of a checkpoint above, got 'X'; "
            "expected one of Logs cut, Log handed over",
        ),
        (
            "{kind: held_for_rounds, label: X, area: {at: [388, 10]}, rounds: 2, after: Log cut}",
            "[2].after: expected a known label of a checkpoint above, got 'Log cut'; did you mean Logs cut?",
        ),
        (
            "{kind: survived_until, label: X, round: 21, after: Logs cut}",
            "[2].round: expected at most max_rounds (20), got 21",
        ),
        (
            "{kind: python, label: X, function: 'os:getcwd'}",
            "[2].kind: expected a kind other than 'python', which only the caller can allow",
        ),
    ],
)
def test_a_checkpoint_that_cannot_be_meant_is_refused(good: str, checkpoint: str, message: str) -> None:
    spoilt = good.replace("constraints:\n", f"  - {checkpoint}\nconstraints:\n")
    with pytest.raises(TaskFileError) as caught:
        load_text(spoilt.encode(), "mine.yaml")
    assert str(caught.value) == f"mine.yaml:33: checkpoints{message}"


def test_worn_knows_its_origins_and_rounds_held_the_checkpoint_that_they_follow(good: str) -> None:
    held = "{kind: held_for_rounds, label: X, area: {at: [388, 10]}, rounds: 2, after: Logs cut}"
    worn = "{kind: worn, label: Y, item: axe, by: keeper, origin: made}"
    text = good.replace("constraints:\n", f"  - {held}\n  - {worn}\nconstraints:\n")
    points = load_text(text.encode(), "mine.yaml").spec.model_dump()["checkpoints"]
    assert (points[2]["after"], points[3]["origin"]) == ("Logs cut", "made")


CONTROL = {"\\0": "'\\x00'", "\\e": "'\\x1b'", "\\x9b": "'\\x9b'", "\\x7f": "'\\x7f'", "\\r": "'\\r'"}
CONTROL.update({"\\u202e": "'\\u202e'", "\\u2028": "'\\u2028'", "\\t": "'\\t'"})


@pytest.mark.parametrize("escape", CONTROL)
@pytest.mark.parametrize(
    ("old", "where"),
    [
        ("title: Small Task", "2: title"),
        ("objective: Cut a log and hand it over.", "5: objective"),
        ("about: You keep.", "19: team.keeper.about"),
        ("name: Fort", "24: sites.fort.name"),
        ("label: Logs cut", "29: checkpoints[0].label"),
    ],
)
def test_control_characters_in_a_text_are_refused(good: str, old: str, where: str, escape: str) -> None:
    spoilt = good.replace(old, f'{old.partition(":")[0]}: "a{escape}[31mb"')
    with pytest.raises(TaskFileError) as caught:
        load_text(spoilt.encode(), "mine.yaml")
    expected = f"nothing but printable text and line breaks, got {CONTROL[escape]}"
    assert str(caught.value) == f"mine.yaml:{where}: expected {expected}"


def test_control_characters_in_a_key_are_refused_without_being_shown(good: str) -> None:
    spoilt = good.replace("about: You keep.", 'about: You keep.\n    "sk\\e[31mills": {}')
    with pytest.raises(TaskFileError) as caught:
        load_text(spoilt.encode(), "mine.yaml")
    expected = r"nothing but printable text and line breaks, got '\x1b'"
    assert str(caught.value) == f"mine.yaml:20: team.keeper: expected {expected}"


def test_notes_may_have_several_lines_and_labels_may_not(good: str) -> None:
    notes = good.replace("nodes: [oak]", 'nodes: [oak]\n      notes: "Cut.\\n- Then hand over."')
    task = load_text(notes.encode(), "mine.yaml")
    assert task.spec.team["logger"].guide.notes == "Cut.\n- Then hand over."
    for field in ("title: Small Task", "label: Logs cut", "name: Fort"):
        spoilt = good.replace(field, f'{field.partition(":")[0]}: "a\\nb"')
        with pytest.raises(TaskFileError, match=r": expected one line, got 'a\\nb'$"):
            load_text(spoilt.encode(), "mine.yaml")


def test_a_python_checkpoint_loads_when_the_caller_allows_it(good: str) -> None:
    text = good.replace(
        "constraints:\n", "  - {kind: python, label: X, function: 'os:getcwd'}\nconstraints:\n"
    )
    task = load_text(text.encode(), "mine.yaml", allow_python=True)
    assert task.spec.checkpoints[2].kind == "python"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "1: expected a mapping of task fields, got an empty file"),
        (b"- 1\n", "1: expected a mapping of task fields"),
        (b"id: x\ntitle: \xff\n", "2: expected text in UTF-8"),
        (b"a: " + b"[" * (MAX_DEPTH + 1), f"1: expected at most {MAX_DEPTH} levels of nesting"),
        (b"a: [b, *c]\n", "1: expected no anchors and aliases: write the value out"),
        (b"#" * (MAX_BYTES + 1), f"1: expected at most {MAX_BYTES} bytes, got {MAX_BYTES + 1}"),
        (b"max_rounds: " + b"9" * 5000, "1: max_rounds: expected a number, got '" + "9" * 40 + "'"),
        (b"? [a]\n: b\n", "1: expected a plain name as key"),
    ],
)
def test_what_is_no_task_file_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(TaskFileError) as caught:
        load_text(data, "mine.yaml")
    assert str(caught.value) == f"mine.yaml:{message}"


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "none.yaml"
    with pytest.raises(TaskFileError) as caught:
        load_task(path)
    assert str(caught.value) == f"{path}: expected a readable task file (No such file or directory)"


def test_the_first_mistake_in_the_file_is_named(good: str) -> None:
    spoilt = good.replace("to: keeper}", "to: keper}").replace("lumberjacking: 5", "lumberjaking: 5")
    with pytest.raises(TaskFileError, match=r"^mine.yaml:11: team\.logger\.skills"):
        load_text(spoilt.encode(), "mine.yaml")


def test_a_good_file_becomes_a_setup(good: str, tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(good)
    setup = load_task(path).setup()
    logger, keeper = setup.agents
    assert (logger.name, logger.x, logger.y, logger.skills) == ("logger", 388, 10, {"lumberjacking": 5})
    assert (logger.bag, logger.worn, keeper.bag) == ({"apple": 2}, ("axe",), {})
    assert setup.spawns == ("ice-guardian-1",)
    site = setup.sites[0]
    assert (site.id, site.role, site.x, site.y, site.wants) == ("fort", "site", 388, 10, {"logs": 2})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("item: logs", "item: {}"),
        ("- kind: gathered", "- kind: {}"),
        ("category: gathering", "category: {}"),
        ("max_rounds:", "? {}\n: 1\nmax_rounds:"),
        ("max_rounds:", "? {0}\n: 1\n? {0}\n: 1\nmax_rounds:"),
        ("  keeper:\n", "  ? {}\n  :\n"),
        ("wants: {logs: 2}", "wants: {{logs: 2, ? {} : 1}}"),
    ],
)
def test_a_huge_value_is_cut_in_the_message(good: str, old: str, new: str) -> None:
    assert old in good
    for huge in ("q" * 100_000, "q " * 50_000 + "q"):
        with pytest.raises(TaskFileError) as found:
            load_text(good.replace(old, new.format(huge), 1).encode(), "mine.yaml")
        assert len(str(found.value)) < 500
        assert "q" * 81 not in str(found.value)
        assert "qqqqq" in str(found.value) or "q q q" in str(found.value)


def test_a_receiver_is_refused_at_its_own_field(good: str) -> None:
    point = "{kind: delivered, label: Given, item: logs, count: 1, to: no body}"
    text = good.replace("checkpoints:\n", f"checkpoints:\n  - {point}\n", 1)
    with pytest.raises(TaskFileError, match=r"checkpoints\[0\]\.to: expected text that matches"):
        load_text(text.encode(), "mine.yaml")
