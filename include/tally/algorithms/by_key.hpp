#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/segments/segments.hpp"

/// Reductions and scans of segments that are runs of equal keys.
namespace tally {

/// For each run of equal keys writes the key to `keys_out` and `values[begin] + ... + values[end-1]` to `values_out`,
/// where `a + b` is `op(a, b)`.
///
///     reduce_by_key([on,] keys, keys_last, values, keys_out, values_out [, op [, same]])
///
/// A key begins a run if `same` of the one before it and itself is false. Equal keys that are not adjacent are
/// different segments (sort the keys before).
///
/// Requires  random-access iterators; as many values as keys; room for as many results as there are runs. The outputs
///           overlap nothing. `op` as for `reduce`. The accumulator is the values' type, or the one that is named:
///           tally::reduce_by_key<double>(...).
/// Result    the number of runs. Each value has the bits of `tally::reduce` of its run alone, wherever the run lies, on
///           every machine and for every number of threads: the brackets of docs/order.md begin at the run's head.
/// Cost      one pass; all threads share each long run (of more than 2^18), one after another. On a GPU one pass if
///           `op` is exactly associative; otherwise one pass over the keys and one over the values, whatever the
///           lengths of runs; the first key of each run is read once more.
/// Memory    4 bytes for each 4096 keys, for reductions a bit a key too; on a GPU, if `op` is not exactly associative,
///           a bit a key, 8 bytes for each 1024 keys and, if runs are not short, 4 bytes a run (8 from 2^32 keys on).
/// Blocks    until all is written; on a GPU until the number of runs is known, and results follow in the stream's order.
/// Throws    what `op`, `same` and the iterators throw, and then outputs are partly written; usage_error;
///           std::bad_alloc; cuda_error.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.5: one pass over all segments.
template <class Acc = void, execution P, detail::iterator Keys, detail::end_of<Keys> S, detail::iterator Values,
          detail::iterator KeysOut, detail::iterator Out, class Op = plus, class Same = detail::selection::equal_values>
std::size_t reduce_by_key(P const& on, Keys keys, S keys_last, Values values, KeysOut keys_out, Out values_out,
                          Op op = {}, Same same = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<Values>>;
  detail::segments::check_call<Acc, value, Values, Op, Keys, KeysOut, Out>();
  detail::selection::check_equality<Same, std::iter_reference_t<Keys>>();
  return detail::segments::reduce<value>(
      on, static_cast<std::size_t>(keys_last - keys), sizeof(std::iter_value_t<Keys>) + sizeof(value),
      detail::selection::by_change<Keys, Same>{keys, std::move(same)}, values, values_out,
      detail::segments::keep_key<Keys, KeysOut>{keys, keys_out}, detail::canonical_operator<value>(std::move(op)));
}

TALLY_WITHOUT_EXECUTION(reduce_by_key,
                        "([on,] keys, keys_last, values, keys_out, values_out [, op [, same]]), where `on` is an "
                        "execution such as tally::cpu{}, and all but op and same are iterators",
                        Acc);

/// Within each run of equal keys writes the running results of its values: `out[k] = values[begin] + ... + values[k]`.
///
///     inclusive_scan_by_key([on,] keys, keys_last, values, out [, op [, same]])
///     exclusive_scan_by_key([on,] keys, keys_last, values, out, init [, op [, same]])
///
/// The exclusive scan of a run begins with `init`: `out[begin] = init`, `out[k] = init + values[begin] + ... +
/// values[k-1]`.
///
/// Requires  as `reduce_by_key`; `out` has room for as many results as there are keys, and may be `values` (in place).
/// Result    the end of what was written. Each run has the bits of a scan of it alone.
/// Blocks    as `reduce_by_key`; on a GPU it returns at once if `op` is exactly associative.
template <class Acc = void, execution P, detail::iterator Keys, detail::end_of<Keys> S, detail::iterator Values,
          detail::iterator Out, class Op = plus, class Same = detail::selection::equal_values>
Out inclusive_scan_by_key(P const& on, Keys keys, S keys_last, Values values, Out out, Op op = {}, Same same = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<Values>>;
  detail::segments::check_call<Acc, value, Values, Op, Keys, Out>();
  detail::selection::check_equality<Same, std::iter_reference_t<Keys>>();
  auto const n = static_cast<std::size_t>(keys_last - keys);
  detail::segments::scan<detail::direction::inclusive, value>(
      on, n, detail::selection::by_change<Keys, Same>{keys, std::move(same)}, values, out, std::nullopt,
      detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}

TALLY_WITHOUT_EXECUTION(inclusive_scan_by_key,
                        "([on,] keys, keys_last, values, out [, op [, same]]), where `on` is an execution such as "
                        "tally::cpu{}, and keys, values and out are iterators",
                        Acc);

template <class Acc = void, execution P, detail::iterator Keys, detail::end_of<Keys> S, detail::iterator Values,
          detail::iterator Out, class T, class Op = plus, class Same = detail::selection::equal_values>
Out exclusive_scan_by_key(P const& on, Keys keys, S keys_last, Values values, Out out, T init, Op op = {},
                          Same same = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::segments::check_call<Acc, value, Values, Op, Keys, Out>();
  detail::selection::check_equality<Same, std::iter_reference_t<Keys>>();
  auto const n = static_cast<std::size_t>(keys_last - keys);
  detail::segments::scan<detail::direction::exclusive, value>(
      on, n, detail::selection::by_change<Keys, Same>{keys, std::move(same)}, values, out,
      detail::initial<value>(std::move(init)), detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}

TALLY_WITHOUT_EXECUTION(exclusive_scan_by_key,
                        "([on,] keys, keys_last, values, out, init [, op [, same]]), where `on` is an execution such "
                        "as tally::cpu{}, and keys, values and out are iterators",
                        Acc);

}  // namespace tally
