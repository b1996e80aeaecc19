"""player_check.py TALLY [FOLDER]: whether the page that `TALLY explain --html` writes shows what it should, in a headless Chromium.

Plays runs forward and back with the keys and the mouse, and compares what is shown with arrays that are written down here; then looks at
the page in light and dark and at a phone's width (player_looks.py). Leaves pictures of it in FOLDER. A missing browser is a failure.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import browser
import player_looks
from expecting import complaints, expect, position, text

tally = str(pathlib.Path(sys.argv[1]).resolve())
pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None

# The values of x after every step on the course's input 3 1 7 0 4 1 6 3, and which elements the step has written.
none, every = [], list(range(8))
given = [3, 1, 7, 0, 4, 1, 6, 3]
strides = {1: [3, 4, 8, 7, 4, 5, 7, 9], 2: [3, 4, 11, 11, 12, 12, 11, 14], 4: [3, 4, 11, 11, 15, 16, 22, 25]}
hillis_steele = [
    (None, none), (given, every),
    (given, none), (strides[1], every[1:]),
    (strides[1], none), (strides[2], every[2:]),
    (strides[2], none), (strides[4], every[4:]),
    (strides[4], none),
]  # fmt: skip
exclusive = [0, 3, 4, 11, 11, 15, 16, 22]
blelloch = [
    (None, none), (given, every),
    ([3, 4, 7, 7, 4, 5, 6, 9], [1, 3, 5, 7]), ([3, 4, 7, 11, 4, 5, 6, 14], [3, 7]), ([3, 4, 7, 11, 4, 5, 6, 25], [7]),
    ([3, 4, 7, 0, 4, 5, 6, 11], [3, 7]), ([3, 0, 7, 4, 4, 11, 6, 16], [1, 3, 5, 7]), (exclusive, every),
    (exclusive, none),
]  # fmt: skip


def write_page(folder, kernel, *options):
    path = folder / f"{'_'.join((kernel, *options))}.html"
    subprocess.run([tally, "explain", kernel, "--html", path, *options], check=True, stdout=subprocess.DEVNULL)
    return path


def array(page, name):
    """The values of an array that are shown, and which are marked as changed."""
    cells = page.evaluate(
        f"""[...document.querySelectorAll('ol.array[aria-label="{name}"] li')].map(
        cell => [cell.querySelector(".value").textContent, cell.classList.contains("changed")])"""
    )
    values = [None if value == "\u00b7" else int(value) for value, _ in cells]
    return (None if set(values) == {None} else values), [k for k, (_, changed) in enumerate(cells) if changed]


def check_position(page, what, wanted, steps):
    expect(f"{what}: the position", position(page), wanted)
    shown, changed = array(page, "x")
    last = wanted == len(steps) - 1
    if wanted == 0 or last:  # x is there from the first step on; the last one writes `out`
        expect(f"{what}: out", array(page, "out"), (steps[-1][0] if last else None, every if last else none))
    expect(f"{what}: x", (shown, changed), (steps[wanted][0], steps[wanted][1]))
    current = page.evaluate("document.querySelectorAll('.lines [aria-current]').length")
    expect(f"{what}: a line of the source is marked", current > 0, wanted > 0)


def check_playing(page, path, steps):
    """Every way to move, and what is then shown."""
    last = len(steps) - 1
    page.open(path)
    name = path.stem
    check_position(page, f"{name} as it opens", 0, steps)
    for wanted in range(1, last + 1):
        page.press("ArrowRight")
        check_position(page, f"{name}, right to {wanted}", wanted, steps)
    page.press("ArrowRight")
    check_position(page, f"{name}, right at the end", last, steps)
    for wanted in range(last - 1, -1, -1):
        page.press("ArrowLeft")
        check_position(page, f"{name}, left to {wanted}", wanted, steps)
    page.press("End")
    check_position(page, f"{name}, End", last, steps)
    page.press("Home")
    check_position(page, f"{name}, Home", 0, steps)
    for wanted in range(1, last + 1):
        page.click_on("#forward")
        check_position(page, f"{name}, a click forward to {wanted}", wanted, steps)
    for wanted in range(last - 1, last - 4, -1):
        page.click_on("#back")
        check_position(page, f"{name}, a click back to {wanted}", wanted, steps)
    page.click_on("#to-start")
    check_position(page, f"{name}, a click to the start", 0, steps)
    page.click_on("#to-end")
    check_position(page, f"{name}, a click to the end", last, steps)
    x, y = page.center("#slider")
    page.click(x, y)
    check_position(page, f"{name}, a click in the middle of the slider", last // 2, steps)
    page.press("ArrowRight")
    check_position(page, f"{name}, right on the slider", last // 2 + 1, steps)


def check_play(page, path, steps):
    page.open(path)
    page.evaluate("document.getElementById('speed').value = '350'")
    page.press(" ")
    expect("playing", page.evaluate("document.getElementById('play').getAttribute('aria-label')"), "Pause")
    until = time.monotonic() + 20
    while position(page) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    page.press(" ")
    stopped = position(page)
    time.sleep(0.6)
    check_position(page, "paused", stopped, steps)
    page.click_on("#play")
    while position(page) < len(steps) - 1 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.1)
    check_position(page, "played to the end", len(steps) - 1, steps)
    expect("at the end", page.evaluate("document.getElementById('play').getAttribute('aria-label')"), "Play")


def node_at(page, row, column):
    """Where a node of the circuit stands on the screen."""
    page.evaluate("document.getElementById('circuit').scrollIntoView()")
    return page.evaluate(
        f"""(() => {{ const box = document.getElementById("circuit").getBoundingClientRect();
        const flow = dataFlow(readRun(JSON.parse(document.getElementById("run").textContent), {{}}));
        const place = new CircuitPlaces(flow, document.getElementById("circuit").clientWidth, false);
        return [box.left + place.x({column}), box.top + place.y({row})]; }})()"""
    )


def check_circuit(page, path):
    page.open(path)  # hillis-steele: rows are the input and three strides
    painted = "document.querySelector('#circuit .over').childElementCount > 0"
    page.evaluate("scrollTo(0, 0)")
    page.move_mouse(*node_at(page, 3, 5))
    expect("pointing at x[5]", text(page, "#made-of"), "x[5] = 16 after 7 of 8: made of in[0\u20135] by 5 operations, 3 deep.")
    expect("what x[5] is made of is painted", page.evaluate(painted), True)
    page.move_mouse(2, 2)
    expect("pointing at nothing", page.evaluate(painted), False)
    page.click(*node_at(page, 2, 6))
    expect("a click on a node goes to its step", position(page), 5)
    page.move_mouse(2, 2)
    expect("a clicked node stays", text(page, "#made-of"), "x[6] = 11 after 5 of 8: made of in[3\u20136] by 3 operations, 2 deep.")
    page.press("ArrowLeft", shift=True)
    expect("shift and left", text(page, "#made-of"), "x[5] = 12 after 5 of 8: made of in[2\u20135] by 3 operations, 2 deep.")
    expect("the step stays", position(page), 5)
    page.press("Escape")
    expect("Escape", page.evaluate(painted), False)
    x, y = node_at(page, 1, 0)
    page.click(x - 40, y)
    expect("a click on a row goes to its step", position(page), 3)
    x, y = page.center('ol.array[aria-label="x"] li:nth-child(4)')
    page.move_mouse(x, y)
    expect("pointing at x[3] now", text(page, "#made-of"), "x[3] = 7 after 3 of 8: made of in[2\u20133] by 1 operation, 1 deep.")


def check_words(page, path):
    """The step, the source and the counters of hillis-steele with stride 2."""
    page.open(path)
    for _ in range(5):
        page.press("ArrowRight")
    expect("the step", text(page, "#now"),
           "hillis_steele, step 2, stride 2: threads 2\u20137, 6 operations, 6 reads, 6 writes; then a barrier.")  # fmt: skip
    expect("its line", text(page, ".lines .inside").strip(), "if (s <= t && t < n) x[t] = op(left[t], x[t]);")
    for row, values in {"operations": [6, 13, 17], "steps": [1, 2, 3], "barriers": [1, 5, 8]}.items():
        cells = [text(page, f"#count-{row} td:nth-of-type({k})") for k in (1, 2, 3)]
        expect(row, cells, [str(value) for value in values])
    expect("the formula", text(page, "#count-operations .formula"), "n log2 n - (n - 1)= 17")
    expect("lanes", page.evaluate("[...document.querySelectorAll('.lanes .lane')].map(e => e.textContent).join('')"),
           "\u00b7\u00b7AAAAAA" + 24 * "\u00b7")  # fmt: skip
    expect("the warp", text(page, ".warps .state"), "divergent")


def check_large(page, path):
    """Blelloch's scan of 1024: the conflicts that the course counts. At stride 64 the first request reads the left operands."""
    page.open(path)
    for _ in range(8):
        page.press("ArrowRight")
    expect("banks", page.evaluate("[...document.querySelectorAll('.banks li.conflict')].map(e => e.textContent)"),
           ["".join(str(64 * k - 1) for k in range(1, 16, 2)) + "8\u00d731"])  # fmt: skip
    expect("wavefronts", text(page, "#count-wavefronts .all"), "1,337")
    expect("wavefronts without conflicts", text(page, "#count-ideal .all"), "252")
    expect("warps", text(page, "#warps .summary"), "1 warp of 16 works, 1 divergent; 8 active lanes.")


