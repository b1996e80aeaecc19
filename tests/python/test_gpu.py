"""Arrays on a GPU: results in bits against those of the CPU, and what is refused."""

import numpy as np
import pytest

from gpu_arrays import SHAPES, drawn, rng, same_bits, torch
import tally

TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8, torch.bool]


@pytest.mark.parametrize("dtype", TYPES)
def test_bits_are_the_cpus(dtype):
    for shape, axis in SHAPES:
        x = drawn(shape, dtype)
        for each in [x, x.flip(0), x.t() if x.dim() == 2 else x]:
            on, at = each.cuda(), axis
            same_bits(tally.cumsum(on, axis=at), tally.cumsum(each, axis=at))
            same_bits(tally.sum(on, axis=at), tally.sum(each, axis=at))
            same_bits(tally.max(on, axis=at, keepdims=True), tally.max(each, axis=at, keepdims=True))
            if dtype is not torch.bool:
                same_bits(tally.cummin(on, axis=at), tally.cummin(each, axis=at))
                same_bits(tally.scan(on, axis=at, exclusive=True), tally.scan(each, axis=at, exclusive=True))
                same_bits(tally.scan(on, axis=at, reverse=True), tally.scan(each, axis=at, reverse=True))
                same_bits(tally.scan(on, axis=at, include_initial=True), tally.scan(each, axis=at, include_initial=True))
        same_bits(tally.sum(x.cuda()), torch.as_tensor(tally.sum(x)))
        if x.dim() == 3:
            same_bits(tally.sum(x.cuda(), axis=(0, 2)), tally.sum(x, axis=(0, 2)))


def test_options():
    x = drawn((6, 500), torch.float32)
    begin = drawn((6,), torch.float32)
    on = x.cuda()
    for initial, theirs in [(2.5, 2.5), (begin.cuda(), begin.numpy())]:
        ours, last = tally.scan(on, initial=initial, return_last=True)
        expected, expected_last = tally.scan(x.numpy(), initial=theirs, return_last=True)
        same_bits(ours, torch.from_numpy(expected))
        same_bits(last, torch.from_numpy(expected_last))
        same_bits(tally.sum(on, axis=1, initial=initial), torch.from_numpy(tally.sum(x.numpy(), axis=1, initial=theirs)))
    out = torch.full((6, 500), 7.0, device="cuda")
    assert tally.cumsum(on, axis=0, out=out) is out
    same_bits(out, tally.cumsum(x, axis=0))
    same = on.clone()
    tally.cumsum(same, axis=1, out=same)
    same_bits(same, tally.cumsum(x, axis=1))
    wide = torch.empty(6, 500, device="cuda", dtype=torch.float64)
    tally.cumsum(on, axis=1, out=wide)
    same_bits(wide, tally.cumsum(x.double(), axis=1))
    for out in [torch.full((6,), 7.0, device="cuda"), torch.full((12,), 7.0, device="cuda")[::2], on.clone()[:, 3]]:
        assert tally.sum(on, axis=1, out=out) is out
        same_bits(out, tally.sum(x, axis=1))
    base = torch.zeros(501, device="cuda")
    base[:500] = on[0]
    tally.cumsum(base[:500], out=base[1:])  # an output that overlaps the input
    same_bits(base[1:], tally.cumsum(x[0]))
    assert tally.sum(torch.empty(0, device="cuda")).item() == 0
    assert tally.cumsum(torch.empty(3, 0, device="cuda"), axis=1).shape == (3, 0)
    assert tally.prod(torch.empty(0, 2, device="cuda"), axis=0).tolist() == [1, 1]


def test_recurrences():
    for shape, axis in [((1000,), 0), ((40, 300), 1), ((300, 40), 0)]:
        for dtype in [torch.float32, torch.float64]:
            a, b = drawn(shape, dtype).clamp(-0.9, 0.9), drawn(shape, dtype)
            for reverse in [False, True]:
                same_bits(
                    tally.linear_recurrence(a.cuda(), b.cuda(), axis, reverse=reverse), tally.linear_recurrence(a, b, axis, reverse=reverse)
                )
            same_bits(tally.linear_recurrence(0.5, b.cuda(), axis, initial=2.0), tally.linear_recurrence(0.5, b, axis, initial=2.0))


