"""The replay page in headless Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.report.browser import chromium, look, opened, press, ready, scrub, settled, text_of
from tests.report.replays import HOSTILE, Hostile, LongName

import agentworld_env
from agentworld_env import run_episode
from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, TurnLine
from agentworld_env.policies.replay import ReplayPolicy
from agentworld_env.sim.events import Said
from agentworld_env.tasks import get_task

LEFT, RIGHT, HOME, END, SHIFT, ESCAPE = "\ue012", "\ue014", "\ue011", "\ue010", "\ue008", "\ue00c"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Any]:
    with chromium(folder / "profile") as page:
        yield page


@pytest.fixture(scope="module")
def won() -> Episode:
    return run_episode("t86_forge_vanguard", "scripted", seed=0)


@pytest.fixture(scope="module")
def won_page(won: Episode, folder: Path) -> Path:
    return agentworld_env.replay(won).save(folder / "won.html")


@pytest.fixture
def watched(browser: Any, won_page: Path) -> Iterator[Any]:
    browser.get("about:blank")
    browser.get_log("browser")
    yield opened(browser, won_page)
    assert browser.get_log("browser") == []


def test_a_page_opens_at_the_start_and_asks_the_network_for_nothing(watched: Any, won: Episode) -> None:
    assert text_of(watched, "title") == "Forge Vanguard"
    assert text_of(watched, "badge") == "in the end: success"
    assert text_of(watched, "score") == "0 of 8 checkpoints · PSR 0.00"
    assert text_of(watched, "clock") == f"round 1/45 call 0/{len(won.lines)}"
    assert text_of(watched, "panel-turn").startswith("Before the first call")
    loaded = watched.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
    assert [name for name in loaded if not name.startswith("data:")] == []


def test_every_call_has_its_cell_in_the_lane_of_its_agent_and_the_column_of_its_round(
    watched: Any, won: Episode
) -> None:
    cells = watched.execute_script(
        "return [...document.querySelectorAll('.cell')].map((c) => "
        "{ const r = c.querySelector('rect'); return [+r.getAttribute('x'), +r.getAttribute('y')] })"
    )
    columns = sorted({x for x, _ in cells})
    rows = sorted({y for _, y in cells})
    team = list(won.team)
    assert [(columns.index(x) + 1, rows.index(y)) for x, y in cells] == [
        (line.round, team.index(line.agent)) for line in won.lines
    ]
    path = watched.execute_script(
        "return [...document.querySelectorAll('.cell.path')].map((c) => +c.dataset.call)"
    )
    assert path == agentworld_env.replay(won).data["path"]


def test_scrubbing_shows_the_call_everywhere(watched: Any, won: Episode) -> None:
    for moment in (1, 40, len(won.lines), 12):
        scrub(watched, moment)
        line = won.lines[moment - 1]
        assert text_of(watched, "clock") == f"round {line.round}/45 call {moment}/{len(won.lines)}"
        turn = text_of(watched, "panel-turn")
        assert turn.startswith(f"{line.agent}round {line.round}, call {moment} of")
        assert line.hash in turn
        assert f"You are {line.agent}" in text_of(watched, "shown")
        now = watched.execute_script("return document.querySelector('.cell.now').dataset.call")
        assert int(now) == moment - 1
    reached = won.verdict.checkpoints
    scrub(watched, len(won.lines))
    assert text_of(watched, "score") == f"{len(reached)} of {len(reached)} checkpoints · PSR 1.00"


def test_the_keyboard_moves_by_call_by_round_to_the_ends_and_along_the_path(
    watched: Any, won: Episode
) -> None:
    def call() -> int:
        return int(text_of(watched, "clock").split("call ")[1].split("/")[0])

    press(watched, RIGHT, RIGHT, RIGHT, LEFT)
    assert call() == 2
    press(watched, SHIFT + RIGHT)
    first_round = sum(line.round == 1 for line in won.lines)
    assert call() == first_round
    press(watched, SHIFT + RIGHT, SHIFT + LEFT)
    assert call() == first_round
    press(watched, END)
    assert call() == len(won.lines)
    press(watched, HOME)
    assert call() == 0
    path = agentworld_env.replay(won).data["path"]
    press(watched, "]", "]", "]")
    assert call() == path[2] + 1
    press(watched, "[")
    assert call() == path[1] + 1


def test_the_space_bar_plays_and_pauses(watched: Any) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    watched.execute_script("document.getElementById('speed').value = '30'")
    press(watched, " ")
    WebDriverWait(watched, 20).until(lambda p: "call 0/" not in text_of(p, "clock"))
    press(watched, " ")
    settled(watched)
    before = text_of(watched, "clock")
    watched.execute_async_script("setTimeout(arguments[0], 150)")
    assert text_of(watched, "clock") == before
    assert watched.execute_script("return document.getElementById('play').ariaLabel") == "Play"


def test_the_team_panel_shows_bag_and_gear_at_the_moment(won_page: Path, watched: Any) -> None:
    bags: list[dict[str, dict[str, int]]] = []

    def note(line: TurnLine, env: AgentWorldEnv) -> None:
        state = env.sim.state
        bags.append(
            {
                name: {item: a.count(item) for item in a.bag}
                for name, a in zip(env.sim.names, state.agents, strict=True)
            }
        )

    run_episode("t86_forge_vanguard", "scripted", seed=0, on_turn=note)
    press(watched, "2")
    for moment in (30, 90, 60):
        scrub(watched, moment)
        rows = watched.execute_script(
            "return [...document.querySelectorAll('.mate')].map((m) => "
            "[m.querySelector('.name').textContent, m.querySelector('.bag').textContent])"
        )
        assert dict(rows) == {
            name: ", ".join(f"{count} {item}" for item, count in bag.items()) or "nothing"
            for name, bag in bags[moment - 1].items()
        }


def test_messages_are_dimmed_until_they_are_said(browser: Any, folder: Path) -> None:
    episode = run_episode("t100_resource_survey", "scripted", seed=0)
    opened(browser, agentworld_env.replay(episode).save(folder / "talk.html"))
    said = [line.action for line in episode.lines if any(isinstance(e, Said) for e in line.events)]
    assert len(said) > 4
    press(browser, "3")
    for moment in (len(episode.lines), said[2] + 1, 0, said[4]):
        scrub(browser, moment)
        later = browser.execute_script("return document.querySelectorAll('.said.later').length")
        assert later == sum(action >= moment for action in said)
        # What was said last stands in sight.
        settled(browser)
        told = [action for action in said if action < moment]
        if told:
            sight = browser.execute_script(
                "const r = document.querySelectorAll('.said')[arguments[0]].getBoundingClientRect();"
                "const p = document.getElementById('panel-chat').getBoundingClientRect();"
                "return r.bottom > p.top && r.top < p.bottom",
                len(told) - 1,
            )
            assert sight
    assert browser.get_log("browser") == []


def test_the_goals_panel_counts_to_what_the_verdict_says(watched: Any, won: Episode) -> None:
    press(watched, "4", END)
    rows = watched.execute_script(
        "return [...document.querySelectorAll('.goal .row')].map((r) => r.textContent)"
    )
    expected = [f"✓{p.label}{p.have}/{p.need}, round {p.round}" for p in won.verdict.checkpoints]
    assert rows[: len(expected)] == expected
    press(watched, HOME)
    rows = watched.execute_script(
        "return [...document.querySelectorAll('.goal .row')].map((r) => r.textContent)"
    )
    assert rows[0] == f"○{won.verdict.checkpoints[0].label}0/{won.verdict.checkpoints[0].need}"


def _picture(page: Any) -> str:
    settled(page)
    found = page.execute_script("return document.getElementById('map').toDataURL()")
    assert isinstance(found, str)
    return found


def test_the_map_follows_the_episode_and_can_be_zoomed_dragged_and_fitted(watched: Any, won: Episode) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    walk = next(line.action for line in won.lines if line.call["tool"] == "move_character")
    scrub(watched, walk)
    before = _picture(watched)
    scrub(watched, walk + 1)
    assert _picture(watched) != before
    scrub(watched, walk)
    assert _picture(watched) == before
    scale = text_of(watched, "scale")
    press(watched, "+", "+", "+")
    near = _picture(watched)
    assert near != before
    assert int(text_of(watched, "scale").split()[0]) < int(scale.split()[0])
    canvas = watched.find_element(By.ID, "map")
    ActionChains(watched).drag_and_drop_by_offset(canvas, 120, 60).perform()
    assert _picture(watched) != near
    press(watched, "0")
    whole = _picture(watched)
    press(watched, "9")
    assert _picture(watched) not in (whole, near)


def test_hovering_over_an_agent_names_it_and_a_click_opens_it(watched: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    # Whoever has acted is now in the middle, and large enough to be told from its neighbours.
    scrub(watched, 1)
    press(watched, "f", "+", "+", "+")
    settled(watched)
    canvas = watched.find_element(By.ID, "map")
    ActionChains(watched).move_to_element(canvas).click().perform()
    assert text_of(watched, "tip").startswith("miner1 (")
    assert (
        watched.execute_script("return document.querySelector('.mate.chosen .name').textContent") == "miner1"
    )
    press(watched, ESCAPE)
    assert watched.execute_script("return document.querySelector('.mate.chosen')") is None


def test_the_causal_path_leads_from_call_to_call(watched: Any, won: Episode) -> None:
    data = agentworld_env.replay(won).data
    target = data["path"][-1]
    scrub(watched, target + 1)
    causes = [source for source, aim, _, _ in data["edges"] if aim == target]
    assert causes
    watched.execute_script("document.querySelector('#panel-turn .links button').click()")
    assert text_of(watched, "clock").endswith(f"call {causes[0] + 1}/{len(won.lines)}")
    lit = watched.execute_script("return document.querySelectorAll('.edge.lit').length")
    assert lit == sum(causes[0] in edge[:2] for edge in data["edges"])
    press(watched, "c")
    assert not watched.execute_script(
        "return document.querySelector('#lanes-chart').classList.contains('causes')"
    )


def test_the_address_leads_to_a_moment(browser: Any, won_page: Path) -> None:
    browser.get("about:blank")
    browser.get(won_page.as_uri() + "#call=33")
    ready(browser)
    assert "call 33/" in text_of(browser, "clock")


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_its_ground_in_both_themes(dark: bool, won_page: Path, browser: Any) -> None:
    script = """
      const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
        .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
        if (!/, 0\\)$|transparent/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
      return [...document.querySelectorAll('h1, h2, h3, p, pre, button, summary, span, output, b')]
        .filter((e) => e.offsetParent && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
        .filter((e) => !e.closest('#map-key, .said.later'))
        .map((e) => { const a = light(getComputedStyle(e).color), b = light(ground(e));
          return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.textContent.slice(0, 30)]; })
        .filter(([ratio]) => ratio < 4.5);
    """
    look(browser, dark=dark)
    opened(browser, won_page)
    assert browser.execute_script("return document.documentElement.dataset.theme") == (
        "dark" if dark else "light"
    )
    for key in "1234":
        press(browser, key, RIGHT)
        assert browser.execute_script(script) == []
    press(browser, "t")
    assert browser.execute_script("return document.documentElement.dataset.theme") == (
        "light" if dark else "dark"
    )
    assert browser.get_log("browser") == []
    look(browser)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1280, 620), (390, 844), (320, 640)])
def test_nothing_hangs_over_the_edge_of_a_screen(
    width: int, height: int, won_page: Path, browser: Any
) -> None:
    script = """
      const over = [...document.querySelectorAll('button, select, h1, output, canvas, input')]
        .filter((e) => e.offsetParent && !e.closest('#lanes-scroll, .panel, dialog'))
        .map((e) => [e.getBoundingClientRect(), e.id])
        .filter(([r]) => r.left < -1 || r.right > innerWidth + 1 || !r.width || !r.height).map(([, id]) => id);
      return [document.documentElement.scrollWidth - document.documentElement.clientWidth, over];
    """
    look(browser, width=width, height=height)
    opened(browser, won_page)
    for key in "1234":
        press(browser, key, END)
        assert browser.execute_script(script) == [0, []]
    assert browser.get_log("browser") == []
    look(browser)


def test_what_a_record_says_is_text_wherever_it_is_shown(browser: Any, folder: Path) -> None:
    episode = run_episode("t01_magic_staff", Hostile(), seed=0)
    opened(browser, agentworld_env.replay(episode).save(folder / "hostile.html"))
    scrub(browser, 3)
    turn = text_of(browser, "panel-turn")
    assert HOSTILE in turn
    assert turn.count(f"Raw reply {HOSTILE} ({HOSTILE}){HOSTILE}") == 1
    assert f"{HOSTILE}\n\n{HOSTILE} {HOSTILE}" in turn
    press(browser, "3")
    assert HOSTILE in text_of(browser, "panel-chat")
    for key in "124":
        press(browser, key)
        for moment in range(1, 8):
            scrub(browser, moment)
    assert Hostile.name in text_of(browser, "about")
    found = browser.execute_script(
        "return [document.images.length, window.gone ?? null, document.scripts.length]"
    )
    assert found == [0, None, 2]
    assert browser.execute_script("return document.title") == f"Magic Staff - {Hostile.name}, seed 0"
    assert browser.get_log("browser") == []


def test_fifty_five_rounds_of_twenty_agents_keep_the_page_as_large_as_it_was(
    browser: Any, folder: Path
) -> None:
    class Idler:
        name = "idler"
        wants_text = False

        def begin(self, briefs: Any, seed: int) -> None:
            pass

        def act(self, turn: Any) -> dict[str, Any]:
            return {"tool": "sleep", "arguments": {"rounds": 1}}

    episode = run_episode("t99_kingdom_festival", Idler(), seed=0)
    assert (len(episode.lines), len(episode.team)) == (1100, 20)
    opened(browser, agentworld_env.replay(episode).save(folder / "large.html"))
    scrub(browser, 1)
    count = "return document.getElementsByTagName('*').length"
    before = browser.execute_script(count)
    for moment in range(10, 1100, 40):
        scrub(browser, moment)
    scrub(browser, 1)
    assert browser.execute_script(count) == before
    assert browser.execute_script("return document.querySelectorAll('.cell').length") == 1100
    assert browser.get_log("browser") == []


def _odd_episodes() -> dict[str, Episode]:
    won = run_episode("t01_magic_staff", "scripted", seed=0)
    return {
        "nothing played": Episode(header=won.header, lines=[]),
        "one call": Episode(header=won.header, lines=won.lines[:1]),
        "not over": Episode(header=won.header, lines=won.lines[:10]),
        "one agent": run_episode("t01_magic_staff", "random", seed=2, setting="single_agent"),
        "nobody has a role": run_episode("t86_forge_vanguard", "random", seed=5, setting="no_roles"),
        "a team that dies": run_episode("t86_forge_vanguard", "random", seed=5),
        "bosses": run_episode("t76_elemental_bosses", "random", seed=0),
        "a site": run_episode("t93_fortress_construction", "random", seed=0),
    }


def test_nothing_however_long_makes_the_page_wider_than_the_window(browser: Any, folder: Path) -> None:
    page = agentworld_env.replay(run_episode("p01_corn_and_shrimp", LongName(), seed=0))
    path = page.save(folder / "long.html")
    (folder / "long_framed.html").write_text(f"<body>{page._repr_html_()}</body>", encoding="utf-8")
    try:
        for width in (1280, 800, 380):
            look(browser, width=width)
            opened(browser, path)
            for key in "1234":
                press(browser, key)
                scrub(browser, 6)
                settled(browser)
                wide = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
                assert wide[0] <= wide[1], (width, key)
        look(browser)
        browser.get((folder / "long_framed.html").as_uri())
        browser.switch_to.frame(0)
        ready(browser)
        wide = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1]
    finally:
        browser.switch_to.default_content()
        look(browser)


def test_the_words_about_the_path_are_those_of_what_it_leads_to(
    browser: Any, won_page: Path, folder: Path
) -> None:
    """A team that stops half way has reached nothing, and all the same a path: what is counted is under way."""
    task = get_task("p01_corn_and_shrimp")
    plan = ReplayPolicy(run_episode(task, "planner", seed=0))

    class Half:
        name = "half"
        wants_text = False

        def act(self, turn: Any) -> Any:
            early = turn.round <= 2
            return plan.act(turn) if early else {"tool": "sleep", "arguments": {"rounds": 1}}

    lost = run_episode(task, Half(), seed=0)
    assert not lost.verdict.success
    page = agentworld_env.replay(lost)
    assert page.data["path"]
    said = {"won": set(), "lost": set()}
    for name, path in (("won", won_page), ("lost", page.save(folder / "half.html"))):
        opened(browser, path)
        press(browser, "1", "c", "c")
        for _ in range(4):
            press(browser, "]")
            settled(browser)
            said[name].add(
                browser.execute_script("return document.querySelector('.why').firstChild.textContent")
            )
    assert said["won"] <= {
        "On the causal path: what was reached counts this call.",
        "On the causal path: it led to what was reached.",
    }
    assert said["lost"] <= {
        "On the causal path: what was reached or under way counts this call.",
        "On the causal path: it led to what was reached or under way.",
    }


def test_whatever_became_of_an_episode_it_can_be_watched_from_end_to_end(browser: Any, folder: Path) -> None:
    for number, (kind, episode) in enumerate(_odd_episodes().items()):
        opened(browser, agentworld_env.replay(episode).save(folder / f"odd{number}.html"))
        last = len(episode.lines)
        for key in "1234":
            press(browser, key)
            for moment in sorted({0, 1, last // 2, last - 1, last} & set(range(last + 1))):
                scrub(browser, moment)
                assert f"call {moment}/{last}" in text_of(browser, "clock"), kind
        press(browser, "0", "9", "f", "]", "[", SHIFT + LEFT, SHIFT + RIGHT, END, RIGHT, LEFT, HOME, LEFT)
        settled(browser)
        end = "success" if episode.footer is not None and episode.verdict.success else "failure"
        badge = "not over" if episode.footer is None else f"in the end: {end}"
        assert text_of(browser, "badge") == badge, kind
        assert browser.get_log("browser") == [], kind


def test_a_notebook_shows_the_same_page_inline(browser: Any, won: Episode, folder: Path) -> None:
    notebook = folder / "notebook.html"
    notebook.write_text(f"<!DOCTYPE html><p>cell</p>{agentworld_env.replay(won)._repr_html_()}", "utf-8")
    browser.get(notebook.as_uri())
    browser.switch_to.frame(0)
    ready(browser)
    scrub(browser, 5)
    assert "call 5/" in text_of(browser, "clock")
    browser.execute_async_script("setTimeout(arguments[0], 500)")  # until the address would be changed
    browser.switch_to.default_content()
    assert browser.get_log("browser") == []


def test_a_page_whose_data_was_cut_says_so(browser: Any, won_page: Path, folder: Path) -> None:
    cut = folder / "cut.html"
    text = won_page.read_text("utf-8")
    start = text.index('id="episode">') + len('id="episode">')
    cut.write_text(text[: start + 4000] + text[text.index("</script>", start) :], "utf-8")
    browser.get(cut.as_uri())
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 20).until(lambda p: "cannot be shown" in text_of(p, "main"))
    assert "cannot be shown" in text_of(browser, "main")
    browser.get_log("browser")
