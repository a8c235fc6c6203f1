#!/usr/bin/env python3
"""The pages of `wakelab report` in a headless Chromium: no console message, no request, key numbers equal the
JSON, nothing executed from hostile names, a million slices fast enough, keys, and all of it without scripts.

    tests/browser/report_test.py PATH_TO_REPORT_PAGES PATH_TO_WAKELAB
"""
import json
import os
import subprocess
import sys
import tempfile

from headless import Browser, NoBrowser

FRAME_MS_MAX = 100
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def near(a, b):
    return a is not None and b is not None and abs(float(a) - float(b)) <= 1e-6 * max(1, abs(float(b)))


def values(page):
    """All data-v of the page as numbers, and the text of every first cell with the values of its row."""
    return page.evaluate("""(() => ({
        all: [...document.querySelectorAll('[data-v]')].map(e => Number(e.dataset.v)),
        numbers: Object.fromEntries([...document.querySelectorAll('.numbers div')].map(
            d => [d.querySelector('dt').textContent, Number(d.querySelector('dd').dataset.v)])),
        rows: [...document.querySelectorAll('tbody tr')].map(
            r => [...r.children].map(c => c.dataset.v === undefined ? c.textContent : Number(c.dataset.v)))
    }))()""")


def quiet(page, name):
    check(not page.complaints, f"{name}: {page.complaints}")
    check(not page.requests, f"{name}: requests {page.requests}")
    check(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name}: wider than the window")


def test_trace(browser, folder, path, **options):
    name = f"trace page {options}"
    page = browser.page(path, **options)
    quiet(page, name)
    with open(path + ".json") as f:
        truth = json.load(f)
    m = truth["metrics"]
    seen = values(page)
    numbers = seen["numbers"]
    check(near(numbers["transactions a second"], m["rate_per_s"]), f"{name}: rate {numbers}")
    check(near(numbers["wake-ups"], m["wakeups"] + m["early_wakeups"]), f"{name}: wake-ups")
    check(near(numbers["switches"], m["switches"]), f"{name}: switches")
    check(near(numbers["CPUs busy"], 1 - m["idle_share"]), f"{name}: busy")
    latency = next(r for r in seen["rows"] if r[0] == "wake-up latency")
    for value, key in zip(latency[1:], ["count", "mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"]):
        check(near(value, m["wakeup_latency"][key]), f"{name}: {key} {value} {m['wakeup_latency'][key]}")
    waits = [r for r in seen["rows"] if r[0] == "pgbench"]
    task = next(t for t in truth["tasks"] if t["name"] == "pgbench")
    check(any(task["run_ns"] in r for r in waits), f"{name}: run time of pgbench")
    if options.get("scripts", True):
        check(page.evaluate("document.getElementById('lanes').dataset.ready") == "1", f"{name}: lanes not drawn")
        check(page.evaluate("document.getElementById('lanes-static').hidden"), f"{name}: static lanes still there")
    else:
        check(page.evaluate("document.querySelectorAll('#lanes-static li svg path').length") == 4,
              f"{name}: static lanes")
        check(page.evaluate("document.querySelectorAll('svg.chart, svg.map').length") >= 2, f"{name}: charts")
    return page


