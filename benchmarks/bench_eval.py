"""How much an evaluation adds to the model's own time: 64 episodes in flight against a server with 1 s latency.

Prints the throughput of a whole run of full episodes and in the steady state as shares of the ideal (calls in flight /
latency), and the CPU per turn of the whole process beside that of a bare loop that sends the same kind of requests
through the same SDK.

    python benchmarks/bench_eval.py [--flight 64] [--latency 1.0] [--setting no_communication]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import tempfile
import time
from pathlib import Path
from typing import Any

from arguments import at_least

from agentworld_env.evaluate.cast import Cast, Company
from agentworld_env.evaluate.executors import play_run
from agentworld_env.evaluate.folder import RunFolder
from agentworld_env.evaluate.ledger import Ledger
from agentworld_env.evaluate.manifest import make_manifest
from agentworld_env.evaluate.runner import Limits
from agentworld_env.models import ChatModel, Prices

TASK = "t01_magic_staff"
RAMP = 4.0
"""Seconds at the start, and the same at the end, that are left out of the throughput."""

REPLY = json.dumps(
    {
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "c",
                            "type": "function",
                            "function": {"name": "sleep", "arguments": '{"rounds": 1}'},
                        }
                    ],
                },
            }
        ],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 20},
    }
).encode()


def serve(latency: float, news: Any) -> None:
    """Serves the same reply to everybody after a pause; writes down when each was sent."""
    answered: list[float] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if head.startswith(b"GET"):
                    body = json.dumps(answered).encode()
                else:
                    (line,) = [h for h in head.split(b"\r\n") if h.lower().startswith(b"content-length:")]
                    await reader.readexactly(int(line.split(b":")[1]))
                    await asyncio.sleep(latency)
                    answered.append(time.monotonic())
                    body = REPLY
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                    % (len(body), body)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        news.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def answers(port: int) -> list[float]:
    from urllib.request import urlopen

    with urlopen(f"http://127.0.0.1:{port}/") as reply:
        found: list[float] = json.load(reply)
        return found


def steady(times: list[float]) -> float:
    """Returns answers per second, without the ramps at both ends."""
    first, last = times[0] + RAMP, times[-1] - RAMP
    return sum(first <= t < last for t in times) / (last - first)


async def bare(model: str, flight: int, calls: int, messages: list[Any], tools: list[Any]) -> None:
    """Sends the same kind of requests without any harness."""
    client = ChatModel(model)

    async def loop() -> None:
        for _ in range(calls):
            body = client._body(messages, tools, None)
            await client._client().post(
                "/chat/completions", body=body, cast_to=object, options={"security": {"bearer_auth": True}}
            )

    await asyncio.gather(*(loop() for _ in range(flight)))
    await client.close()


def evaluation(model: str, flight: int, setting: str, folder: Path) -> int:
    """Plays one episode per place in flight and returns the number of calls."""
    cast = Cast(members=(("*", model),))
    playing = Company(cast).policy()
    described = {"name": playing.name, "settings": playing.config()}
    manifest = make_manifest([TASK], cast, described, trials=flight, seed=0, setting=setting)
    with RunFolder(folder) as run:
        run.begin(manifest)
        state = play_run(manifest, run, Limits(concurrency=flight), Ledger(Prices(), []))
    assert state.done == flight
    return state.spent.calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flight", type=at_least(1), default=64)
    parser.add_argument("--latency", type=float, default=1.0)
    parser.add_argument(
        "--setting", default="no_communication", help="no_communication+short_horizon: ten rounds"
    )
    options = parser.parse_args()
    news: Any = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(options.latency, news), daemon=True)
    server.start()
    port = news.get()
    model = f"local:http://127.0.0.1:{port}/v1#bench"
    asyncio.run(bare(model, 1, 1, [{"role": "user", "content": "x"}], []))  # loads the SDK
    with tempfile.TemporaryDirectory() as folder:
        evaluation(model, 1, "short_horizon", Path(folder) / "warm")
        before = len(answers(port))
        cpu = time.process_time()
        calls = evaluation(model, options.flight, options.setting, Path(folder) / "run")
        cpu = (time.process_time() - cpu) / calls
        times = answers(port)[before:]
    prompt = [{"role": "system", "content": "s" * 6000}, {"role": "user", "content": "u" * 4000}]
    tools = [{"type": "function", "function": {"name": f"t{k}", "parameters": {}}} for k in range(11)]
    loop = time.process_time()
    each = max(1, calls // options.flight)
    asyncio.run(bare(model, options.flight, each, prompt, tools))
    loop = (time.process_time() - loop) / (each * options.flight)
    ideal = options.flight / options.latency
    ours, theirs = steady(times), steady(answers(port)[before + calls :])
    whole = calls / (times[-1] - times[0] + options.latency)
    print(f"{calls} turns, {options.flight} in flight, {options.latency:g} s latency")
    print(f"throughput in the steady state: {100 * ours / ideal:.1f} % of {ideal:.0f} turns/s")
    print(f"  a bare loop over the SDK on this machine now: {100 * theirs / ideal:.1f} %")
    print(f"whole run, ramp included: {100 * whole / ideal:.1f} %")
    print(
        f"CPU per turn: {1e3 * cpu:.2f} ms, bare loop {1e3 * loop:.2f} ms, ours {1e3 * (cpu - loop):.2f} ms"
    )


if __name__ == "__main__":
    main()