def test_means():
    for dtype in [torch.float32, torch.float64, torch.float16, torch.int32]:
        x = drawn((300, 70), dtype)
        for axis in [0, 1]:
            for call in [tally.mean, tally.var, tally.std]:
                same_bits(call(x.cuda(), axis=axis), call(x, axis=axis))
            for call in [tally.argmin, tally.argmax]:
                same_bits(call(x.cuda(), axis=axis), call(x, axis=axis))
        same_bits(tally.mean(x.cuda()), torch.as_tensor(tally.mean(x)))
        assert tally.any(x.cuda()).item() is True and tally.all(x.cuda() * 0).item() is False


def test_segments():
    for count, n in [(1, 10), (7, 5), (1000, 30_000), (40_000, 200_000), (3, 1_000_000), (200_000, 1_000_000)]:
        ends = np.sort(rng.integers(0, n + 1, count + 1))
        offsets = torch.from_numpy(ends)
        for dtype in [torch.float32, torch.float64, torch.int64, torch.float16, torch.uint8]:
            x = drawn((n,), dtype)
            on = x.cuda()
            same_bits(tally.segment_sum(on, offsets.cuda()), tally.segment_sum(x, offsets))
            same_bits(tally.segment_scan(on, offsets.cuda()), tally.segment_scan(x, offsets))
        x, begin = drawn((n,), torch.float32), drawn((count,), torch.float32)
        on = x.cuda()
        for initial, theirs in [(1.5, 1.5), (begin.cuda(), begin.numpy())]:
            same_bits(tally.segment_reduce(on, offsets.int(), initial=initial), tally.segment_reduce(x, offsets, initial=theirs))
            for exclusive in [False, True]:
                ours = tally.segment_scan(on, ends, initial=initial, exclusive=exclusive)
                same_bits(ours, tally.segment_scan(x, offsets, initial=theirs, exclusive=exclusive))
        ours = tally.segment_scan(on.long(), ends, exclusive=True)
        same_bits(ours, tally.segment_scan(x.long(), offsets, exclusive=True))
    spread = drawn((600,), torch.float32)
    same_bits(tally.segment_sum(spread.cuda()[::2], [0, 7, 7, 300]), tally.segment_sum(spread[::2], [0, 7, 7, 300]))
    same_bits(tally.segment_sum(torch.empty(0, device="cuda"), [0, 0, 0]), torch.zeros(2))
    assert tally.segment_sum(torch.empty(0, device="cuda"), [0]).shape == (0,)
    same_bits(tally.segment_scan(spread.cuda(), [3]), spread)


