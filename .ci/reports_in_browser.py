#!/usr/bin/env python3
"""Open a run's report.html in headless Chromium and use it as a person would.

    .ci/reports_in_browser.py --suite COMMAND --chromium PROGRAM REPORT_DIR PICTURES_DIR

REPORT_DIR is what `lance-namespace-conformance --report DIR` wrote. Looked at are what the page says, its
filter and search, keys, links into what is folded up, names for screen readers, narrow screens, requests
(none) and errors on the console (none); then the same report with 2,000 findings, and how long that takes.
PICTURES_DIR gets screenshots and the printed page, for a person to look at.

Chromium is spoken to over its DevTools protocol through a pipe, so that nothing but it is needed.
"""

import argparse
import base64
import copy
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FINDINGS = 2000

# Most machines need a tenth of these.
LONGEST_LOAD = 10.0
LONGEST_FILTER = 2.0


class Browser:
    """Headless Chromium with one page open."""

    def __init__(self, program: str, profile: str) -> None:
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()

        def place() -> None:
            # The browser reads from 3 and writes to 4, whatever numbers the pipes have here.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-dev-shm-usage", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.left = b""
        self.last = 0
        self.session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.send(f"{domain}.enable")

    def message(self) -> dict[str, Any]:
        while b"\0" not in self.left:
            more = os.read(self.inp, 1 << 20)
            if not more:
                raise SystemExit("Chromium has ended")
            self.left += more
        message, self.left = self.left.split(b"\0", 1)
        return json.loads(message)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        self.last += 1
        request: dict[str, Any] = {"id": self.last, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.last:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, path: Path) -> float:
        """Opens a file and waits until it is laid out; answers the seconds that took."""
        self.events.clear()
        begun = time.monotonic()
        self.send("Page.navigate", url=path.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())
        self.js("document.body.offsetHeight")
        return time.monotonic() - begun

    def js(self, expression: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def key(self, key: str, **more: Any) -> None:
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, path: Path, width: int, scheme: str, whole: bool = False) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1,
                  mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self) -> list[str]:
        """What the console says, and what was asked of a network."""
        lines = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                lines.append(f"exception: {params['exceptionDetails']}")
            elif method == "Runtime.consoleAPICalled":
                lines.append(f"console: {params['args']}")
            elif method == "Log.entryAdded":
                lines.append(f"log: {params['entry']['text']}")
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:", "about:")):
                    lines.append(f"request: {url}")
        return lines

    def end(self) -> None:
        self.session = None
        self.send("Browser.close")
        self.process.wait(30)


def must(holds: Any, words: str) -> None:
    if not holds:
        raise SystemExit(f"reports_in_browser: {words}")


VISIBLE = "[...document.querySelectorAll('details.scenario')].filter((each) => !each.hidden).length"


