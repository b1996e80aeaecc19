#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>

#include <hwy/cache_control.h>

#include "src/cpu/recurrence/plain_loop.hpp"
#include "tally/detail/cpu/recurrence_tiles.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/cpu/single_pass.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/order.hpp"

/// One recurrence by the compiled kernels, tile after tile.
namespace tally::cpu_backend {

namespace {

using detail::recurrence::steps_in_turn;

/// One coefficient, as often as a kernel reads it for all rows.
template <class T>
struct repeated_coefficient {
  explicit repeated_coefficient(T value) { std::fill(std::begin(of), std::end(of), value); }
  alignas(line_bytes) T of[order::recurrence::row<T>];
};

/// Copies `size` elements that do not overlap their places. Those from an end go in vectors.
template <class T>
void copy_at_distances(T const* __restrict from, std::ptrdiff_t from_step, T* __restrict to, std::ptrdiff_t to_step,
                       std::size_t size)
{
  if (from_step * to_step == -1) {
    std::size_t const last = size - (size != 0);
    kernels_of_recurrences<T>().reverse(from_step == 1 ? from : from - last, from_step == 1 ? to - last : to, size);
    return;
  }
  for (std::size_t i = 0; i < size; ++i)
    to[static_cast<std::ptrdiff_t>(i) * to_step] = from[static_cast<std::ptrdiff_t>(i) * from_step];
}

/// Writes products of `size` elements. Those from an end go in vectors.
template <class T>
void multiply_at_distances(T const* values, T const* factors, std::ptrdiff_t factors_step, T* to,
                           std::ptrdiff_t to_step, std::size_t size)
{
  if (factors_step == -1 && to_step == -1) {
    std::size_t const last = size - (size != 0);
    kernels_of_recurrences<T>().multiply(values, true, factors - last, to - last, size);
    return;
  }
  for (std::size_t i = 0; i < size; ++i) at(to, i, to_step) = values[i] * at(factors, i, factors_step);
}

/// Whether the kernels can take its elements and results where they lie.
template <class T>
bool lies_in_order(recurrence_in_memory<T> const& given)
{
  return given.b_step == 1 && given.out_step == 1 && (given.a_step == 1 || given.a_step == 0) && !given.follows &&
         given.products == nullptr;
}

/// A recurrence as tiles (single_pass.hpp).
template <class T>
class recurrence_engine {
  using map = affine<working_type<T>>;

public:
  using carry = order::carry<affine<T>, steps_in_turn>;
  static constexpr bool concurrent = true;
  static constexpr std::size_t tile = order::recurrence::tile<T>;

  /// `looks`: no results are written.
  recurrence_engine(recurrence_in_memory<T> const& given, bool looks)
      : given_(given),
        kernels_(kernels_of_recurrences<T>()),
        same_(given.a_step == 0 ? *given.a : T()),
        direct_(lies_in_order(given)),
        looks_(looks),
        to_(given.around && !replaces() && direct_ ? stores::streaming : stores::cached),
        ahead_(to_ == stores::streaming || given.size * sizeof(T) >= tuning_in_use().serial_bytes)
  {
  }

  bool replaces() const { return given_.out == given_.a || given_.out == given_.b; }
  std::size_t tiles() const { return (given_.size - 1) / tile + 1; }
  bool in_place() const { return !looks_ && replaces(); }
  /// The first result that is not finite; `size` or more if all are.
  std::size_t first_bad() const { return bad_.load(std::memory_order_relaxed); }

  map total(std::size_t k) const
  {
    if (length(k) < tile) return {};  // the last one, which nothing follows
    if (direct_) return kernels_.total(a_at(k), a_row(), given_.b + k * tile);
    copies own;
    gather(k, own);
    return kernels_.total(own.a, row, own.b);
  }

  void scan(std::size_t k, carry& before) const
  {
    if (first_bad() < k * tile) return;
    before.push(run(k, before, nullptr), op_);
  }

  map scan(std::size_t k, carry const& before, std::size_t next) const
  {
    bool const along = direct_ && length(k) == tile && length(next) == tile && first_bad() >= k * tile;
    if (!along) {
      carry own = before;
      scan(k, own);
      return total(next);
    }
    map totalled{};
    std::size_t const bad = first_bad();
    run(k, before, &totalled, next);
    return first_bad() == bad || first_bad() >= (k + 1) * tile ? totalled : total(next);
  }

  void finish() const
  {
    if (to_ == stores::streaming) hwy::FlushStream();
  }

private:
  static constexpr std::size_t row = order::recurrence::row<T>;

