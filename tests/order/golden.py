#!/usr/bin/env python3
"""Checks the golden files of f32 and f64 against docs/order.md a second time, in another language and without sharing a
line of code.

usage: golden.py FOLDER [LARGEST_N]

Python's floats are doubles. A float sum, product or half of two floats that is computed in double and then rounded to
float is rounded once in effect (53 >= 2 * 24 + 2), so `struct` is all that is needed for 32 bits.
"""

import pathlib
import re
import struct
import sys

MASK = 2**64 - 1
FORMAT = {"f32": ("<f", "<I", 4, 23, 127), "f64": ("<d", "<Q", 8, 52, 1023)}
OPERATOR = {"plus": lambda a, b: a + b, "multiplies": lambda a, b: a * b, "halve_and_add": lambda a, b: a * 0.5 + b}


def splitmix64(k):
    z = (20260101 + (k + 1) * 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def inclusive(x, operator, to_element, to_carry, group, init):
    def add(a, b, rounded=to_element):
        if a is None:
            return b
        return a if b is None else rounded(operator(a, b))

    result, spans, tiles = [], init, None
    tile_size = group * 32 * 8 * 8
    for number, first in enumerate(range(0, len(x), tile_size)):
        before = add(spans, tiles, to_carry)
        carry = None if before is None else to_element(before)
        strips_before = None
        for strip in range(first, min(first + tile_size, len(x)), tile_size // 8):
            rows_before = None
            for row in range(strip, min(strip + tile_size // 8, len(x)), group * 32):
                prefix, totals = [], []
                for begin in range(row, row + group * 32, group):
                    running, own = None, []
                    for element in x[begin:begin + group]:
                        running = add(running, element)
                        own.append(running)
                    prefix.append(own)
                    totals.append(running)
                for stride in (1, 2, 4, 8, 16):
                    totals = [add(totals[g - stride], totals[g]) if g >= stride else totals[g] for g in range(32)]
                base = add(strips_before, rows_before)
                for g, own in enumerate(prefix):
                    from_left = add(base, totals[g - 1]) if g else base
                    local = [add(from_left, value) for value in own]
                    result.extend(add(carry, value) for value in local)
                    total = local[-1] if local else total
                rows_before = add(rows_before, totals[-1])
            strips_before = add(strips_before, rows_before)
        tiles = add(tiles, total, to_carry)
        if number % 32 == 31:
            spans, tiles = add(spans, tiles, to_carry), None
    return result


def fold(maps, composed):
    all_of_them = maps[0]
    for later in maps[1:]:
        all_of_them = composed(all_of_them, later)
    return all_of_them


def recurrence(steps, to_element, group, before):
    """The states of y[k] = a[k] y[k-1] + b[k], of maps (a, b)."""

    def composed(earlier, later, rounded=to_element):
        return rounded(later[0] * earlier[0]), applied(later, earlier[1], rounded)

    def applied(step, y, rounded=to_element):
        return rounded(rounded(step[0] * y) + step[1])

    row = 16 * group

    def total(first, count):
        """Of a whole row, or of half of one, and so on down to a group."""
        if count == group:
            return fold(steps[first:first + group], composed)
        return composed(total(first, count // 2), total(first + count // 2, count // 2))

    def strip_total(first):
        return fold([total(r, row) for r in range(first, first + 8 * row, row)], composed)

    states = []

    def descend(first, count, y):
        if first >= len(steps):
            return
        if count == group:
            for step in steps[first:first + group]:
                y = applied(step, y)
                states.append(y)
        else:
            middle = first + count // 2
            descend(first, count // 2, y)
            if middle < len(steps):
                descend(middle, count // 2, applied(total(first, count // 2), y))

    spans, tiles = before, None
    for number, first in enumerate(range(0, len(steps), 64 * row)):
        carry = to_element(spans if tiles is None else applied(tiles, spans, float))
        strips = None
        for strip in range(first, min(first + 64 * row, len(steps)), 8 * row):
            y = carry if strips is None else applied(strips, carry)
            for r in range(strip, min(strip + 8 * row, len(steps)), row):
                descend(r, row, y)
                if r + row < len(steps):
                    y = applied(total(r, row), y)
            if strip + 8 * row < len(steps):
                strips = strip_total(strip) if strips is None else composed(strips, strip_total(strip))
        if first + 64 * row < len(steps):
            tiles = strips if tiles is None else composed(tiles, strips, float)
            if number % 32 == 31:
                spans, tiles = applied(tiles, spans, float), None
    return states


def check(path, largest):
    operator_name, type_name = re.fullmatch(r"(\w+)_(f\d\d)", path.stem).groups()
    value_code, bits_code, size, fraction, bias = FORMAT[type_name]

    def from_bits(bits):
        return struct.unpack(value_code, struct.pack(bits_code, bits))[0]

    def to_bits(value):
        return struct.unpack(bits_code, struct.pack(value_code, value))[0]

    def to_element(value):
        return struct.unpack(value_code, struct.pack(value_code, value))[0]

    def element(k, operator_name=operator_name):
        r = splitmix64(k)
        if operator_name == "multiplies":
            one, width = bias << fraction, fraction - 10
            return from_bits(one + (r >> 64 - width) if r & 1 else one - (r >> 63 - width))
        return from_bits((r & 1) << size * 8 - 1 | bias - 20 + (r >> 8) % 41 << fraction | r >> 64 - fraction)

    def digest(values):
        h = 0xCBF29CE484222325
        for byte in b"".join(struct.pack(value_code, value) for value in values):
            h = (h ^ byte) * 0x100000001B3 & MASK
        return f"{h:016x}"

    def shown(values):
        return f"{to_bits(values[-1]):0{2 * size}x}" if values else "-"

    group, init = 16 // size, element(2**32)
    checked = 0
    for line in path.read_text().splitlines():
        if not re.match(r"\d+ [0-9a-f]{16} ", line) or int(line.split()[0]) > largest:
            continue
        n = int(line.split()[0])
        if operator_name == "recurrence":
            steps = [(element(k, "multiplies"), element(k)) for k in range(n)]
            states = recurrence(steps, to_element, group, init)
            expected = f"{n} {digest(states)} {shown(states)}"
        else:
            # Sums of float have carries in double, everything else in its own type.
            to_carry = float if operator_name == "plus" else to_element
            x, operator = [element(k) for k in range(n)], OPERATOR[operator_name]
            plain = inclusive(x, operator, to_element, to_carry, group, None)
            started = inclusive(x, operator, to_element, to_carry, group, init)
            exclusive = ([init] + started)[:n]
            expected = f"{n} {digest(plain)} {shown(plain)} {digest(exclusive)} {shown(started or [init])}"
        if line != expected:
            sys.exit(f"{path}: found    {line}\n{path}: expected {expected}")
        checked += 1
    if not checked:
        sys.exit(f"{path}: no rows")
    print(f"{path.name}: {checked} rows")


if __name__ == "__main__":
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*_f[36]*.txt")):
        check(file, int(sys.argv[2]) if len(sys.argv) > 2 else sys.maxsize)
