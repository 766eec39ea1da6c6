"""A headless Chromium that is driven through its DevTools protocol, one command after another."""

from __future__ import annotations

import asyncio
import base64
import re
import subprocess
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

CHROMIUM = Path("/usr/bin/chromium")
_ADDRESS = re.compile(r"DevTools listening on (ws://\S+)")
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
          "--no-first-run", "--disable-background-networking", "--disable-component-update")  # fmt: skip
T = TypeVar("T")


class Browser:
    """One page of a Chromium of its own.

    Attributes:
        events: what the browser reported since the last `open`, method and parameters.
    """

    def __init__(self, profile: Path) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self._loop = asyncio.new_event_loop()
        self._process = subprocess.Popen(
            [CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        lines = iter(self._process.stderr.readline, "")
        self._address = next(found[1] for line in lines if (found := _ADDRESS.search(line)))
        self._number = 0
        self._run(self._connect())

    def close(self) -> None:
        """End the browser."""
        self._run(self._disconnect())
        self._process.terminate()
        self._process.wait(20)
        assert self._process.stderr is not None
        self._process.stderr.close()
        self._loop.close()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command and return its result."""
        return self._run(self._call(method, parameters, self._session))

    def open(
        self,
        path: Path,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        print_: bool = False,
        drawn: bool = True,
    ) -> None:
        """Load a file and wait until it is drawn, unless scripts are off and cannot tell."""
        self.events.clear()
        self.view(width, height, dark, print_)
        self._run(self._load(path.as_uri()))
        if drawn:
            self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def view(self, width: int, height: int = 900, dark: bool = False, print_: bool = False) -> None:
        """Set the size of the window, the theme of the system and the medium."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="print" if print_ else "", features=[scheme])

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def screenshot(self, path: Path, top: int = 0, height: int | None = None) -> None:
        """Write a picture of the page, the whole of it or a strip."""
        width, whole = self.run("[innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": top, "width": width, "height": height or whole, "scale": 1}
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(answer["data"]))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(asyncio.wait_for(work, 60))

    async def _connect(self) -> None:
        self._client = aiohttp.ClientSession()
        self._socket = await self._client.ws_connect(self._address, max_msg_size=0)
        target = await self._call("Target.createTarget", {"url": "about:blank"})
        attached = await self._call(
            "Target.attachToTarget", {"targetId": target["targetId"], "flatten": True}
        )
        self._session: str = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self._call(f"{domain}.enable", {}, self._session)

    async def _disconnect(self) -> None:
        await self._socket.close()
        await self._client.close()

    async def _call(
        self, method: str, parameters: dict[str, Any], session: str | None = None
    ) -> dict[str, Any]:
        self._number += 1
        number = self._number
        await self._socket.send_json(
            {"id": number, "method": method, "params": parameters}
            | ({"sessionId": session} if session else {})
        )
        while (message := await self._next()).get("id") != number:
            pass
        assert "error" not in message, (method, message["error"])
        return message["result"]  # type: ignore[no-any-return]

    async def _load(self, address: str) -> None:
        await self._call("Page.navigate", {"url": address}, self._session)
        while not any(method == "Page.loadEventFired" for method, _ in self.events):
            await self._next()

    async def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = await self._socket.receive_json()
        if "method" in message:
            self.events.append((message["method"], message.get("params", {})))
        return message
