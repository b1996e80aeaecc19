"""site_check.py PAGES TALLY [--pictures FOLDER | --first-step]: opens the site from its folder in a headless Chromium: the machine and the
program agree, own kernels run, are judged and stopped, the search finds, axe-core finds nothing, pages are small and load nothing else.
--pictures writes pictures of all kinds of pages besides; --first-step only measures the time to a reader's first step."""

import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "tests/draw")]
import browser  # noqa: E402
from expecting import complaints, expect, text  # noqa: E402

pages, tally = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
pictures = pathlib.Path(sys.argv[4]) if sys.argv[3:4] == ["--pictures"] else None
axe = (root / "site/node_modules/axe-core/axe.min.js").read_text()

kinds = {
    "start": "index.html", "document": "docs/order.html", "tables": "docs/testing.html", "textbook": "docs/textbook/brent-kung.html",
    "application": "docs/applications/compact.html", "measurements": "docs/measurements/index.html", "source": "source/include/tally/scan.hpp.html",
    "kernels": "course/kernels.html", "write": "course/write.html", "exercise": "course/write.html#exercise=tree",
    "exercises": "course/exercises.html", "teach": "course/teach.html", "slides": "course/slides-2.html",
}  # fmt: skip


def open_page(page, address):
    """A page at an address below the site's folder; an address that differs in its # alone is loaded anew."""
    page.look_back()
    page.call("Page.navigate", url="about:blank")
    page.wait_for("Page.loadEventFired")
    page.look_back()
    page.call("Page.navigate", url=(pages / address.split("#")[0]).as_uri() + ("#" + address.split("#")[1] if "#" in address else ""))
    page.wait_for("Page.loadEventFired")
    page.settle()


def wait(page, condition, seconds=20):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if page.evaluate(condition):
            return True
        time.sleep(0.02)
    return False


player = "document.getElementById('player').contentDocument"
plays = f"{player}?.getElementById('position')?.textContent.startsWith('0 / ')"


def check_kernels(page):
    """The page of the textbook's kernels: what is played there is what the program prints."""
    for words, options in (("", []), ("#kernel=blelloch&n=16&op=max", ["blelloch", "--n", "16", "--op", "max"]),
                           ("#kernel=single-pass-look-back&n=40", ["single-pass-look-back", "--n", "40"]),
                           ("#kernel=sklansky&input=2.5,1,-3", ["sklansky", "--input", "2.5,1,-3"])):  # fmt: skip
        open_page(page, f"course/kernels.html{words}")
        expect(f"kernels{words}: plays", wait(page, plays), True)
        shown = page.evaluate(f"{player}.getElementById('run').textContent")
        run = subprocess.run([tally, "explain", *(options or ["brent-kung", "--n", "8"]), "--json"], capture_output=True, text=True, check=True)
        # Byte for byte; a page writes \u003c for <.
        expect(f"kernels{words}: the program's JSON", shown.replace("\\u003c", "<").strip(), run.stdout.strip())
    page.evaluate(f"{player}.getElementById('forward').click()")
    expect("a step forward", page.evaluate(f"{player}.getElementById('position').textContent").split(" ")[0], "1")
    open_page(page, "course/kernels.html#kernel=tree-reduction&input=10,3,2,1&op=" + urllib.parse.quote("a - b"))
    expect("an operator of one's own", wait(page, f"{plays} && JSON.parse({player}.getElementById('run').textContent).out[0] == 6"), True)
    page.evaluate("document.getElementById('input').value = '1,x'; document.getElementById('input').dispatchEvent(new Event('change'))")
    expect("a wrong input is refused", wait(page, "document.getElementById('problem').textContent.includes(\"'x' is not a number\")"), True)


def put(page, source):
    page.evaluate(f"location.hash = new URLSearchParams({{kernel: btoa({json.dumps(source)}), n: '32', result: 'inclusive', op: 'sum'}})")
    page.settle()


def told(page, begins, seconds=20):
    return wait(page, f"document.getElementById('told').textContent.startsWith({json.dumps(begins)})", seconds)


def press(page, button):
    wait(page, f"!document.getElementById('{button}').disabled")
    page.evaluate(f"document.getElementById('{button}').click()")


