"""A real HTTP server on the loopback interface that speaks chat completions from a script."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
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
    hang: bool = False
    """Nothing is ever sent; the connection stays open."""
    cut: bool = False
    """The connection is closed in the middle of the answer."""


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


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: connections that break are what these tests are about."""


class Loopback:
    """Serves the scripted answers in order, one per request; the last one is repeated.

    With ``respond``, a function of the request and its number (from 0) decides instead.
    """

    def __init__(self, *script: Answer, respond: Callable[[Received, int], Answer] | None = None) -> None:
        self.script = list(script)
        self.respond = respond
        self.most_at_once = 0
        self._at_once = 0
        self._closing = threading.Event()
        self.received: list[Received] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self._handler())
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
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _next(self, received: Received) -> Answer:
        with self._lock:
            self.received.append(received)
            number = len(self.received) - 1
            if self.respond is None:
                return self.script[min(number, len(self.script) - 1)]
        return self.respond(received, number)

    def _count(self, change: int) -> None:
        with self._lock:
            self._at_once += change
            self.most_at_once = max(self.most_at_once, self._at_once)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1  # head and body leave together

            def do_POST(self) -> None:
                loopback._count(1)
                try:
                    self._answer()
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True  # the client was killed or gave up
                finally:
                    loopback._count(-1)

            def _answer(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = loopback._next(Received(self.path, headers, json.loads(sent), time.monotonic()))
                if answer.hang:
                    loopback._closing.wait()
                    self.close_connection = True
                    return
                time.sleep(answer.delay)
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if answer.cut:
                    self.wfile.write(body[: len(body) // 2])
                    self.wfile.flush()
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                self.wfile.write(body)
                self.wfile.flush()

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing: the tests look at what was received."""

        return Handler
