"""Tally's calls for PyTorch, with gradients: operators that autograd and torch.compile know.

    >>> import tally.torch  # doctest: +SKIP
    >>> weights = tally.torch.cumsum(logits, dim=-1)  # doctest: +SKIP

Each function takes tensors on a CPU or on a GPU, of floats with gradients of any order, and of integers without. `tally.cumsum`
and the other functions of these names go here with a tensor that requires gradients. Where PyTorch has
`torch.library.custom_op` (2.4 and later), the calls are operators `torch.ops.tally.*` with fake tensors, so that
`torch.compile` keeps them in its graphs.
"""

import torch

from . import _arrays, _calls, _segments
from ._recurrences import linear_recurrence as _states

_has_custom_ops = hasattr(getattr(torch, "library", None), "custom_op")


def _plain(x):
    return x.detach()


def _sum_dtype(x):
    return None if x.is_floating_point() or x.is_complex() else torch.int64


def _scan(x, op, dim, reverse):
    return _calls.scan(_plain(x), op, dim, _sum_dtype(x), None, None, reverse, False, False, False, None)


def _like(x):
    return torch.empty(x.shape, dtype=_sum_dtype(x) or x.dtype, device=x.device)


def _operator(forward, fake, keep, gradients):
    """A function with gradients: `keep(ctx, inputs, output)` saves what `gradients(ctx, gradient)` needs."""
    if _has_custom_ops:
        made = torch.library.custom_op(f"tally::{forward.__name__.strip('_')}", forward, mutates_args=())
        made.register_fake(fake)
        made.register_autograd(gradients, setup_context=keep)
        return made

    class function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            output = forward(*inputs)
            keep(ctx, inputs, output)
            return output

        @staticmethod
        def backward(ctx, gradient):
            return gradients(ctx, gradient)

    return function.apply


# y[k] = x[0] + ... + x[k]; x[j] is in y[j] and all later ones.


