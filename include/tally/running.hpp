#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "tally/detail/backends.hpp"
#include "tally/error.hpp"

namespace tally {

/// A reduction or scan of a sequence that arrives in pieces: a file that is larger than memory, a stream.
///
/// Requires  T can be copied; `op` is associative (up to rounding).
/// Result    the same bits as one call on the whole sequence, however it is cut into pieces. Reductions and scans may
///           be mixed: each piece is reduced or scanned on top of everything before it.
/// Cost      whole tiles (order::tile<T> elements: 32 KiB of float) are as quick as in `reduce` and `inclusive_scan`. A
///           part of a tile goes one element at a time, in as many applications of `op` as a scan has, some 3 ns for a
///           float. Pieces are best a multiple of order::tile<T>.
/// Memory    some 50 values of T, which are part of the object if T has at most 1 KiB, and else on the heap. A call
///           needs what `reduce` and `inclusive_scan` need.
/// Blocks    each call until its piece is done.
/// Threads   as for `reduce`: without `on`, all for Tally's own operators, the calling thread for others.
/// Throws    as `reduce` and `inclusive_scan`. After an exception the object may only be destroyed.
template <class T, class Op = plus>
class running {
public:
  explicit running(Op op = {}, std::optional<cpu> on = {}) : state_(std::move(op), on) {}
  running(T init, Op op, std::optional<cpu> on = {}) : state_(std::move(op), on) { state_.begin_with(init); }

  /// Takes n more elements.
  void reduce(T const* in, std::size_t n) { state_.reduce(in, n); }

  /// Takes n more elements and writes n results. `out` may be `in`.
  void inclusive_scan(T const* in, T* out, std::size_t n) { state_.scan(in, out, n, detail::direction::inclusive); }
  /// Requires  an initial value, or an operator with an identity. Without an initial value the first result is that of
  ///           `reduce` on an empty range.
  void exclusive_scan(T const* in, T* out, std::size_t n)
  {
    bool const from_nothing = n > 0 && !value();
    if (from_nothing) {
      if constexpr (has_identity<Op, T>)
        state_.begin_with(identity_of<T>(state_.op()));
      else
        throw usage_error(
            "tally::running: an exclusive scan under an operator without an identity needs an initial value");
    }
    state_.scan(in, out, n, detail::direction::exclusive);
    if constexpr (has_identity<Op, T>)
      if (from_nothing) out[0] = reduction_of_nothing<T>(state_.op());
  }

  /// The reduction of all elements so far; absent if there were neither elements nor an initial value.
  std::optional<T> value() const { return state_.value(); }

private:
  cpu_backend::running_sequence<T, Op> state_;
};

}  // namespace tally
