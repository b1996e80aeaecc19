#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/cpu/batch_parts.hpp"
#include "tally/detail/cpu/sequences.hpp"
#include "tally/detail/cpu/tuning.hpp"

/// One call on many sequences, as all ways to do it see it.
namespace tally::cpu_backend {

using detail::batch::dimension;
using detail::batch::distances;

/// The sequences of a layout, one after the other.
class cursor {
public:
  cursor(layout const& where, std::size_t sequence) : where_(&where), at_(where.place(sequence))
  {
    for (int d = where.dimensions; d-- > 0;) {
      index_[d] = sequence % where.across[static_cast<std::size_t>(d)].extent;
      sequence /= where.across[static_cast<std::size_t>(d)].extent;
    }
  }
  distances const& at() const { return at_; }
  void next()
  {
    for (int d = where_->dimensions; d-- > 0;) {
      dimension const& axis = where_->across[static_cast<std::size_t>(d)];
      bool const wraps = ++index_[d] == axis.extent;
      auto const back = wraps ? static_cast<std::ptrdiff_t>(axis.extent) : 0;
      at_.move(axis.step, 1 - back);
      if (!wraps) return;
      index_[d] = 0;
    }
  }

private:
  layout const* where_;
  distances at_;
  std::size_t index_[detail::batch::most_dimensions] = {};
};

/// The arguments of a call and what follows from them.
template <class T, class Op>
struct sequences_call {
  using carry = order::carry<T, Op>;

  sequences_call(tile_kernels<T> const& its_kernels, layout const& its_layout, T const* elements, T* results,
                 ends<T> const& its_ends, Op its_op, direction its_shift, int at_most)
      : kernels(its_kernels),
        where(its_layout),
        in(elements),
        out(results),
        given(its_ends),
        op(its_op),
        shift(its_shift),
        threads(at_most),
        size(where.along.extent),
        sequences(where.sequences()),
        bytes(size * sequences * sizeof(T)),
        around(out != nullptr && in != out && bytes >= tuning_in_use().streamed_bytes)
  {
  }

  T const* in_at(distances const& at) const { return in + at.in; }
  T* out_at(distances const& at) const { return out == nullptr ? nullptr : out + at.out; }
  T initial_or_identity(distances const& at) const
  {
    return given.initials != nullptr ? given.initials[at.initial] : given.initial.value_or(op.identity);
  }
  /// The carry before the first element.
  carry begin(distances const& at) const
  {
    auto const value = given.initials != nullptr ? std::optional<T>(given.initials[at.initial]) : given.initial;
    return value ? carry(*value) : carry();
  }
  void put_last(distances const& at, T value) const
  {
    if (given.lasts != nullptr) given.lasts[at.last] = value;
  }
  /// Units that a member draws at a time: some 64 KiB, but at least eight draws a member.
  static std::size_t units_at_a_draw(std::size_t units, std::size_t unit_bytes, int members)
  {
    std::size_t const draws = 8 * static_cast<std::size_t>(members);
    return std::max<std::size_t>(1, std::min(units / draws, (std::size_t{64} << 10) / unit_bytes));
  }

  tile_kernels<T> const& kernels;
  layout const& where;
  T const* in;
  T* out;  // null for reductions, whose results are the last values
  ends<T> const& given;
  mutable Op op;  // two pointers: applying it changes nothing
  direction shift;
  int threads;
  std::size_t size;  // of each sequence
  std::size_t sequences;
  std::size_t bytes;  // of all elements
  bool around;        // whether the results are written around the cache
};

}  // namespace tally::cpu_backend