  /// A tile of elements at other distances, and its results.
  struct copies {
    alignas(line_bytes) T a[tile];
    alignas(line_bytes) T b[tile];
    alignas(line_bytes) T out[tile];
  };

  std::size_t length(std::size_t k) const { return std::min(tile, given_.size - k * tile); }
  std::size_t a_row() const { return given_.a_step == 0 ? 0 : row; }
  T const* a_at(std::size_t k) const { return given_.a_step == 0 ? same_.of : given_.a + k * tile; }

  /// Runs tile k and returns its total. With `totalled`, totals the tile `next` along with it.
  map run(std::size_t k, carry const& before, map* totalled, std::size_t next = 0) const
  {
    recurrence_job<T> job{};
    job.size = length(k);
    job.carry = before.next(op_)->offset;
    if (!direct_) return run_copies(k, job);
    job.a = a_at(k);
    job.a_row = a_row();
    job.b = given_.b + k * tile;
    job.out = looks_ ? nullptr : given_.out + k * tile;
    job.to = to_;
    job.ahead = ahead_ || totalled != nullptr;
    if (totalled != nullptr) {
      job.next_a = a_at(next);
      job.next_b = given_.b + next * tile;
    }
    recurrence_totals<T> const totals = kernels_.tile(job);
    if (totals.finite < job.size) found_bad(k * tile + totals.finite);
    if (totalled != nullptr) *totalled = totals.next;
    return totals.last;
  }

  map run_copies(std::size_t k, recurrence_job<T> job) const
  {
    copies own;
    gather(k, own);
    job.a = own.a;
    job.a_row = row;
    job.b = own.b;
    job.out = looks_ ? nullptr : own.out;
    recurrence_totals<T> const totals = kernels_.tile(job);
    if (!looks_) {
      T* const out = given_.out + static_cast<std::ptrdiff_t>(k * tile) * given_.out_step;
      copy_at_distances(own.out, 1, out, given_.out_step, totals.finite);
      if (given_.products != nullptr) multiply(k, own.out, totals.finite);
    }
    if (totals.finite < job.size) found_bad(k * tile + totals.finite);
    return totals.last;
  }

  void gather(std::size_t k, copies& to) const
  {
    auto const first = static_cast<std::ptrdiff_t>(k * tile);
    std::size_t const size = length(k), ones = given_.follows && k == 0 ? 1 : 0, before = given_.follows ? 1 : 0;
    if (ones == 1) to.a[0] = T(1.0f);
    T const* const a =
        given_.a + (first + static_cast<std::ptrdiff_t>(ones) - static_cast<std::ptrdiff_t>(before)) * given_.a_step;
    copy_at_distances(a, given_.a_step, to.a + ones, 1, size - ones);
    copy_at_distances(given_.b + first * given_.b_step, given_.b_step, to.b, 1, size);
  }
  /// Writes the products of the first `size` results of tile k.
  void multiply(std::size_t k, T const* states, std::size_t size) const
  {
    recurrence_products<T> const& to = *given_.products;
    auto const first = static_cast<std::ptrdiff_t>(k * tile);
    bool const last = size != 0 && k * tile + size == given_.size;
    multiply_at_distances(states, to.factors + first * to.factors_step, to.factors_step, to.out + first * to.out_step,
                          to.out_step, size - (last ? 1 : 0));
    if (last) at(to.out, given_.size - 1, to.out_step) = states[size - 1] * to.last;
  }

  void found_bad(std::size_t k) const
  {
    std::size_t now = bad_.load(std::memory_order_relaxed);
    while (k < now && !bad_.compare_exchange_weak(now, k, std::memory_order_relaxed)) {}
  }

