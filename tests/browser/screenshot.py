#!/usr/bin/env python3
"""A page as a picture.

    tests/browser/screenshot.py PAGE.html OUT.png [--dark] [--no-scripts] [--width=N] [--height=N] [--from=ID]
                                                  [--keys=KEY,KEY..]

--from: the section at the top of the picture. --keys: pressed in the lanes, "+" zooms in, ArrowRight moves.
Default height: the rest of the page, at most 4000.
"""
import sys

from headless import Browser, NoBrowser


def main():
    source, out = sys.argv[1:3]
    flags = sys.argv[3:]
    sizes = dict(f[2:].split("=", 1) for f in flags if "=" in f)
    width = int(sizes.get("width", 1280))
    try:
        browser = Browser()
    except NoBrowser as e:
        print(f"screenshot: {e}", file=sys.stderr)
        return 2
    with browser:
        page = browser.page(source, dark="--dark" in flags, scripts="--no-scripts" not in flags, width=width)
        if sizes.get("keys"):
            page.evaluate("document.querySelector('.label').focus()")
            for key in sizes["keys"].split(","):
                page.key(key, key if len(key) == 1 else None)
            page.evaluate("document.activeElement.blur()")
            page.evaluate("new Promise(r => setTimeout(r, 200))")
        page.evaluate("document.querySelectorAll('nav').forEach(n => { n.style.position = 'static'; })")
        top = 0
        if "from" in sizes:
            top = page.evaluate(f"document.getElementById('{sizes['from']}').getBoundingClientRect().top + scrollY")
        height = min(page.evaluate("document.documentElement.scrollHeight") - top, int(sizes.get("height", 4000)))
        page.screenshot(out, width, height, top)
        for text in page.complaints:
            print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
