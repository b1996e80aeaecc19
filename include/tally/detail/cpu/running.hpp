#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/cpu/held.hpp"
#include "tally/detail/cpu/tile_cursor.hpp"
#include "tally/detail/path.hpp"

namespace tally::cpu_backend {

/// The state of tally::running between calls: the carry of the whole tiles so far, and the tile that has begun.
template <class T, class Op>
class running_sequence {
public:
  using carry = held_carry<T, Op>;
  using working = typename carry::working;

  running_sequence(Op op, std::optional<cpu> on) : op_(std::move(op)), on_(on) {}

  Op const& op() const { return op_; }

  /// Requires  that there were no elements yet.
  void begin_with(T const& init) { before_ = carry(static_cast<working>(init)); }

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

  void scan(T const* in, T* out, std::size_t n, direction shift)
  {
    in_pieces(
        in, n,
        [=, this](T const* tiles, std::size_t count, std::size_t at) {
          std::identity same;
          cpu_backend::scan<T>(on_, tiles, tiles + count, out + at, same, op_, before_, shift);
        },
        [=](std::size_t at, working const& now, std::optional<working> const& previous) {
          out[at] = value_of<T>(shift == direction::inclusive ? now : *previous);
        });
  }

  std::optional<T> value() const
  {
    std::optional<working> const all = tile_ ? result(*tile_->local()) : before_.last();
    return all ? std::optional<T>(std::in_place, value_of<T>(*all)) : std::nullopt;
  }

private:
  using cursor = tile_cursor<held<T>, held_operator<Op, T>>;

  /// Calls `by_tiles(in, count, at)` for whole tiles. For each element of a tile that comes in parts it calls
  /// `by_element(at, inclusive result, the result before it)`.
  template <class Tiles, class Element>
  void in_pieces(T const* in, std::size_t n, Tiles by_tiles, Element by_element)
  {
    auto&& op = hold_operator<T>(op_);
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
    auto&& op = hold_operator<T>(op_);
    return carry_ ? static_cast<working>(op(*carry_, local)) : local;
  }

  carry before_;                     // the tiles before this one
  std::optional<cursor> tile_;       // the tile that has begun
  std::optional<working> carry_;     // its carry
  std::optional<working> previous_;  // the inclusive result before the next element
  mutable Op op_;
  std::optional<cpu> on_;
};

/// An exact sum needs no tiles.
template <class T>
class running_sequence<T, exact_plus> {
public:
  running_sequence(exact_plus op, std::optional<cpu> on) : op_(op), on_(on) {}

  exact_plus const& op() const { return op_; }

  void begin_with(T const& init) { all_ = order::carry<T, exact_plus>(static_cast<working_type<T>>(init)); }

  void reduce(T const* in, std::size_t n)
  {
    std::identity same;
    cpu_backend::reduce<T>(on_, in, in + n, same, op_, all_);
  }
  void scan(T const* in, T* out, std::size_t n, direction shift)
  {
    std::identity same;
    cpu_backend::scan<T>(on_, in, in + n, out, same, op_, all_, shift);
  }

  std::optional<T> value() const
  {
    auto const last = all_.last();
    return last ? std::optional<T>(static_cast<T>(*last)) : std::nullopt;
  }

private:
  order::carry<T, exact_plus> all_;
  exact_plus op_;
  std::optional<cpu> on_;
};

}  // namespace tally::cpu_backend
