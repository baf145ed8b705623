"""A headless Chromium of this machine, spoken to over its debugging pipe; nothing but the standard library is needed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
KEYS = {"Tab": 9, "Enter": 13, "ArrowRight": 39, "ArrowLeft": 37, "End": 35, "Home": 36}


class Page:
    """One page: what it logged and asked for is kept in `errors` and `requests`."""

    def __init__(self, to: int, answers: int) -> None:
        self._to, self._answers = os.fdopen(to, "wb"), os.fdopen(answers, "rb")
        self._number, self._buffer, self._session = 0, b"", None
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.loaded = False
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.ask(f"{domain}.enable")

    def open(self, file: Path) -> None:
        """Wait until the page is loaded."""
        self.errors, self.requests, self.loaded = [], [], False
        self.ask("Page.navigate", url=file.as_uri())
        while not self.loaded:
            self._hear(self._read())

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        message |= {"sessionId": self._session} if self._session else {}
        self._to.write(json.dumps(message).encode() + b"\0")
        self._to.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self._hear(answer)

    def value(self, script: str) -> Any:
        """What a script gives."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key])
        if key == "Enter":
            self.ask("Input.dispatchKeyEvent", type="char", text="\r", key=key)

    def look(self, *, scheme: str, width: int) -> None:
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def picture(self) -> bytes:
        return base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def names(self) -> list[tuple[str, str]]:
        """Role and name of everything that a screen reader meets."""
        nodes = self.ask("Accessibility.getFullAXTree")["nodes"]
        told = [node for node in nodes if not node.get("ignored")]
        return [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in told]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            chunk = os.read(self._answers.fileno(), 1 << 16)
            assert chunk, "the browser went away"
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))

    def _hear(self, event: dict[str, Any]) -> None:
        method, values = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown" or (
            method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning")
        ):
            self.errors.append(json.dumps(values))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.errors.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])


@contextmanager
def browser() -> Iterator[Page]:
    """A page of a browser that ends with the block."""
    assert PROGRAM is not None
    read_orders, orders = os.pipe()
    answers, write_answers = os.pipe()
    profile = tempfile.mkdtemp(prefix="loadproof-browser-")
    switches = [
        "--headless",
        "--hide-scrollbars",
        "--no-sandbox",
        "--disable-gpu",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
    ]

    def as_three_and_four() -> None:
        high = [os.dup(read_orders), os.dup(write_answers)]
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)

    process = subprocess.Popen(
        [PROGRAM, *switches],
        preexec_fn=as_three_and_four,
        close_fds=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(read_orders)
    os.close(write_answers)
    try:
        yield Page(orders, answers)
    finally:
        process.terminate()
        process.wait(timeout=20)
        shutil.rmtree(profile, ignore_errors=True)
