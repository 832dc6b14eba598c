"""Makes tests the same whoever starts them."""

from __future__ import annotations

import signal
import threading


def pytest_configure() -> None:
    """Lets Ctrl-C be heard: a shell starts what runs in its background deaf to it, and children inherit that."""
    if threading.current_thread() is threading.main_thread() and (
        signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    ):
        signal.signal(signal.SIGINT, signal.default_int_handler)