def hostile(shape, dtype):
    """Elements with zeros of both signs, infinities, NaNs, and many equal ones."""
    x = drawn(shape, dtype)
    if dtype.is_floating_point:
        flat, n = x.view(-1), x.numel()
        for value in [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1.5]:
            flat[torch.from_numpy(rng.integers(0, n, n // 20 + 1))] = value
    return x


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool])
def test_operators_of_segments(dtype):
    for count, n in [(1, 10), (7, 5), (1000, 30_000), (40_000, 200_000), (3, 1_000_000)]:
        offsets = torch.from_numpy(np.sort(rng.integers(0, n + 1, count + 1)))
        x = drawn((n,), dtype) * 2 if dtype.is_floating_point else drawn((n,), dtype)
        on, there = x.cuda(), offsets.cuda()
        for op in ["times", "minimum", "maximum"] + ["bit_and", "bit_or", "bit_xor"] * (not dtype.is_floating_point):
            same_bits(tally.segment_reduce(on, there, op), tally.segment_reduce(x, offsets, op))
            for exclusive in [False, True]:
                ours = tally.segment_scan(on, there, op, exclusive=exclusive)
                same_bits(ours, tally.segment_scan(x, offsets, op, exclusive=exclusive))
        same_bits(tally.segment_scan(on, there, exclusive=True), tally.segment_scan(x, offsets, exclusive=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_sums_of_exponentials(dtype):
    for shape, axis in SHAPES:
        x = drawn(shape, dtype) * 20
        x.view(-1)[::7] = -float("inf")
        for each in [x, x.t() if x.dim() == 2 else x]:
            on = each.cuda()
            same_bits(tally.logcumsumexp(on, axis=axis), tally.logcumsumexp(each, axis=axis))
            same_bits(tally.logsumexp(on, axis=axis, keepdims=True), tally.logsumexp(each, axis=axis, keepdims=True))
            ours = tally.scan(on, "logaddexp", axis=axis, exclusive=True, initial=1.5, return_last=True)
            for mine, expected in zip(ours, tally.scan(each, "logaddexp", axis=axis, exclusive=True, initial=1.5, return_last=True)):
                same_bits(mine, torch.as_tensor(expected))
        same_bits(tally.logsumexp(x.cuda()), torch.as_tensor(tally.logsumexp(x)))
    x = drawn((30_000,), dtype)
    offsets = torch.from_numpy(np.sort(rng.integers(0, 30_001, 500)))
    same_bits(tally.segment_reduce(x.cuda(), offsets.cuda(), "logaddexp"), tally.segment_reduce(x, offsets, "logaddexp"))


SORTED = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int16, torch.uint8, torch.bool]


@pytest.mark.parametrize("dtype", SORTED)
def test_sorts_and_distinct_elements(dtype):
    for shape, axis in SHAPES + [((5, 40_000), 1), ((40_000, 5), 0), ((100_000, 3), 1)]:
        x = hostile(shape, dtype)
        for each in [x, x.flip(0), x.t() if x.dim() == 2 else x]:
            on = each.cuda()
            for descending in [False, True]:
                same_bits(tally.sort(on, axis, descending=descending), tally.sort(each, axis, descending=descending))
                same_bits(tally.argsort(on, axis, descending=descending), tally.argsort(each, axis, descending=descending))
        for equal_nan in [True, False]:
            options = {"return_index": True, "return_inverse": True, "return_counts": True, "equal_nan": equal_nan}
            if dtype is torch.bfloat16:  # NumPy compares no such elements
                assert tally.unique(x.cuda(), equal_nan=equal_nan).numel() <= x.numel()
                continue
            for ours, expected in zip(tally.unique(x.cuda(), **options), tally.unique(x, **options)):
                same_bits(ours, expected)
        mask = torch.from_numpy(rng.random(shape) < 0.4)
        for flags in [mask, mask.cuda(), mask.to(torch.int32).cuda()]:
            same_bits(tally.compact(x.cuda(), flags), x[mask])
        same_bits(tally.compact(x.cuda(), mask & False), x[mask & False])
    same_bits(tally.sort(x[:0].cuda(), 0), x[:0])


@pytest.mark.parametrize("dtype", SORTED)
def test_runs_of_keys(dtype):
    for n in [1, 33, 5000, 300_000]:
        shuffled = hostile((n,), dtype)
        ordered = tally.sort(shuffled)
        for keys in [shuffled, ordered]:
            for values in [drawn((n,), torch.float32), drawn((n,), torch.int32)]:
                on, there = keys.cuda(), values.cuda()
                for op in ["plus", "minimum"]:
                    for exclusive in [False, True]:
                        ours = tally.scan_by_key(on, there, op, exclusive=exclusive)
                        same_bits(ours, tally.scan_by_key(keys, values, op, exclusive=exclusive))
                    for sort in [False, True]:
                        ours = tally.reduce_by_key(on, there, op, sort=sort, initial=2)
                        for mine, expected in zip(ours, tally.reduce_by_key(keys, values, op, sort=sort, initial=2)):
                            same_bits(mine, expected)
    ours = tally.sum_by_key(keys[:0].cuda(), values[:0].cuda())
    assert ours[0].numel() == ours[1].numel() == 0 and ours[0].dtype == dtype


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8])
def test_histograms(dtype):
    x = drawn((300, 1000), dtype)
    edges = [np.array([0.0, 0.25, 1.0, 1.0, 4.0]), np.array([0, 1, 3], tally._arrays.dtype_of(dtype))]
    for each in [x, x.t()]:
        for bins, options in [(10, {}), (3000, {}), (100_000, {}), (7, {"range": (0, 2)}), (10, {"density": True}), *((e, {}) for e in edges)]:
            try:
                theirs = tally.histogram(each, bins, **options)
            except ValueError:  # NumPy refuses more bins than a narrow type has numbers
                with pytest.raises(ValueError):
                    tally.histogram(each.cuda(), bins, **options)
                continue
            for ours, expected in zip(tally.histogram(each.cuda(), bins, **options), theirs):
                same_bits(ours, expected)


