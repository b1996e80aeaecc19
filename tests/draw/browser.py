"""A headless Chromium, driven through a pipe with the DevTools protocol: https://chromedevtools.github.io/devtools-protocol.

Needs nothing but Python and Chromium, and no network: none is there for it to use.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
flags = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--proxy-server=127.0.0.1:9", "--remote-debugging-pipe",
)  # fmt: skip
keys = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Escape": 27, "Tab": 9, " ": 32}


def find_browser():
    """The path of a Chromium. Without one there is nothing to test with: that is an error."""
    for name in (os.environ.get("TALLY_CHROMIUM", ""), *names):
        if name and (path := shutil.which(name)):
            return path
    raise SystemExit(f"No Chromium is here (looked for {', '.join(names)}): scripts/setup test installs one")


class Browser:
    """One page. `with Browser() as page: page.open(file)`."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tally-chromium-", ignore_cleanup_errors=True)
        to_browser, self.commands = os.pipe()
        self.replies, from_browser = os.pipe()

        def connect():  # Chromium reads commands from 3 and writes replies to 4
            high = os.dup(to_browser), os.dup(from_browser)
            for number, descriptor in ((3, high[0]), (4, high[1])):
                os.dup2(descriptor, number)

        environment = os.environ | {"HOME": self.folder.name}
        self.process = subprocess.Popen(
            [find_browser(), *flags, f"--user-data-dir={self.folder.name}/profile", "about:blank"],
            pass_fds=(3, 4), preexec_fn=connect, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(pathlib.Path(self.folder.name) / "log", "wb"))  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.count, self.session = b"", 0, None
        self.events, self._asked, self._complained = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(1280, 800)
        return self

    def __exit__(self, *_):
        os.write(self.commands, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.replies)
        self.folder.cleanup()

    def receive(self):
        while b"\0" not in self.buffer:
            read = os.read(self.replies, 1 << 20)
            if not read:
                log = (pathlib.Path(self.folder.name) / "log").read_text(errors="replace")
                raise SystemExit(f"Chromium ended:\n{log[-2000:]}")
            self.buffer += read
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.receive()
            if reply.get("id") == self.count:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]
            self.events.append(reply)

    def wait_for(self, method):
        while not any(event["method"] == method for event in self.events):
            self.events.append(self.receive())

    def open(self, path):
        self.look_back()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait_for("Page.loadEventFired")
        self.settle()

    def look_back(self):
        """Notes which addresses were asked for, and what went wrong: exceptions, and what the browser logs, such as a resource that is
        refused."""
        for event in self.events:
            if event["method"] == "Network.requestWillBeSent":
                self._asked.append(event["params"]["request"]["url"])
            if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self._complained.append(json.dumps(event["params"])[:500])
        self.events.clear()

    @property
    def asked(self):
        self.look_back()
        return self._asked

    @property
    def complained(self):
        self.look_back()
        return self._complained

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {json.dumps(result['exceptionDetails'])[:500]}")
        return result["result"].get("value")

    def settle(self):
        """Waits until what was done is painted."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def resize(self, width, height, scale=1, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key, shift=False):
        text = {"text": " "} if key == " " else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else key, modifiers=8 if shift else 0,
                      windowsVirtualKeyCode=keys[key], **(text if kind == "keyDown" else {}))  # fmt: skip
        self.settle()

    def move_mouse(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def click(self, x, y):
        self.move_mouse(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def center(self, selector):
        """Where an element is; it is brought into sight."""
        box = self.evaluate(
            f"""(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;
            e.scrollIntoView({{block: "nearest"}}); const b = e.getBoundingClientRect();
            return [b.left + b.width / 2, b.top + b.height / 2]; }})()"""
        )
        if box is None:
            raise RuntimeError(f"the page has no {selector}")
        return box

    def click_on(self, selector):
        self.click(*self.center(selector))

    def screenshot(self, path, whole=False):
        result = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **(
            {"clip": {"x": 0, "y": 0, "scale": 1, **self.evaluate(
                "({width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight})")}} if whole else {}))
        pathlib.Path(path).write_bytes(base64.b64decode(result["data"]))