def check_counts(page, path):
    """The page works out warps and requests from what threads do: the model machine must agree in every step."""
    page.open(path)
    differences = page.evaluate(
        """(() => { const run = readRun(JSON.parse(document.getElementById("run").textContent), {});
        const sum = (list, value) => list.reduce((total, each) => total + value(each), 0), different = [];
        run.phases.forEach((phase, number) => {
          const counts = countsOf(run, phase);
          const own = [sum(counts.requests, r => r.wavefronts), sum(counts.requests, r => r.ideal), counts.requests.length,
            Math.max(0, ...counts.requests.map(r => r.degree)), counts.warps.filter(w => w.active > 0).length,
            counts.warps.filter(w => w.divergent).length, sum(counts.warps, w => w.active)];
          const machine = [phase.shared.wavefronts, phase.shared.ideal, phase.shared.requests, phase.shared.worst_degree,
            phase.warps.steps, phase.warps.divergent, phase.warps.active_lanes];
          if (phase.launch >= 0 && own.join() !== machine.join()) different.push([number + 1, own, machine]);
        });
        return different; })()"""
    )
    expect(f"{path.stem}: steps whose counts differ", differences, [])
    in_all = page.evaluate("['operations', 'steps', 'barriers'].map(id => document.querySelector(`#count-${id} .all`).textContent)")
    counts = page.evaluate("(c => [c.operations, c.steps, c.barriers].map(n => n.toLocaleString('en')))"
                           "(JSON.parse(document.getElementById('run').textContent).counts)")  # fmt: skip
    expect(f"{path.stem}: in all", in_all, counts)