def test_errors_and_what_runs_on_the_cpu_alone():
    on = torch.ones(4, device="cuda")
    for call in [
        lambda: tally.reduce(on, lambda x, y: x),
        lambda: tally.sum(on, where=[True] * 4),
        lambda: tally.histogram(on, weights=on),
        lambda: tally.histogram(on, bins="auto"),
        lambda: tally.unique(on, axis=0),
        lambda: tally.scan(on, "logaddexp", reverse=True),
    ]:
        with pytest.raises(NotImplementedError):
            call()
    for call in [
        lambda: tally.fsum(on),
        lambda: tally.sum_by_key(on, np.ones(4)),
        lambda: tally.sum_by_key(on, on.to(torch.complex64)),
        lambda: tally.compact(on, on),
        lambda: tally.segment_sum(on, [0.0, 4.0]),
        lambda: tally.sum(on.to(torch.complex64)),
        lambda: tally.cumsum(on, out=torch.empty(4)),
        lambda: tally.sum(on, axis=0, out=np.empty(())),
        lambda: tally.linear_recurrence(0.5, on.to(torch.int32)),
    ]:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="shape"):
        tally.cumsum(on, out=torch.empty(5, device="cuda"))
    with pytest.raises(ValueError, match="initial has shape"):
        tally.scan(on, initial=torch.ones(3, device="cuda"))
    with pytest.raises(ValueError, match="no identity"):
        tally.max(on[:0])
    for offsets in [[0, 5], [2, 1], [-1, 2]]:
        with pytest.raises(ValueError, match="offset"):
            tally.segment_sum(on, offsets)
    with pytest.raises(ValueError, match="broadcast"):
        tally.linear_recurrence(torch.ones(3, device="cuda"), on)
    with pytest.raises(RuntimeError, match="detach"):
        tally.max(on.clone().requires_grad_())
    axis_error = getattr(np, "exceptions", np).AxisError
    for call in [tally.cumsum, tally.sum, tally.max]:
        with pytest.raises(axis_error, match="axis 1"):
            call(on, axis=1)


def test_numbers_with_the_bits_of_the_golden_files():
    """The order's results of long rows, against files that the C++ library pins down (tests/order/golden)."""
    from test_golden import FOLDER, elements, shown

    for name, op in [("plus_f32", "plus"), ("plus_f64", "plus"), ("multiplies_f32", "times"), ("multiplies_f64", "times")]:
        operator, _, type_name = name.rpartition("_")
        rows = [line.split() for line in (FOLDER / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]
        rows = [row for row in rows if row[0].isdigit() and int(row[0]) > 0]
        x = torch.from_numpy(elements(operator, type_name, np.arange(max(int(row[0]) for row in rows)))).cuda()
        begin = elements(operator, type_name, [2**32])[0]
        for row in rows:
            part = x[: int(row[0])]
            assert shown(tally.reduce(part, op).cpu().numpy()) == row[2], (name, row[0])
            assert shown(tally.scan(part, op)[-1].cpu().numpy()) == row[2], (name, row[0])
            assert shown(tally.reduce(part, op, initial=begin).cpu().numpy()) == row[4], (name, row[0])
