from __future__ import annotations

import base64
import errno
import hashlib
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.report.replays import HOSTILE, Hostile, unpacked

import agentworld_env
from agentworld_env import run_episode
from agentworld_env.report.replay import Replay

SMALL = "t01_magic_staff"


@pytest.fixture(scope="module")
def shown() -> Replay:
    return agentworld_env.replay(run_episode(SMALL, Hostile(), seed=0))


def test_a_page_holds_its_data_whole(shown: Replay) -> None:
    assert unpacked(shown.html) == shown.data


def test_nothing_from_the_record_is_markup(shown: Replay) -> None:
    assert any(step.get("said", ["", ""])[1] == HOSTILE for step in shown.data["steps"])
    before, _, rest = shown.html.partition("<title>")
    title, _, after = rest.partition("</title>")
    # The name of the policy stands in the title, escaped; everything else of the record is packed.
    assert unescape(title) == f"Magic Staff - {Hostile.name}, seed 0"
    assert "<" not in title
    assert not re.search("gone|onerror", before + after)
    assert shown.html.count("<script") == 2


def test_a_page_loads_nothing_and_runs_its_own_script_only(shown: Replay) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', shown.html)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.group(1).split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    script = re.search(r"<script>(.*?)</script>", shown.html, re.S)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script.group(1).encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert not re.search(r"""(?:src|href)=["']?(?!data:)[a-z]+:|@import|url\(""", shown.html)


def test_a_notebook_gets_the_same_page_in_a_frame_that_cannot_reach_it(shown: Replay) -> None:
    frame = shown._repr_html_()
    inside = re.search(r'srcdoc="([^"]*)"', frame)
    assert inside is not None
    assert unescape(inside.group(1)) == shown.html
    assert 'sandbox="allow-scripts"' in frame
    assert "760px" in frame


def test_a_replay_is_saved_where_one_says(shown: Replay, tmp_path: Path) -> None:
    path = shown.save(tmp_path / "deeper" / "page.html")
    assert path.read_text("utf-8") == shown.html
    assert "save(path)" in repr(shown)


def test_a_page_is_a_few_hundred_kilobytes_at_most() -> None:
    episode = run_episode("t100_resource_survey", "scripted", seed=0)
    assert len(agentworld_env.replay(episode).html) < 400_000


def test_equal_episodes_have_equal_pages() -> None:
    first, second = (agentworld_env.replay(run_episode(SMALL, "random", seed=4)) for _ in range(2))
    assert first.html == second.html


def test_a_replay_needs_no_pillow(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['PIL'] = None; import agentworld_env as a; "
        f"a.replay(a.run_episode({SMALL!r}, 'idle', seed=0)).save({str(tmp_path / 'a.html')!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "a.html").stat().st_size > 50_000


@pytest.mark.parametrize(
    "name", ["page.css", "store.js", "view.js", "map.js", "lanes.js", "panels.js", "app.js"]
)
def test_the_scripts_never_write_markup(name: str) -> None:
    from importlib import resources

    text = (resources.files("agentworld_env.report.replay") / "assets" / name).read_text("utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text)
    assert len(text.splitlines()) <= 330


@pytest.mark.parametrize("given", [5, None, {"a": 1}])
def test_what_is_no_episode_is_refused_in_one_line(given: Any) -> None:
    with pytest.raises(TypeError, match=r"^an episode is an Episode or the path of its record, not \w+$"):
        agentworld_env.replay(given)


def test_what_cannot_be_written_is_named_as_it_was_given(
    shown: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("a file")
    with pytest.raises(NotADirectoryError) as beneath:
        shown.save(tmp_path / "file" / "page.html")
    assert beneath.value.filename == str(tmp_path / "file")

    def full(path: Path, _: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match="No space left") as failed:
        shown.save(tmp_path / "page.html")
    assert failed.value.filename == str(tmp_path / "page.html")
