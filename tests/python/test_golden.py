"""The bits of calls against the golden files of the C++ library, whose headers say how inputs and hashes are made."""

import pathlib

import numpy as np
import pytest

import tally

FOLDER = pathlib.Path(__file__).parent.parent / "order" / "golden"
FORMATS = {"f32": (np.float32, np.uint32, 23, 127), "f64": (np.float64, np.uint64, 52, 1023)}
LONGEST_HASH = 16384  # elements: Python hashes some megabytes a second


def random_bits(k):
    with np.errstate(over="ignore"):
        z = np.uint64(20260101) + (k + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)


def elements(operator, type_name, k):
    dtype, bits, fraction, bias = FORMATS[type_name]
    r = random_bits(np.asarray(k, np.uint64))
    top = np.dtype(dtype).itemsize * 8 - 1
    if operator == "multiplies":
        one, width = np.uint64(bias << fraction), fraction - 10
        made = np.where(r & np.uint64(1), one + (r >> np.uint64(64 - width)), one - (r >> np.uint64(63 - width)))
    else:
        exponent = np.uint64(bias - 20) + (r >> np.uint64(8)) % np.uint64(41)
        made = (r & np.uint64(1)) << np.uint64(top) | exponent << np.uint64(fraction) | r >> np.uint64(64 - fraction)
    return made.astype(bits).view(dtype)


def digest(values):
    h = 0xCBF29CE484222325
    for byte in values.tobytes():
        h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return f"{h:016x}"


def shown(value):
    return value.tobytes()[::-1].hex()


@pytest.mark.parametrize("name", ["plus_f32", "plus_f64", "multiplies_f32", "multiplies_f64", "halve_and_add_f64"])
def test_calls_have_the_bits_of_the_golden_files(name):
    operator, _, type_name = name.rpartition("_")
    largest = 1025 if operator == "halve_and_add" else 1 << 30  # Python runs that operator, a microsecond a call
    op = {"plus": "plus", "multiplies": "times"}.get(operator) or tally.operation(lambda a, b: a * 0.5 + b)
    init = elements(operator, type_name, [2**32])[0]
    rows = [line.split() for line in (FOLDER / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]
    n = checked = 0
    x = elements(operator, type_name, np.arange(max(int(row[0]) for row in rows if row[0].isdigit())))
    for row in rows:
        if row[0].isdigit():
            n = int(row[0])
        if n > largest:
            break
        part = x[:n]
        for threads in [1, 2]:
            inclusive = tally.scan(part, op, threads=threads)
            exclusive, last = tally.scan(part, op, exclusive=True, initial=init, return_last=True, threads=threads)
            if not row[0].isdigit():
                scan = inclusive if row[0] == "inclusive" else exclusive
                assert [shown(value) for value in scan] == row[1:], (name, n, row[0])
                continue
            if n > 0:
                assert shown(tally.reduce(part, op, threads=threads)) == shown(inclusive[-1]) == row[2], (name, n)
            assert shown(tally.reduce(part, op, initial=init, threads=threads)) == shown(last) == row[4], (name, n)
            if threads == 1 and n <= LONGEST_HASH:
                assert [digest(inclusive), digest(exclusive)] == [row[1], row[3]], (name, n)
        checked += 1
    assert checked >= 9
    # Sequences along an axis, of any strides, have the bits of each by itself.
    part = x[: min(16385, largest)]
    columns = np.stack([part, -part if operator == "plus" else part, part], axis=1)
    for each in [columns, np.asfortranarray(columns), np.repeat(columns, 2, axis=0)[::2]]:
        assert tally.scan(each, op, axis=0)[:, 2].tobytes() == tally.scan(part, op).tobytes()
        assert shown(tally.reduce(each, op, axis=0)[0]) == shown(tally.reduce(part, op))
    offsets = np.array([0, 5, part.size])
    sums = tally.segment_reduce(part, offsets, op=op, initial=init)
    assert [shown(each) for each in sums] == [shown(tally.reduce(each, op, initial=init)) for each in (part[:5], part[5:])]