def _cumsum(x: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
    return _scan(x, "plus", dim, reverse)


def _keep_direction(ctx, inputs, output):
    _, ctx.dim, ctx.reverse = inputs


def _cumsum_gradients(ctx, gradient):
    return _cumsum_operator(gradient, ctx.dim, not ctx.reverse), None, None


_cumsum_operator = _operator(_cumsum, lambda x, dim, reverse: _like(x), _keep_direction, _cumsum_gradients)


# y[k] = a[k] y[k-1] + b[k]. The gradients of all y[k] together come by the same recurrence from the other end:
# l[k] = g[k] + a[k+1] l[k+1]; then b[k] has l[k], a[k] has l[k] y[k-1], and the state before the first step a[0] l[0].


def _recurrence(a: torch.Tensor, b: torch.Tensor, initial: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
    return _states(_plain(a), _plain(b), dim, initial=_plain(initial), reverse=reverse, dtype=b.dtype)


def _keep_recurrence(ctx, inputs, output):
    a, _, initial, ctx.dim, ctx.reverse = inputs
    ctx.save_for_backward(a, initial, output)


def _shifted(x, first, dim, back):
    """x, a place later along `dim`, with `first` (without that axis) in front; or a place earlier, with it behind."""
    n = x.shape[dim]
    first = first.unsqueeze(dim)
    return torch.cat([x.narrow(dim, 1, n - 1), first] if back else [first, x.narrow(dim, 0, n - 1)], dim)


def _recurrence_gradients(ctx, gradient):
    a, initial, y = ctx.saved_tensors
    if y.shape[ctx.dim] == 0:
        return torch.zeros_like(a), torch.zeros_like(y), torch.zeros_like(initial), None, None
    nothing = torch.zeros_like(initial)
    reach = _recurrence_operator(_shifted(a, nothing, ctx.dim, not ctx.reverse), gradient, nothing, ctx.dim, not ctx.reverse)
    of_a = reach * _shifted(y, initial, ctx.dim, ctx.reverse)
    first = y.shape[ctx.dim] - 1 if ctx.reverse else 0
    return of_a, reach, a.select(ctx.dim, first) * reach.select(ctx.dim, first), None, None


_recurrence_operator = _operator(
    _recurrence, lambda a, b, initial, dim, reverse: torch.empty(b.shape, dtype=b.dtype, device=b.device),
    _keep_recurrence, _recurrence_gradients,
)  # fmt: skip


# A product is the recurrence y[k] = x[k] y[k-1]: its gradients need no division, and are right where an x is 0.


def _cumprod(x: torch.Tensor, dim: int) -> torch.Tensor:
    return _scan(x, "times", dim, False)


def _keep_product(ctx, inputs, output):
    x, ctx.dim = inputs
    ctx.save_for_backward(x, output)


def _cumprod_gradients(ctx, gradient):
    x, y = ctx.saved_tensors
    if y.shape[ctx.dim] == 0:
        return torch.zeros_like(x), None
    nothing = torch.zeros_like(x.select(ctx.dim, 0))
    reach = _recurrence_operator(_shifted(x, nothing, ctx.dim, True), gradient, nothing, ctx.dim, True)
    return reach * _shifted(y, nothing + 1, ctx.dim, False), None


_cumprod_operator = _operator(_cumprod, lambda x, dim: _like(x), _keep_product, _cumprod_gradients)


# y[k] = log(exp(x[0]) + ... + exp(x[k])). x[j] has the sum over k >= j of g[k] exp(x[j] - y[k]), which is
# exp(x[j] - y[j]) z[j] with z[j] = g[j] + exp(y[j] - y[j+1]) z[j+1]: y ascends, so that no exponential overflows.


def _logcumsumexp(x: torch.Tensor, dim: int) -> torch.Tensor:
    return _scan(x, "log_sum_exp", dim, False)


def _logcumsumexp_gradients(ctx, gradient):
    x, y = ctx.saved_tensors
    if y.shape[ctx.dim] == 0:
        return torch.zeros_like(x), None
    nothing = torch.zeros_like(x.select(ctx.dim, 0))
    falling = _exponential_of_difference(y, _shifted(y, y.select(ctx.dim, -1), ctx.dim, True))
    reach = _recurrence_operator(falling, gradient, nothing, ctx.dim, True)
    return _exponential_of_difference(x, y) * reach, None


def _exponential_of_difference(x, y):
    """exp(x - y) for x <= y, 0 where x is -inf."""
    is_nothing = x == -float("inf")
    return torch.where(is_nothing, torch.zeros_like(x), (x - y.masked_fill(is_nothing, 0)).exp())


_logcumsumexp_operator = _operator(_logcumsumexp, lambda x, dim: _like(x), _keep_product, _logcumsumexp_gradients)


# Each value of a segment has the gradient of the segment's sum.


def _segment_sum(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    return _segments.segment_reduce(_plain(values), offsets, "plus", dtype=_sum_dtype(values))


def _keep_segments(ctx, inputs, output):
    values, offsets = inputs
    ctx.count = values.shape[0]
    ctx.save_for_backward(offsets)


def _segment_sum_gradients(ctx, gradient):
    (offsets,) = ctx.saved_tensors
    offsets = offsets.to(gradient.device, torch.int64)
    # Element k is in segment s - 1 if s offsets are at most k. Those before the first and behind the last have none.
    places = torch.arange(ctx.count, device=gradient.device)
    segment = torch.searchsorted(offsets, places, right=True) - 1
    inside = (segment >= 0) & (segment < gradient.shape[0])
    if gradient.shape[0] == 0:
        return gradient.new_zeros(ctx.count), None
    return gradient[segment.clamp(0, gradient.shape[0] - 1)] * inside.to(gradient.dtype), None


_segment_sum_operator = _operator(
    _segment_sum,
    lambda values, offsets: torch.empty(
        offsets.shape[0] - 1, dtype=_sum_dtype(values) or values.dtype, device=values.device
    ),
    _keep_segments,
    _segment_sum_gradients,
)


def _dim(x, dim):
    return _arrays.axis_in(dim, x.dim())


def cumsum(x, dim=-1, *, reverse=False):
    """Return the running sums along `dim`; from its end with `reverse`."""
    return _cumsum_operator(x, _dim(x, dim), reverse)


def cumprod(x, dim=-1):
    """Return the running products along `dim`. Gradients are right where elements are 0, too."""
    return _cumprod_operator(x, _dim(x, dim))


def logcumsumexp(x, dim=-1):
    """Return log(cumsum(exp(x))) along `dim`, without overflow."""
    return _logcumsumexp_operator(x, _dim(x, dim))


def linear_recurrence(a, b, dim=-1, *, initial=None, reverse=False):
    """Return the states of ``y[k] = a[k] * y[k - 1] + b[k]`` along `dim`, from `initial`, or from 0.

    `a` is a number or a tensor that broadcasts to the shape of `b`; `initial` one that broadcasts to it without `dim`. With
    `reverse` ``y[k]`` is of ``y[k + 1]``.
    """
    dim = _dim(b, dim)
    a = torch.as_tensor(a, dtype=b.dtype, device=b.device).expand(b.shape)
    others = b.shape[:dim] + b.shape[dim + 1 :]
    initial = torch.as_tensor(0 if initial is None else initial, dtype=b.dtype, device=b.device).expand(others)
    return _recurrence_operator(a, b, initial, dim, reverse)


def segment_sum(values, offsets):
    """Return the sum of each segment ``values[offsets[s]:offsets[s + 1]]`` of a tensor of one axis."""
    return _segment_sum_operator(values, torch.as_tensor(offsets))
