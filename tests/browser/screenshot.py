#!/usr/bin/env python3
"""A page as a picture.

    tests/browser/screenshot.py PAGE.html OUT.png [--dark] [--zoom] [--no-scripts] [--height=N] [--width=N]

--zoom: zooms into the lanes until single slices and arrows show. Default height: the whole page, at most 4000.
"""
import sys

from headless import Browser, NoBrowser


def main():
    source, out = sys.argv[1:3]
    flags = sys.argv[3:]
    sizes = dict(f[2:].split("=") for f in flags if "=" in f)
    width = int(sizes.get("width", 1280))
    try:
        browser = Browser()
    except NoBrowser as e:
        print(f"screenshot: {e}", file=sys.stderr)
        return 2
    with browser:
        page = browser.page(source, dark="--dark" in flags, scripts="--no-scripts" not in flags, width=width)
        if "--zoom" in flags:
            page.evaluate("document.querySelector('.label').focus()")
            for _ in range(10):
                page.key("+", "+")
            page.evaluate("document.activeElement.blur()")
        page.evaluate("new Promise(r => setTimeout(r, 200))") if "--no-scripts" not in flags else None
        height = min(page.evaluate("document.documentElement.scrollHeight"), 4000)
        page.screenshot(out, width, int(sizes.get("height", height)))
        for text in page.complaints:
            print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