def test_keys(page):
    def window():
        return page.evaluate("document.querySelector('.where').textContent")

    def label():
        return page.evaluate("document.activeElement.textContent")

    def settled(action):
        action()
        page.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
        return window()

    page.evaluate("document.querySelector('.label').focus()")
    everything = window()
    zoomed = settled(lambda: page.key("+", "+"))
    check(zoomed != everything, "+ does not zoom")
    check(settled(lambda: page.key("ArrowRight")) != zoomed, "right arrow does not move")
    check(settled(lambda: page.key("Home")).startswith("0"), "Home is not the beginning")
    settled(lambda: page.key("End"))
    check(settled(lambda: page.key("0", "0")) == everything, "0 does not show everything")
    page.key("ArrowDown")
    check(label() == "CPU 1", f"down arrow: focus on {label()}")
    page.key("ArrowUp")
    page.key("n", "n")
    status = page.evaluate("document.querySelector('[role=status]').textContent")
    check(status.startswith("CPU 0: "), f"n: {status}")
    settled(lambda: page.key("Enter"))
    page.key("?", "?")
    check(page.evaluate("document.querySelector('dialog').open"), "? does not open the help")
    page.key("Escape")
    check(not page.evaluate("document.querySelector('dialog').open"), "Escape does not close the help")
    check(page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", "focus is not visible")
    check(page.evaluate("document.querySelector('.skip').getAttribute('href')") == "#main", "no skip link")
    page.evaluate("document.activeElement.blur()")
    page.key("Tab")
    check(not page.complaints, f"keys: {page.complaints}")


def test_million(browser, folder, pages):
    path = os.path.join(folder, "million.html")
    subprocess.run([pages, "million", path], check=True)
    page = browser.page(path)
    quiet(page, "a million slices")
    state = page.evaluate("Object.assign({}, document.getElementById('lanes').dataset)")
    check(int(state["slices"]) > 990_000, f"million: slices {state}")
    frames = [float(state["frameMs"])]
    page.evaluate("document.querySelector('.label').focus()")
    for _ in range(14):
        page.key("+", "+")
        page.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
        frames.append(float(page.evaluate("document.getElementById('lanes').dataset.frameMs")))
    print(f"a million slices: page {os.path.getsize(path) / 1e6:.1f} MB, ready after {page.load_s:.2f} s, frames "
          f"{sorted(frames)[len(frames) // 2]:.0f} ms median, {max(frames):.0f} ms at most; "
          f"{state['arrows']} arrows")
    check(sorted(frames)[len(frames) // 2] < FRAME_MS_MAX, f"million: frames {frames}")
    page.close()


def test_hostile(browser, folder, pages):
    path = os.path.join(folder, "hostile.html")
    subprocess.run([pages, "hostile", path], check=True)
    page = browser.page(path)
    quiet(page, "hostile names")
    check(page.evaluate("document.images.length") == 0, "hostile names made an image")
    check(page.evaluate("document.querySelectorAll('main b b, main script:not([type]):not(:last-of-type)').length") == 0,
          "hostile names made an element")
    check(page.evaluate("document.querySelector('h1').textContent") == "</title><script>alert(1)</script>",
          "the title is not shown as it is")
    check(page.evaluate("document.body.textContent.includes('onerror=alert(1)')"), "the name is not shown")
    page.close()


def test_results(browser, folder, pages, wakelab):
    short = ["--warmup", "20ms", "--duration", "50ms"]
    commands = {
        "compare": ["compare", "pgbench", "-c", "1,2,4,8", "-s", "o1-2.6.22,cfs-2.6.26-rc3", "--seeds", "2"] + short,
        "run": ["run", "pgbench", "-c", "4"] + short,
        "explain": ["explain", "pgbench", "-c", "8", "-s", "cfs-2.6.26-rc3"] + short,
        "search": ["search", "pgbench", "-c", "2", "--seeds", "2"] + short,
        "validate": ["validate", "pgbench", "--experiment", "E13", "--seeds", "2"] + short,
    }
    for name, arguments in commands.items():
        source, path = os.path.join(folder, name + ".json"), os.path.join(folder, name + ".html")
        with open(source, "wb") as f:
            ran = subprocess.run([wakelab] + arguments + ["--json"], stdout=f, stderr=subprocess.PIPE)
        if ran.returncode != 0:
            check(False, f"wakelab {' '.join(arguments)}: {ran.stderr}")
            continue
        subprocess.run([pages, "results", source, path], check=True)
        with open(source) as f:
            truth = json.load(f)
        for scripts in [True, False]:
            page = browser.page(path, scripts=scripts)
            quiet(page, name)
            seen = values(page)["all"]

            def has(value, what):
                check(any(near(v, value) for v in seen), f"{name}: {what} {value} is not on the page")

            if name == "compare":
                for level in truth["levels"]:
                    for cell in level["cells"]:
                        has(cell["median"], "median")
                check(page.evaluate("document.querySelectorAll('svg .line').length") == 2, "compare: curves")
            if name == "run":
                has(truth["metrics"]["rate_per_s"], "rate")
                has(truth["metrics"]["wakeup_latency"]["p99_ns"], "p99")
            if name == "explain":
                for finding in truth["findings"]:
                    if finding["explains"]:
                        has(finding["explains"], "share")
                for waker in truth["wakers"]:
                    for wakeups in waker["wakees"].values():
                        has(wakeups, "wake-ups")
            if name == "search":
                has(truth["base"]["rate"], "rate")
            if name == "validate":
                has(truth["predict"]["median_error"], "median error")
                for cell in truth["tables"][0]["cells"]:
                    has(cell["simulated"], "cell")
            page.close()


def main():
    pages, wakelab = sys.argv[1:3]
    try:
        browser = Browser()
    except NoBrowser as e:
        print(f"SKIPPED: {e} (Debian: apt-get install chromium-headless-shell)")
        return 77
    with tempfile.TemporaryDirectory() as folder, browser:
        path = os.path.join(folder, "trace.html")
        subprocess.run([pages, "trace", path], check=True)
        page = test_trace(browser, folder, path)
        test_keys(page)
        page.close()
        test_trace(browser, folder, path, dark=True, width=700).close()
        test_trace(browser, folder, path, scripts=False).close()
        test_hostile(browser, folder, pages)
        test_results(browser, folder, pages, wakelab)
        test_million(browser, folder, pages)
    print("report_test:", f"{len(failures)} failures" if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