def check_own_kernel(page):
    open_page(page, "course/write.html")
    page.evaluate("localStorage.clear()")
    open_page(page, "course/write.html")
    press(page, "run")
    expect("the race is told", wait(page, "/findings?: kernel.js:8: race/.test(document.getElementById('told').textContent)"), True)
    expect("its line is underlined", page.evaluate("document.querySelector('.cm-lintRange-error')?.textContent"), "if (t >= s) x[t] = op(x[t - s], x[t]);")
    expect("it is played", wait(page, plays), True)
    put(page, "function kernel(block, input, out, n, op) {\n  block.step((t) => {\n    out[t] = inptu[t];\n  });\n}\n")
    press(page, "run")
    expect("a mistake has its line", told(page, "Line 3: inptu is not defined"), True)
    expect("and is underlined", page.evaluate("document.querySelector('.cm-lintRange-error')?.textContent"), "out[t] = inptu[t];")
    put(page, "function kernel(block, input, out, n, op) {\n  while (true) {}\n}\n")
    press(page, "run")
    time.sleep(0.3)
    expect("the page still answers", page.evaluate("1 + 1"), 2)
    press(page, "stop")
    expect("a runaway kernel is stopped", told(page, "Stopped.", 3), True)
    press(page, "run")
    expect("or stops by itself", told(page, "The kernel was stopped after 10 seconds", 14), True)
    put(page, "function kernel(block, input, out, n, op) {\n  block.step((t) => {\n    if (t > 0) return;\n    let sum = input[0];\n    out[0] = sum;\n"
              "    for (let k = 1; k < n; k++) { sum = op(sum, input[k]); out[k] = sum; }\n  });\n}\n")  # fmt: skip
    press(page, "run")
    expect("the next one runs", told(page, "Right, and nothing is found."), True)
    expect("operations", page.evaluate("document.querySelector('#figures td').textContent"), "31")
    put(page, "function kernel() { fetch('https://example.org/'); new Image().src = 'https://example.org/'; }\n")
    press(page, "run")
    expect("nothing leaves the page", wait(page, "document.getElementById('told').className === 'wrong'"), True)


def check_exercise(page):
    open_page(page, "course/write.html#exercise=tree")
    page.evaluate("document.getElementById('prediction').value = '3'")
    press(page, "check")
    expect("a beginning is refused", told(page, "n = 2: "), True)
    page.evaluate("document.getElementById('solution').open = true")
    press(page, "show-solution")
    press(page, "check")
    expect("a solution passes", told(page, "Passed, for every n from 1 to 300."), True)
    expect("the prediction is judged", text(page, "#prediction-result"), "For n = 256 there are 10 barriers, and not 3: why?")
    press(page, "share")
    address = page.evaluate("location.href")
    open_page(page, "course/exercises.html")
    expect("the progress is kept", text(page, "[data-exercise=tree] .state"), "\u2713 passed")
    page.evaluate("localStorage.clear()")
    open_page(page, "course/write.html#" + address.split("#")[1])
    expect("a link holds the kernel", page.evaluate("document.querySelector('.cm-content').textContent.includes('t % (2 * s)')"), True)


def check_search(page):
    open_page(page, "docs/textbook/brent-kung.html")
    page.evaluate("(e => { e.value = 'bank conflict'; e.dispatchEvent(new Event('input')); })(document.getElementById('query'))")
    expect("the search finds", wait(page, "document.querySelectorAll('#found a').length > 3"), True)
    links = page.evaluate("[...document.querySelectorAll('#found a')].map(e => e.href)")
    missing = [link for link in links if not pathlib.Path(link.removeprefix("file://").split("#")[0]).exists()]
    expect("what is found is there", missing, [])


def check_access(page):
    """Of axe-core, no violation on any kind of page, in either scheme."""
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        for kind, address in kinds.items():
            open_page(page, address)
            if kind in ("kernels",):
                wait(page, plays)
            page.evaluate(axe + ";0")
            found = page.evaluate("axe.run(document, {iframes: false}).then(r => r.violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(' | ')}`))")
            expect(f"axe, {kind}, {scheme}", found, [])


