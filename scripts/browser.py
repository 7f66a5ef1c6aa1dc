"""Control headless Chromium by the DevTools protocol, for tests and measurements."""

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
_PATIENCE = 120  # seconds, on a busy machine


def _is_loaded(message: Mapping[str, Any], loader: str) -> bool:
    """Return True if a message says that the page of a loader is loaded."""
    event = message.get("params", {})
    is_load = message.get("method") == "Page.lifecycleEvent" and event["name"] == "load"
    return is_load and event["loaderId"] == loader


class BrowserPage:
    """A tab of the browser."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._number = 0
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.send("Page.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self) -> None:
        """End the browser."""
        self._session = None
        self.send("Browser.close")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and wait for its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._socket.send(json.dumps(message))
        while (answer := self._receive()).get("id") != self._number:
            pass
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _receive(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._socket.recv(timeout=_PATIENCE))
        return answer

    def open(self, address: Path | str, *, width: int = 1280, dark: bool = False) -> None:
        """Load a file or a URL in a window that is `width` pixels wide."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.emulate("screen", dark=dark)
        page = self.send(
            "Page.navigate",
            url=address if isinstance(address, str) else address.resolve().as_uri(),
        )
        # The load event of this page: that of the page before may arrive as late as now.
        while not _is_loaded(self._receive(), page["loaderId"]):
            pass

    def emulate(self, media: str, *, dark: bool = False) -> None:
        """Render the page for a medium (screen or print) and a colour scheme (light or dark)."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def evaluate(self, script: str) -> Any:
        """Evaluate an expression in the page; a promise is awaited."""
        answer = self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, script: str, seconds: float = 60) -> Any:
        """Return the value of an expression as soon as it is true."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if value := self.evaluate(script):
                return value
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    def type(self, text: str) -> None:
        """Insert text at the caret, as if pasted."""
        self.send("Input.insertText", text=text)

    def press(self, key: str, text: str = "") -> None:
        """Press and release a key."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        for event in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=event,
                key=key,
                text=text if event == "keyDown" else "",
                windowsVirtualKeyCode=codes[key],
            )

    def picture(self, height: int | None = None) -> bytes:
        """Return a PNG image of the whole page, or of its first `height` pixels."""
        options: dict[str, Any] = {"format": "png", "captureBeyondViewport": True}
        if height is not None:
            width = self.evaluate("innerWidth")
            options["clip"] = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self.send("Page.captureScreenshot", **options)
        return base64.b64decode(shot["data"])

    def pdf(self) -> bytes:
        """Print the page as PDF."""
        return base64.b64decode(self.send("Page.printToPDF")["data"])

    def serious(self) -> list[str]:
        """Return the serious and critical violations by axe-core: the rule and the element."""
        spec = find_spec("axe_core_python")
        assert spec is not None
        assert spec.origin is not None
        self.evaluate(Path(spec.origin).with_name("axe.min.js").read_text("utf-8"))
        violations = self.evaluate("axe.run().then(done => done.violations)")
        return [
            f"{violation['id']}: {node['html'][:200]}"
            for violation in violations
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]


def browser_path() -> str | None:
    """Return the path of an installed browser, or None."""
    return shutil.which("chromium") or shutil.which("google-chrome")


@contextmanager
def browsing(folder: Path) -> Iterator[BrowserPage]:
    """Start a browser that stores its files in a folder, and yield a tab; stop it at the end."""
    from websockets.sync.client import connect

    program = browser_path()
    if program is None:
        raise SystemExit("this needs a browser; install chromium")
    with subprocess.Popen(
        [program, *_FLAGS, f"--user-data-dir={folder}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            address = _address(folder / "DevToolsActivePort")
            with connect(address, max_size=None, proxy=None) as socket:
                page = BrowserPage(socket)
                yield page
                page.close()
        except BaseException:
            process.kill()
            raise


def _address(file: Path) -> str:
    """Wait until the browser listens, and return its address."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        lines = file.read_text().split() if file.exists() else []
        if len(lines) == 2:
            return "ws://127.0.0.1:{}{}".format(*lines)
        time.sleep(0.1)
    raise TimeoutError("the browser did not start")
