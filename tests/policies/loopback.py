"""A real HTTP server on the loopback interface that speaks chat completions from a script."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

USAGE = {"prompt_tokens": 120, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}


@dataclass
class Answer:
    """One scripted HTTP response."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    content_type: str = "application/json"


@dataclass
class Received:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float


def message(finish: str = "stop", **fields: Any) -> Answer:
    """Returns a completion whose only choice has these message fields."""
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": None, **fields},
    }
    return Answer(
        {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": USAGE,
        }
    )


def text(content: str, finish: str = "stop") -> Answer:
    """Returns a completion without tool calls."""
    return message(finish, content=content)


def calls(*named: tuple[str, Any]) -> Answer:
    """Returns a completion with tool calls; arguments that are no string are sent as their JSON text."""
    return message(
        "tool_calls",
        tool_calls=[
            {
                "id": f"call_{i}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": given if isinstance(given, str) else json.dumps(given),
                },
            }
            for i, (name, given) in enumerate(named)
        ],
    )


def failure(status: int, said: str, param: str | None = None, **headers: str) -> Answer:
    """Returns an error in the shape that OpenAI uses."""
    error = {"message": said, "type": "invalid_request_error", "param": param, "code": None}
    return Answer(
        {"error": error}, status, {name.replace("_", "-"): value for name, value in headers.items()}
    )


class Loopback:
    """Serves the scripted answers in order, one per request; the last one is repeated."""

    def __init__(self, *script: Answer) -> None:
        self.script = list(script)
        self.received: list[Received] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def model(self) -> str:
        return f"local:{self.url}#tester"

    def __enter__(self) -> Loopback:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _next(self, received: Received) -> Answer:
        with self._lock:
            self.received.append(received)
            return self.script[min(len(self.received), len(self.script)) - 1]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = loopback._next(Received(self.path, headers, json.loads(sent), time.monotonic()))
                time.sleep(answer.delay)
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing: the tests look at what was received."""

        return Handler
