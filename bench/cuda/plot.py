"""plot.py TABLE.json OUT.svg: GB/s over the number of elements, from what tally_bench_cuda --json has written."""
import json
import math
import sys

PANELS = ("inclusive scan f32", "inclusive scan f64", "reduce f32")
CONTENDERS = (("limit", "the limit"), ("CUB", "CUB"), ("Tally", "Tally"))
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 300, 260, 60, 40, 50, 30
STYLE = """
  text { font: 12px sans-serif; fill: #333 } .axis { stroke: #999 } .grid { stroke: #ddd }
  polyline { fill: none; stroke-width: 2 } .limit { stroke: #999; stroke-dasharray: 5 4 } .CUB { stroke: #c2691c } .Tally { stroke: #1c6fc2 }
  .key.limit { fill: #777 } .key.CUB { fill: #c2691c } .key.Tally { fill: #1c6fc2 } .key { stroke: none }
  @media (prefers-color-scheme: dark) { text { fill: #ccc } .grid { stroke: #444 } .CUB { stroke: #f0a35e } .Tally { stroke: #6bb0f5 }
    .key.CUB { fill: #f0a35e } .key.Tally { fill: #6bb0f5 } .key.limit { fill: #aaa } }
"""


def speeds(records, what):
    """{contender: {n: GB/s}}; the limit is the quickest of cudaMemcpy and the kernels that read. Graphs where there are any."""
    found = {"limit": {}, "CUB": {}, "Tally": {}}
    manners = {}
    for record in records:
        if record["what"] != what or record["manner"] == "cold" or record["bytes"] == 0:
            continue
        manners.setdefault(record["n"], set()).add(record["manner"])
    for record in records:
        n, name = record["n"], record["contender"]
        if record["what"] != what or n not in manners or record["manner"] != min(manners[n]):
            continue
        key = name if name in found else "limit" if name == "cudaMemcpy" or name.startswith("read") else None
        if key:
            speed = record["bytes"] / record["microseconds"] * 1e-3
            found[key][n] = max(speed, found[key].get(n, 0))
    return found


def panel(records, what, offset):
    found = speeds(records, what)
    if not found["Tally"]:
        sys.exit(f"plot.py: no measurements of '{what}' in {sys.argv[1]}")
    powers = [math.log2(n) for n in found["Tally"]]
    low, high = min(powers), max(powers)
    top = math.ceil(max(max(line.values(), default=0) for line in found.values()) / 1000) * 1000
    x = lambda n: offset + LEFT + (math.log2(n) - low) / (high - low) * WIDTH
    y = lambda speed: TOP + HEIGHT - speed / top * HEIGHT
    out = [f'<text x="{offset + LEFT}" y="{TOP - 14}">{what}, GB/s</text>']
    for speed in range(0, top + 1, 1000):
        out.append(f'<line class="grid" x1="{offset + LEFT}" x2="{offset + LEFT + WIDTH}" y1="{y(speed):.1f}" y2="{y(speed):.1f}"/>'
                   f'<text x="{offset + LEFT - 6}" y="{y(speed) + 4:.1f}" text-anchor="end">{speed}</text>')
    for power in range(int(low), int(high) + 1, 4):
        out.append(f'<text x="{x(2 ** power):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">2^{power}</text>')
    for key, _ in CONTENDERS:
        points = " ".join(f"{x(n):.1f},{y(speed):.1f}" for n, speed in sorted(found[key].items()))
        out.append(f'<polyline class="{key}" points="{points}"/>')
    return out


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        records = json.load(file)
    body = []
    for k, what in enumerate(PANELS):
        body += panel(records, what, k * (LEFT + WIDTH + GAP))
    for k, (key, label) in enumerate(CONTENDERS):
        body.append(f'<text class="key {key}" x="{LEFT + 90 * k}" y="{TOP + HEIGHT + 42}">{label}</text>')
    width = len(PANELS) * (LEFT + WIDTH + GAP)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + BOTTOM}">\n<style>{STYLE}</style>\n')
        out.write("\n".join(body) + "\n</svg>\n")


main()
