"""plot_batches.py BATCHES.md ROWS.txt PEERS.txt OUT.svg: the speed of scans and reductions of rows over their length.

Tally's figures are those of the table in docs/batches.md, PyTorch's and JAX's those that batches_peers.py printed; the speed of
a plain read, of which reductions are a share, is in ROWS.txt."""
import math
import re
import statistics
import sys

CONTENDERS = (("limit", "the limit"), ("Tally", "Tally"), ("torch", "PyTorch"), ("jax", "JAX"))
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 360, 240, 50, 40, 60, 30
STYLE = """
  text { font: 12px sans-serif; fill: #333 } .grid { stroke: #ddd }
  polyline { fill: none; stroke-width: 2 } .limit { stroke: #999; stroke-dasharray: 5 4 } .torch { stroke: #c2691c } .Tally { stroke: #1c6fc2 }
  .jax { stroke: #3b8f4b } .key { stroke: none } .key.limit { fill: #777 } .key.torch { fill: #c2691c } .key.Tally { fill: #1c6fc2 } .key.jax { fill: #3b8f4b }
  @media (prefers-color-scheme: dark) { text { fill: #ccc } .grid { stroke: #444 } .torch { stroke: #f0a35e } .Tally { stroke: #6bb0f5 }
    .jax { stroke: #7fcf8d } .key.torch { fill: #f0a35e } .key.Tally { fill: #6bb0f5 } .key.jax { fill: #7fcf8d } .key.limit { fill: #aaa } }
"""


def length(text):
    base, _, power = text.partition("^")
    return int(base) ** int(power or 1)


def shares(page, rows, peers):
    """[{contender: {row length: share}}] of scans and of reductions."""
    found = [{key: {} for key, _ in CONTENDERS} for _ in range(2)]
    for line in page:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = re.fullmatch(r"(?:rows of )?(\d+(?:\^\d+)?)", cells[0])
        if name and len(cells) == 5:
            for which, column in ((0, 1), (1, 3)):
                found[which]["Tally"][length(name[1])] = float(cells[column].split()[0])
    read = statistics.median(int(speed) for line in rows for speed in re.findall(r" rd (\d+) ", line))
    for line in peers:
        name = re.match(r"\d+ rows of (\d+) ", line)
        for call, speed, share in re.findall(r"(\S+ ?cumsum|torch\.cumsum|\S+[. ]sum)\s+(\d+) \(([\d.]+)\)", line) if name else ():
            key = "torch" if call.startswith("torch") else "jax"
            found["cumsum" not in call][key][int(name[1])] = float(share) if "cumsum" in call else int(speed) / read
    for panel in found:
        panel["limit"] = {n: 1 for n in panel["Tally"]}
    return found


def drawn(found, title, offset):
    powers = [math.log2(n) for n in found["Tally"]]
    low, high = min(powers), max(powers)
    x = lambda n: offset + LEFT + (math.log2(n) - low) / (high - low) * WIDTH
    y = lambda share: TOP + HEIGHT - share / 1.1 * HEIGHT
    out = [f'<text x="{offset + LEFT}" y="{TOP - 14}">{title}</text>']
    for tenths in range(0, 11, 2):
        out.append(f'<line class="grid" x1="{offset + LEFT}" x2="{offset + LEFT + WIDTH}" y1="{y(tenths / 10):.1f}" y2="{y(tenths / 10):.1f}"/>'
                   f'<text x="{offset + LEFT - 6}" y="{y(tenths / 10) + 4:.1f}" text-anchor="end">{tenths / 10:.1f}</text>')
    for power in range(int(low), int(high) + 1, 4):
        out.append(f'<text x="{x(2 ** power):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">2^{power}</text>')
    for key, _ in CONTENDERS:
        points = " ".join(f"{x(n):.1f},{y(share):.1f}" for n, share in sorted(found[key].items()))
        out.append(f'<polyline class="{key}" points="{points}"/>')
    return out


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    page, rows, peers = (open(name, encoding="utf-8").readlines() for name in sys.argv[1:4])
    found = shares(page, rows, peers)
    if not found[0]["Tally"] or not found[0]["torch"]:
        sys.exit("plot_batches.py: no figures found")
    body = drawn(found[0], "inclusive scan of rows of 2^n floats, of a copy", 0)
    body += drawn(found[1], "reduction of rows of 2^n floats, of a plain read", LEFT + WIDTH + GAP)
    for k, (key, label) in enumerate(CONTENDERS):
        body.append(f'<text class="key {key}" x="{LEFT + 90 * k}" y="{TOP + HEIGHT + 44}">{label}</text>')
    width = 2 * (LEFT + WIDTH + GAP)
    with open(sys.argv[4], "w", encoding="utf-8") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + BOTTOM}">\n<style>{STYLE}</style>\n')
        out.write("\n".join(body) + "\n</svg>\n")


main()
