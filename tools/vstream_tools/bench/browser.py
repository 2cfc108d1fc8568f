"""A browser without a screen, driven by WebDriver BiDi: Chromium through chromedriver, Firefox directly."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from websockets.sync.client import connect

from ..common import fail
from ..serving import START_LIMIT, wait_for

CHROMIUM = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--autoplay-policy=no-user-gesture-required"]
PROGRAMS = {
    "chromium": (["chromedriver", "--port=0"], r"started successfully on port (\d+)"),
    "firefox": (["firefox-esr", "--headless", "--no-remote", "--remote-debugging-port", "0"], r"BiDi listening on (ws://\S+)"),
}


class Browser:
    """A browser with one page."""

    def __init__(self, name: str, folder: Path, size: tuple[int, int]) -> None:
        command, pattern = PROGRAMS[name]
        profile, log = folder / f"profile-{name}", folder / f"{name}.log"
        profile.mkdir()
        with log.open("w") as messages:
            self.program = subprocess.Popen([*command, *(["--profile", str(profile)] if name == "firefox" else [])], stdout=messages,
                                            stderr=messages)
        found = wait_for(name, lambda: re.search(pattern, log.read_text()))[1]
        self.identifier = 0
        self.socket = connect(f"{found}/session" if name == "firefox" else chromium_session(found, profile), max_size=None)
        if name == "firefox":
            self.command("session.new", capabilities={})
        self.page = self.command("browsingContext.getTree")["contexts"][0]["context"]
        self.resize(size)

    def command(self, method: str, **parameters: object) -> dict:
        """Sends a command; its result. Events, which were not subscribed to, are skipped."""
        self.identifier += 1
        self.socket.send(json.dumps({"id": self.identifier, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv(timeout=START_LIMIT))).get("id") != self.identifier:
            pass
        if answer["type"] == "error":
            fail(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    def resize(self, size: tuple[int, int]) -> None:
        self.command("browsingContext.setViewport", context=self.page, viewport=dict(zip(("width", "height"), size)))

    def before_each_page(self, script: str) -> None:
        """Has a function's body run before any script of the pages that are opened from now on."""
        self.command("script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}")

    def open(self, url: str) -> None:
        self.command("browsingContext.navigate", context=self.page, url=url, wait="interactive")

    def run(self, expression: str) -> Any:
        """The value of an expression in the page, or of its promise."""
        answer = self.command("script.evaluate", target={"context": self.page}, awaitPromise=True,
                              expression=f"Promise.resolve({expression}).then(value => JSON.stringify([value]))")
        if answer["type"] == "exception":
            fail(f"{expression}: {answer['exceptionDetails']['text']}")
        return json.loads(answer["result"]["value"])[0]

    def screenshot(self) -> np.ndarray:
        """The page's pixels, in BGR."""
        data = self.command("browsingContext.captureScreenshot", context=self.page)["data"]
        return cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), cv2.IMREAD_COLOR)

    def stop(self) -> None:
        self.command("browser.close")
        self.socket.close()
        self.program.terminate()
        self.program.wait()


def chromium_session(port: str, profile: Path) -> str:
    """Starts Chromium; the address of its WebDriver BiDi."""
    options = {"binary": "/usr/bin/chromium", "args": [*CHROMIUM, f"--user-data-dir={profile}"]}
    wanted = {"browserName": "chrome", "webSocketUrl": True, "goog:chromeOptions": options}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/session", json.dumps({"capabilities": {"alwaysMatch": wanted}}).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=START_LIMIT) as answer:
        return json.load(answer)["value"]["capabilities"]["webSocketUrl"]
