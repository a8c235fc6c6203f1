"""A headless Chromium driven over a pipe with the DevTools protocol; the standard library is enough.

Browser() finds the program or raises NoBrowser. page(url) loads a page and collects every console message,
exception and request. Nothing is sent to any network: pages are files.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"]

VIRTUAL_KEYS = {"Escape": 27, "Tab": 9, "Enter": 13}


class NoBrowser(Exception):
    pass


def find_browser():
    for name in [os.environ.get("WAKELAB_CHROMIUM", "")] + NAMES:
        path = shutil.which(name) if name else None
        if path:
            return path
    raise NoBrowser("none of " + ", ".join(NAMES) + " is installed")


class Browser:
    def __init__(self):
        program = find_browser()
        self.profile = tempfile.mkdtemp(prefix="wakelab-browser-")
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()

        def wire():  # the protocol wants descriptors 3 and 4
            os.dup2(to_read, 13)
            os.dup2(to_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--remote-debugging-pipe", "--user-data-dir=" + self.profile, "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                   "--disable-sync", "--no-default-browser-check"]
        self.process = subprocess.Popen(command, close_fds=False, preexec_fn=wire,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.next_id = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, EOFError, RuntimeError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.from_browser, 1 << 20)
            if not chunk:
                raise EOFError("the browser has gone")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.next_id += 1
        request = {"id": self.next_id, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        os.write(self.to_browser, json.dumps(request).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") == request["id"]:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def page(self, path, **options):
        return Page(self, path, **options)


class Page:
    """A loaded page. complaints: console errors and exceptions; requests: URLs other than the page."""

    def __init__(self, browser, path, scripts=True, dark=False, width=1280, height=900):
        self.browser = browser
        self.url = "file://" + os.path.abspath(path)
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.events.clear()
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        began = time.monotonic()
        self.call("Page.navigate", url=self.url)
        self.wait_for("Page.loadEventFired")
        self.load_s = time.monotonic() - began

    def call(self, method, **params):
        return self.browser.call(method, session=self.session, **params)

    def wait_for(self, method):
        while not any(e.get("method") == method for e in self.browser.events):
            self.browser.events.append(self.browser.receive())

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails'].get('exception', {})}")
        return answer["result"].get("value")

    def key(self, key, text=None):
        code = {"+": "Equal", "?": "Slash"}.get(key, key)
        common = {"key": key, "code": code}
        if key in VIRTUAL_KEYS:  # what the browser itself acts on
            common["windowsVirtualKeyCode"] = VIRTUAL_KEYS[key]
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    @property
    def complaints(self):
        found = []
        for e in self.browser.events:
            if e.get("sessionId") != self.session:
                continue
            params = e.get("params", {})
            if e["method"] == "Runtime.exceptionThrown":
                found.append("exception: " + json.dumps(params["exceptionDetails"])[:400])
            elif e["method"] == "Runtime.consoleAPICalled":
                found.append("console: " + json.dumps(params["args"])[:400])
            elif e["method"] == "Log.entryAdded":
                found.append("log: " + params["entry"]["text"])
        return found

    @property
    def requests(self):
        urls = [e["params"]["request"]["url"] for e in self.browser.events
                if e.get("sessionId") == self.session and e["method"] == "Network.requestWillBeSent"]
        return [u for u in urls if u != self.url and not u.startswith("data:")]

    def screenshot(self, path, width, height, top=0):
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as f:
            f.write(base64.b64decode(shot["data"]))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