def check_many_acts(page, path):
    """One thread per output of 600 elements: of 180,000 operations those of the first warps are drawn, and all are counted."""
    page.open(path)
    page.press("ArrowRight")
    page.press("ArrowRight")
    expect("many acts: the step", text(page, "#now"),
           "one_thread_per_output, step 1: 600 threads, 179,700 operations, 180,300 reads; then a barrier. "
           "Drawn are threads 0\u2013191 of 608; counts and arrays are of all.")  # fmt: skip
    expect("many acts: the warps", text(page, "#warps .summary").split(". ")[1], "Of 608 threads the first 192 are here.")
    page.press("End")
    expect("many acts: the last result", array(page, "out")[0][-1], 1875)


def check_finding(page, path):
    """A finding leads to its step and its line."""
    finding = {"fault": "race", "kernel": "hillis_steele", "launch": 0, "block": 0, "step": 4, "thread": 3, "other_thread": 1,
               "other_block": 0, "array": "x", "index": 1, "file": "hillis_steele.hpp", "line": 0, "times": 1,
               "text": "x[1] <b>&amp;"}  # fmt: skip
    whole = path.read_text()
    source = next(line for line in whole.splitlines() if '"findings":[]' in line)
    lines = [event["line"] for event in json.loads(source.split(">", 1)[1].split("</script")[0])["phases"][4]["events"]]
    finding["line"] = lines[0]
    changed = path.with_name("finding.html")
    changed.write_text(whole.replace('"findings":[]', f'"findings":[{json.dumps(finding)}]'.replace("<", "\\u003c")))
    page.open(changed)
    expect("the finding", text(page, ".findings li"), "\u26a0 race x[1] <b>&amp; Go there")
    page.click_on(".findings button")
    expect("its step", position(page), 5)
    expect("its line", page.evaluate("[...document.querySelectorAll('.lines li')].findIndex(e => e.matches('.call')) + 1"), lines[0])


