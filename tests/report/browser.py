"""Headless Chromium for tests, driven by selenium; both are optional, unless OPTIONAL_TESTS=required says otherwise."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.optional import go_without

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    # Without these it calls home at every start.
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """Starts a browser; skips the test, with the reason, where there is none.

    Args:
        profile: Empty directory for the browser's own files.
    """
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        go_without("selenium is not installed: pip install '.[browser]'")
    names = ("chromium", "chromium-browser", "google-chrome")
    browser, driver = next(filter(None, map(shutil.which, names)), None), shutil.which("chromedriver")
    if browser is None or driver is None:
        go_without("no Chromium with chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    page = webdriver.Chrome(options=options, service=Service(driver))
    try:
        look(page)
        page.set_script_timeout(60)
        yield page
    finally:
        page.quit()


def look(page: Any, *, width: int = 1280, height: int = 800, dark: bool = False) -> None:
    """Sets how a reader looks at pages.

    Args:
        page: The browser.
        width: Width of the page (CSS pixels).
        height: Its height.
        dark: Whether the reader prefers dark pages.
    """
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def opened(page: Any, path: Path) -> Any:
    """Opens a page and waits until it shows the episode."""
    page.get(path.as_uri())
    ready(page)
    return page


def ready(page: Any) -> None:
    """Waits until a page shows the episode.

    Raises:
        TimeoutException: It never does.
    """
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(page, 20).until(
        lambda p: p.execute_script("return document.documentElement.dataset.ready") == "yes"
    )


def text_of(page: Any, name: str) -> str:
    """Returns the text of an element by its id."""
    found = page.execute_script("return document.getElementById(arguments[0]).textContent", name)
    assert isinstance(found, str)
    return found


def press(page: Any, *keys: str) -> None:
    """Presses keys, one after the other."""
    from selenium.webdriver.common.by import By

    for key in keys:
        page.find_element(By.TAG_NAME, "body").send_keys(key)


def scrub(page: Any, moment: int) -> None:
    """Drags the scrubber to a moment."""
    page.execute_script(
        "const s = document.getElementById('scrub'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input'))",
        moment,
    )


def settled(page: Any) -> None:
    """Waits until what was asked for has been painted."""
    page.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))"
    )