def check_scheme(page):
    """The switch from light to dark: the page and the run that it plays; it is kept from page to page."""
    grounds = f"[document, {player}].map(each => getComputedStyle(each.body).backgroundColor)"
    page.prefer("light")
    open_page(page, "course/kernels.html")
    wait(page, plays)
    light = page.evaluate(grounds)
    press(page, "scheme")
    dark = page.evaluate(grounds)
    expect("both are light, then dark", (len(set(light)), len(set(dark)), light == dark), (1, 1, False))
    open_page(page, "docs/order.html")
    expect("the choice is kept", page.evaluate("getComputedStyle(document.body).backgroundColor") in dark, True)
    press(page, "scheme")
    expect("and taken back", page.evaluate("[getComputedStyle(document.body).backgroundColor, localStorage.length]")[0] in light, True)


def check_widths(page):
    for width in (360, 768, 1280):
        page.resize(width, 800, mobile=width < 500)
        for kind, address in kinds.items():
            open_page(page, address)
            expect(f"{kind}: the width at {width}", page.evaluate("document.documentElement.scrollWidth") <= width, True)
    page.resize(1280, 800)


def check_sizes():
    """A page with its style and scripts, before pictures: less than 300 KB, and so the first visit to the page that plays the kernels,
    with the machine. The page for own kernels has CodeMirror and a parser besides. All these are loaded once for all pages."""
    def size(each):
        links = re.findall(r'<(?:script|link)[^>]* (?:src|href)="([^"]+)"', each.read_text())
        return each.stat().st_size + sum((each.parent / link).resolve().stat().st_size for link in links)

    sizes = {str(each.relative_to(pages)): size(each) for each in pages.rglob("*.html") if "reference" not in each.parts}
    expect("pages above 300 KB", {name: bytes for name, bytes in sizes.items() if bytes > 300_000}, {})
    brought = {name: (pages / "assets" / f"{name}.js").stat().st_size for name in ("machine", "playing_worker", "writing_worker", "editor")}
    play = sizes["course/kernels.html"] + brought["machine"] + brought["playing_worker"]
    write = sizes["course/write.html"] + brought["machine"] + brought["writing_worker"] + brought["editor"]
    print(f"the largest page has {max(sizes.values()) / 1000:.0f} KB; a first visit to Play {play / 1000:.0f} KB, to Write {write / 1000:.0f} KB")
    expect("Play with the machine in less than 300 KB", play < 300_000, True)
    expect("Write with the machine and the editor in less than 1 MB", write < 1_000_000, True)


def check_first_step():
    """From opening the page to the first own step, in a new browser on a processor throttled four times. Nothing may run beside it."""
    with browser.Browser() as page:
        page.call("Emulation.setCPUThrottlingRate", rate=4)
        began = time.monotonic()
        open_page(page, "course/kernels.html")
        ready = wait(page, plays)
        page.evaluate(f"{player}.getElementById('forward').click()")
        took = time.monotonic() - began
        expect("the first step", ready and page.evaluate(f"{player}.getElementById('position').textContent").split(" ")[0], "1")
    print(f"the first own step after {took:.2f} s, throttled four times")
    expect("in less than 5 s", took < 5, True)


def take_pictures(page):
    pictures.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        for width in (375, 800, 1440):
            page.resize(width, 900, mobile=width < 500)
            for kind, address in kinds.items():
                open_page(page, address)
                if kind == "kernels":
                    wait(page, plays)
                if kind == "write":
                    press(page, "run")
                    wait(page, plays)
                page.settle()
                page.screenshot(pictures / f"{kind}_{scheme}_{width}.png")


def check_pages():
    with browser.Browser() as page:
        page.prefer("light")
        check_kernels(page)
        check_own_kernel(page)
        check_exercise(page)
        check_search(page)
        check_access(page)
        check_scheme(page)
        check_widths(page)
        check_sizes()
        expect("what the pages ask for", [url for url in page.asked if not url.startswith(("file://", "blob:", "data:", "about:"))], [])
        expected = ("https://example.org", "Content Security Policy", "violates", "Failed to fetch")
        expect("what the browser complains of", [each for each in page.complained if not any(word in each for word in expected)], [])
        if pictures:
            take_pictures(page)


check_first_step() if "--first-step" in sys.argv else check_pages()
for complaint in complaints:
    print(complaint)
sys.exit(1 if complaints else 0)
