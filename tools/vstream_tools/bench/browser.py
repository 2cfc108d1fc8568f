"""A browser without a screen, driven by WebDriver BiDi: Chromium through chromedriver, Firefox directly."""

from __future__ import annotations

import base64
import itertools
import json
import re
import subprocess
import urllib.request
from pathlib import Path

import cv2
import numpy as np
from websockets.sync.client import connect

from ..common import fail
from .serving import START_LIMIT, wait_for

CHROMIUM = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--autoplay-policy=no-user-gesture-required"]
PROGRAMS = {
    "chromium": (["chromedriver", "--port=0"], r"started successfully on port (\d+)"),
    "firefox": (["firefox-esr", "--headless", "--no-remote", "--remote-debugging-port", "0"], r"BiDi listening on (ws://\S+)"),
}


class Browser:
    """A browser with one page."""

    def __init__(self, name: str, folder: Path, width: int, height: int) -> None:
        command, pattern = PROGRAMS[name]
        profile = folder / f"profile-{name}"
        profile.mkdir()
        self.log = folder / f"{name}.log"
        if name == "firefox":
            command = [*command, "--profile", str(profile)]
        with self.log.open("w") as messages:
            self.program = subprocess.Popen(command, stdout=messages, stderr=messages)
        found = wait_for(name, lambda: re.search(pattern, self.log.read_text()))[1]
        self.identifiers = itertools.count(1)
        if name == "firefox":
            self.socket = connect(f"{found}/session", max_size=None)
            self.command("session.new", capabilities={})
        else:
            self.socket = connect(chromium_session(found, profile), max_size=None)
        self.page = self.command("browsingContext.getTree")["contexts"][0]["context"]
        self.command("browsingContext.setViewport", context=self.page, viewport={"width": width, "height": height})

    def command(self, method: str, **parameters: object) -> dict:
        """Sends a command; its result. Events, which were not subscribed to, are skipped."""
        identifier = next(self.identifiers)
        self.socket.send(json.dumps({"id": identifier, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(timeout=START_LIMIT))
            if answer.get("id") == identifier:
                break
        if answer["type"] == "error":
            fail(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    def before_each_page(self, script: str) -> None:
        """Has a function's body run before any script of the pages that are opened from now on."""
        self.command("script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}")

    def open(self, url: str) -> None:
        self.command("browsingContext.navigate", context=self.page, url=url, wait="interactive")

    def run(self, expression: str) -> object:
        """The value of an expression in the page, or of its promise."""
        answer = self.command("script.evaluate", target={"context": self.page}, awaitPromise=True,
                              expression=f"Promise.resolve({expression}).then(value => JSON.stringify([value]))")
        if answer["type"] == "exception":
            fail(f"{expression}: {answer['exceptionDetails']['text']}")
        return json.loads(answer["result"]["value"])[0]

    def screenshot(self) -> np.ndarray:
        """What the page shows, in BGR."""
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
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/session", json.dumps({"capabilities": {"alwaysMatch": wanted}}).encode(),
        {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=START_LIMIT) as answer:
        return json.load(answer)["value"]["capabilities"]["webSocketUrl"]