def check_blocks(page, path, names):
    """The frames around what each block does in a launch, launch by launch; each stands around the nodes of its block."""
    page.open(path)
    shown = page.evaluate("[...document.querySelectorAll('#circuit .blocks text')].map(each => each.textContent)")
    expect(f"{path.name}: the blocks", shown, names)
    outside = page.evaluate(
        """(() => {
        const flow = dataFlow(readRun(JSON.parse(document.getElementById("run").textContent), []));
        const place = new CircuitPlaces(flow, document.getElementById("circuit").clientWidth, false);
        const frames = [...document.querySelectorAll("#circuit .blocks rect")].map(each => each.getBBox());
        return flow.blocks.flatMap(({ block, rows }, k) => flow.nodes.filter(node => node.block === block && node.row >= rows[0] &&
          node.row <= rows[1]).filter(node => place.x(node.column) < frames[k].x || place.x(node.column) > frames[k].x + frames[k].width ||
          place.y(node.row) < frames[k].y || place.y(node.row) > frames[k].y + frames[k].height)).length; })()"""
    )
    expect(f"{path.name}: nodes outside of the frame of their block", outside, 0)


def check_refusal(folder):
    """A run that is too large to be played leaves no page."""
    path = folder / "large.html"
    run = subprocess.run([tally, "explain", "scan-scan-add", "--n", "2049", "--html", path], capture_output=True, text=True)
    expect("a page of 2049 elements", (run.returncode == 0, path.exists()), (False, False))
    expect("what is said of it", "--html: too much happens to be played" in run.stderr, True)


def main():
    with tempfile.TemporaryDirectory(prefix="tally-player-") as name, browser.Browser() as page:
        folder = pathlib.Path(name)
        steele, tree = write_page(folder, "hillis-steele"), write_page(folder, "blelloch")
        check_refusal(folder)
        page.prefer("light")
        check_playing(page, steele, hillis_steele)
        check_playing(page, tree, blelloch)
        check_play(page, tree, blelloch)
        check_circuit(page, steele)
        check_words(page, steele)
        check_large(page, write_page(folder, "blelloch", "--n", "1024"))
        for kernel, n in (("blelloch-padded", 1000), ("hillis-steele", 1000), ("interleaved-reduction", 1000), ("warp-shuffle-scan", 1000),
                          ("scan-scan-add", 600), ("single-pass-look-back", 600), ("host-finished-reduction", 600)):  # fmt: skip
            check_counts(page, write_page(folder, kernel, "--n", str(n)))
        four, three = [f"block {k}" for k in range(4)], [f"block {k}" for k in range(3)]
        check_blocks(page, write_page(folder, "two-launch-reduction", "--n", "16"), four + ["block 0"])
        check_blocks(page, write_page(folder, "scan-scan-add", "--n", "16"), four + ["block 0"] + three)
        check_blocks(page, write_page(folder, "private-histogram", "--n", "16"), ["block 0", "block 1", "block 0"])
        check_blocks(page, steele, [])
        check_many_acts(page, write_page(folder, "one-thread-per-output", "--n", "600"))
        check_finding(page, steele)
        player_looks.check_access(page, steele)
        player_looks.check_phone(page, tree, write_page(folder, "blelloch", "--n", "16"), write_page(folder, "blelloch", "--n", "32"))
        for path in (steele, tree):
            for scheme in ("light", "dark"):
                player_looks.check_looks(page, path, scheme)
            if pictures:
                pictures.mkdir(parents=True, exist_ok=True)
                player_looks.take_pictures(page, path, pictures)
        expect("what the pages ask for", [url for url in page.asked if not url.startswith("file://")], [])
        expect("what the browser complains of", page.complained, [])
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)


main()