def search(browser: Browser, words: str) -> int:
    browser.js(
        f"(() => {{ const box = document.querySelector('input[type=search]'); box.value = {json.dumps(words)};"
        "box.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )
    # The filter waits until nobody types.
    return browser.js(f"new Promise((done) => setTimeout(() => done({VISIBLE}), 400))")


def look(browser: Browser, page: Path, result: dict[str, Any], pictures: Path) -> None:
    scenarios = result["scenarios"]
    browser.open(page)
    must(result["verdict"] in browser.js("document.title"), "the title does not say the verdict")
    must(browser.js(VISIBLE) == len(scenarios), "not every scenario is shown")
    text = browser.js("document.body.textContent")
    for scenario in scenarios:
        must(scenario["id"] in text, f"{scenario['id']} is missing")
        must(all(line in text for line in scenario["transcript"]), f"{scenario['id']}: no transcript")
        for finding in scenario["findings"]:
            must(finding["actual"] in text, f"{scenario['id']}: no finding")
            must(all(each["curl"] in text for each in finding["exchanges"]), f"{scenario['id']}: no curl")

    first = scenarios[0]["id"]
    must(search(browser, first) >= 1, "the search finds nothing")
    must(search(browser, "no scenario has these words") == 0, "the search finds everything")
    must(search(browser, "") == len(scenarios), "the search does not end")
    failing = sum(scenario["status"] == "fail" for scenario in scenarios)
    only = "for (const box of document.querySelectorAll('[name=status]')) if (box.checked !== (box.value === 'fail')) box.click()"
    browser.js(only)
    browser.js("new Promise((done) => setTimeout(done, 400))")
    must(browser.js(VISIBLE) == failing, "the filter by status does not filter")
    # A link leads to what is filtered away and folded up.
    passing = next((scenario["id"] for scenario in scenarios if scenario["status"] == "pass"), None)
    if passing:
        anchor = "scenario-" + passing.replace("/", "--")
        browser.js(f"location.hash = {json.dumps(anchor)}")
        browser.js("new Promise((done) => setTimeout(done, 100))")
        must(browser.js(f"(({{ open, hidden }}) => open && !hidden)(document.getElementById('{anchor}'))"),
             "a link does not lead to a scenario")

    browser.open(page)
    browser.key("Tab", code="Tab", windowsVirtualKeyCode=9)
    must(browser.js("document.activeElement.className") == "skip", "the first tab is not the skip link")
    browser.key("/", text="/")
    must(browser.js("document.activeElement.type") == "search", "the key / does not lead to the search")
    nameless = [
        node["role"]["value"]
        for node in browser.send("Accessibility.getFullAXTree")["nodes"]
        if not node.get("ignored")
        and node.get("role", {}).get("value") in ("button", "link", "checkbox", "searchbox", "image", "heading")
        and not node.get("name", {}).get("value")
    ]
    must(not nameless, f"a screen reader has no name for {nameless}")
    headings = browser.js("[...document.querySelectorAll('h1,h2,h3,h4')].map((each) => +each.tagName[1])")
    must(headings.count(1) == 1, "there is not one h1")
    must(all(b - a <= 1 for a, b in zip(headings, headings[1:])), "a level of headings is left out")

    browser.js("scrollTo(0, 0)")
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light")):
        browser.picture(pictures / f"report-{scheme}-{width}.png", width, scheme)
        wide = browser.js("document.documentElement.scrollWidth")
        must(wide <= width, f"at {width} pixels the page is {wide} wide")
    shown = "details.scenario[data-status=fail]"
    if failing:
        browser.js(f"(() => {{ const one = document.querySelector('{shown}'); one.open = true;"
                   "for (const part of one.querySelectorAll('details')) part.open = true; one.scrollIntoView(); })()")
        for width, scheme in ((1280, "light"), (1280, "dark"), (390, "dark")):
            browser.picture(pictures / f"finding-{scheme}-{width}.png", width, scheme)
            wide = browser.js("document.documentElement.scrollWidth")
            must(wide <= width, f"at {width} pixels the page with a finding is {wide} wide")
    printed = browser.send("Page.printToPDF", printBackground=True)["data"]
    (pictures / "report.pdf").write_bytes(base64.b64decode(printed))
    must(not browser.complaints(), "\n".join(browser.complaints()))


def large(browser: Browser, result: dict[str, Any], suite: str, folder: Path, pictures: Path) -> str:
    """The same report with 2,000 findings."""
    with_findings = [scenario for scenario in result["scenarios"] if scenario["findings"]]
    must(with_findings, "the report has no finding")
    big = copy.deepcopy(result)
    count = sum(len(scenario["findings"]) for scenario in big["scenarios"])
    while count < FINDINGS:
        for scenario in with_findings:
            again = copy.deepcopy(scenario)
            again["id"] += f"-{count}"
            big["scenarios"].append(again)
            count += len(again["findings"])
    file = folder / "large.json"
    file.write_text(json.dumps(big))
    subprocess.run([suite, "report", str(file), str(folder)], check=True, stdout=subprocess.DEVNULL)
    page = folder / "report.html"
    load = browser.open(page)
    must(load < LONGEST_LOAD, f"{count} findings take {load:.1f} s to load")
    begun = time.monotonic()
    search(browser, with_findings[0]["id"])
    took = time.monotonic() - begun - 0.4
    must(took < LONGEST_FILTER, f"the search in {count} findings takes {took:.1f} s")
    browser.picture(pictures / "large.png", 1280, "light")
    must(not browser.complaints(), "\n".join(browser.complaints()))
    size = page.stat().st_size / 1e6
    summary = (folder / "summary.md").stat().st_size
    must(summary < 1 << 20, f"summary.md has {summary} bytes")
    return f"{count} findings: {size:.1f} MB, loaded in {load:.1f} s, searched in {took:.2f} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", required=True, help="the command lance-namespace-conformance")
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("reports", type=Path)
    parser.add_argument("pictures", type=Path)
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    result = json.loads((options.reports / "result.json").read_text())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(options.chromium, f"{folder}/profile")
        try:
            look(browser, options.reports / "report.html", result, options.pictures)
            print(large(browser, result, options.suite, Path(folder), options.pictures))
        finally:
            browser.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