  recurrence_in_memory<T> const& given_;
  recurrence_kernels<T> const& kernels_;
  repeated_coefficient<T> same_;
  bool direct_;
  bool looks_;
  stores to_;
  bool ahead_;  // whether elements are fetched ahead
  mutable steps_in_turn op_;
  mutable std::atomic<std::size_t> bad_ = std::numeric_limits<std::size_t>::max();
};

/// The groups of a recurrence of few steps, at most. Two groups of half take 80 to 105 ns, and a row by the kernel 80.
template <class T>
constexpr std::size_t most_few_groups = sizeof(T) == 2 ? 2 : 3;

/// One of few steps, at any distances, one step after the other. The tree of up to three groups is a fold.
template <class T>
T recur_few_steps(recurrence_in_memory<T> const& given)
{
  constexpr std::size_t group = order::recurrence::group<T>;
  using W = working_type<T>;
  steps_in_turn const op;
  W const before = static_cast<W>(given.before);
  W state = before;
  affine<W> own{}, groups{};
  for (std::size_t k = 0; k < given.size; ++k) {
    affine<W> const step{static_cast<W>(given.coefficient(k)), static_cast<W>(at(given.b, k, given.b_step))};
    if (k % group != 0) {
      own = op(own, step);
    } else {
      if (k != 0) {
        groups = k == group ? own : op(groups, own);
        state = groups(before);
      }
      own = step;
    }
    state = step(state);
    T const stored = static_cast<T>(state);
    if (!detail::recurrence::is_finite(stored)) return go_on(given, k);
    given.put(k, stored);
  }
  return static_cast<T>(state);
}

/// A short one, or one of a tile, whose elements lie one after the other.
template <class T>
T recur_in_one_tile(recurrence_in_memory<T> const& given)
{
  constexpr std::size_t row = order::recurrence::row<T>;
  recurrence_job<T> job{given.a, row, given.b, given.out, given.size, static_cast<working_type<T>>(given.before)};
  if (given.around && given.out != given.a && given.out != given.b) job.to = stores::streaming;
  std::size_t finite;
  if (given.a_step == 0) {
    repeated_coefficient<T> const same(*given.a);
    job.a = same.of;
    job.a_row = 0;
    finite = kernels_of_recurrences<T>().tile(job).finite;
  } else {
    finite = kernels_of_recurrences<T>().tile(job).finite;
  }
  if (job.to == stores::streaming) hwy::FlushStream();
  return finite == given.size ? given.out[given.size - 1] : go_on(given, finite);
}

}  // namespace

template <class T>
T recur_by_kernels(recurrence_in_memory<T> const& given)
{
  using engine = recurrence_engine<T>;
  bool const forward = lies_in_order(given);
  if (given.size <= std::min(tuning_in_use().few_recurrence_groups, most_few_groups<T>) * order::recurrence::group<T>) {
    detail::took("recurrence: a few steps");
    return recur_few_steps(given);
  }
  if (forward && given.size <= engine::tile) {
    detail::took("recurrence: one tile");
    return recur_in_one_tile(given);
  }
  detail::took(forward ? "recurrence: tiles in memory" : "recurrence: tiles copied");
  steps_in_turn op;
  auto const before = [&] {
    return typename engine::carry(detail::recurrence::beginning_with(static_cast<working_type<T>>(given.before)));
  };
  engine const run(given, false);
  int const members = team_size(given.threads, given.size * 3 * sizeof(T), run.tiles());
  std::size_t tiles = run.tiles(), bad = std::numeric_limits<std::size_t>::max();
  if (members > 1 && run.in_place()) {
    // A result must not replace an element that the plain loop still needs. So the results are looked at first.
    detail::took("cpu: a recurrence looked through first", "in place on several threads");
    engine const look(given, true);
    auto carry = before();
    scan_tiles(look, tiles, carry, op, members);
    bad = look.first_bad();
    tiles = std::min(tiles, bad / engine::tile + 1);
  }
  auto carry = before();
  scan_tiles(run, tiles, carry, op, members);
  bad = run.first_bad();
  return bad < given.size ? go_on(given, bad) : at(given.out, given.size - 1, given.out_step);
}

template <class T>
affine<working_type<T>> total_of_recurrence_tile(recurrence_in_memory<T> const& part)
{
  return recurrence_engine<T>(part, true).total(0);
}

template <class T>
std::size_t scan_recurrence_tiles(recurrence_in_memory<T> const& part,
                                  order::carry<affine<T>, steps_in_turn> const& before)
{
  recurrence_engine<T> const run(part, false);
  steps_in_turn op;
  auto carry = before;
  scan_tiles(run, run.tiles(), carry, op, team_size(part.threads, part.size * 3 * sizeof(T), run.tiles()));
  return run.first_bad();
}

#ifndef TALLY_HEADER_ONLY  // which instantiates what the program uses
template float recur_by_kernels(recurrence_in_memory<float> const&);
template double recur_by_kernels(recurrence_in_memory<double> const&);
template half recur_by_kernels(recurrence_in_memory<half> const&);
template bfloat16 recur_by_kernels(recurrence_in_memory<bfloat16> const&);
template affine<float> total_of_recurrence_tile(recurrence_in_memory<float> const&);
template affine<double> total_of_recurrence_tile(recurrence_in_memory<double> const&);
template std::size_t scan_recurrence_tiles(recurrence_in_memory<float> const&,
                                           order::carry<affine<float>, steps_in_turn> const&);
template std::size_t scan_recurrence_tiles(recurrence_in_memory<double> const&,
                                           order::carry<affine<double>, steps_in_turn> const&);
#endif

}  // namespace tally::cpu_backend
