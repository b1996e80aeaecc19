#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "tally/contract.hpp"
#include "tally/cpu/backend.hpp"
#include "tally/cpu/held.hpp"
#include "tally/cpu/tile_cursor.hpp"
#include "tally/detail/path.hpp"

namespace tally {

/// A reduction or scan of a sequence that arrives in pieces: a file that is larger than memory, a stream.
///
/// Requires  T can be copied; `op` is associative (up to rounding).
/// Result    the bits of the whole sequence in one call, however it is cut into pieces. The reduction and the scans may
///           be mixed: each piece is reduced or scanned on top of all before it.
/// Cost      whole tiles (order::tile<T> elements: 32 KiB of float) are as quick as `reduce` and `inclusive_scan` of
///           them; what is left of a tile goes one element at a time, in as many applications of `op` as a scan has,
///           some 3 ns for a float. Best: pieces that are a multiple of order::tile<T>.
/// Memory    some 50 values of T, which are part of the object if T has 1 KiB at most, and else on the heap. A call
///           needs what `reduce` and `inclusive_scan` need.
/// Blocks    each call until its piece is done.
/// Threads   as for `reduce`: without `on`, all for Tally's own operators, the calling thread for others.
/// Throws    as `reduce` and `inclusive_scan`; afterwards the object must not be used but to be destroyed.
template <class T, class Op = plus>
class running {
public:
  explicit running(Op op = {}, std::optional<cpu> on = {}) : op_(std::move(op)), on_(on) {}
  running(T init, Op op, std::optional<cpu> on = {}) : before_(static_cast<working>(init)), op_(std::move(op)), on_(on)
  {
  }

  /// Takes n more elements.
  void reduce(T const* in, std::size_t n)
  {
    in_pieces(
        in, n,
        [this](T const* tiles, std::size_t count, std::size_t) {
          std::identity same;
          cpu_backend::reduce<T>(on_, tiles, tiles + count, same, op_, before_);
        },
        [](std::size_t, working const&, std::optional<working> const&) {});
  }

  /// Takes n more elements and writes n results. `out` may be `in`.
  void inclusive_scan(T const* in, T* out, std::size_t n) { scan(in, out, n, cpu_backend::direction::inclusive); }
  /// Requires  an initial value, or an operator with an identity: then the first result is what `reduce` of nothing is.
  void exclusive_scan(T const* in, T* out, std::size_t n)
  {
    bool const from_nothing = n > 0 && !value();
    if (from_nothing) {
      if constexpr (has_identity<Op, T>)
        before_ = carry(static_cast<working>(identity_of<T>(op_)));
      else
        throw usage_error(
            "tally::running: an exclusive scan under an operator without an identity needs an initial value");
    }
    scan(in, out, n, cpu_backend::direction::exclusive);
    if constexpr (has_identity<Op, T>)
      if (from_nothing) out[0] = reduction_of_nothing<T>(op_);
  }

  /// The reduction of all so far; nothing if there were neither elements nor an initial value.
  std::optional<T> value() const
  {
    std::optional<working> const all = tile_ ? result(*tile_->local()) : before_.last();
    return all ? std::optional<T>(std::in_place, cpu_backend::value_of<T>(*all)) : std::nullopt;
  }

private:
  using carry = cpu_backend::held_carry<T, Op>;
  using working = typename carry::working;
  using cursor = cpu_backend::tile_cursor<cpu_backend::held<T>, cpu_backend::held_operator<Op, T>>;

  void scan(T const* in, T* out, std::size_t n, cpu_backend::direction shift)
  {
    in_pieces(
        in, n,
        [=, this](T const* tiles, std::size_t count, std::size_t at) {
          std::identity same;
          cpu_backend::scan<T>(on_, tiles, tiles + count, out + at, same, op_, before_, shift);
        },
        [=](std::size_t at, working const& now, std::optional<working> const& previous) {
          out[at] = cpu_backend::value_of<T>(shift == cpu_backend::direction::inclusive ? now : *previous);
        });
  }

  /// Whole tiles by `by_tiles(in, count, at)`; elements of a tile that comes in parts by `by_element(at, inclusive
  /// result, the one before)`.
  template <class Tiles, class Element>
  void in_pieces(T const* in, std::size_t n, Tiles by_tiles, Element by_element)
  {
    auto&& op = cpu_backend::hold_operator<T>(op_);
    for (std::size_t at = 0; at < n;) {
      std::size_t const whole = tile_ ? 0 : (n - at) / order::tile<T> * order::tile<T>;
      if (whole > 0) {
        detail::took("running: whole tiles");
        by_tiles(in + at, whole, at);
        at += whole;
        continue;
      }
      if (!tile_) {
        detail::took("running: a tile in parts");
        tile_.emplace();
        carry_ = before_.next(op);
        previous_ = before_.last();
      }
      for (; at < n && tile_->size() < order::tile<T>; ++at) {
        working const now = *result(tile_->push(static_cast<working>(in[at]), op));
        by_element(at, now, previous_);
        previous_ = now;
      }
      if (tile_->size() == order::tile<T>) {
        before_.push(*tile_->local(), op);
        tile_.reset();
      }
    }
  }

  std::optional<working> result(working const& local) const
  {
    auto&& op = cpu_backend::hold_operator<T>(op_);
    return carry_ ? static_cast<working>(op(*carry_, local)) : local;
  }

  carry before_;                     // the tiles before this one
  std::optional<cursor> tile_;       // the tile that has begun
  std::optional<working> carry_;     // its carry
  std::optional<working> previous_;  // the inclusive result before the next element
  mutable Op op_;
  std::optional<cpu> on_;
};

}  // namespace tally
