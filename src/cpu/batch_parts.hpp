#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>

#include "src/cpu/instantiations.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/memory.hpp"
#include "tally/detail/cpu/single_pass.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/order.hpp"

/// The helpers of both kinds of batch: sequences at regular places, and ragged segments.
namespace tally::cpu_backend {

/// The place `count` steps from `at`.
inline detail::batch::distances moved(detail::batch::distances at, detail::batch::distances const& step,
                                      std::size_t count)
{
  at.move(step, static_cast<std::ptrdiff_t>(count));
  return at;
}

/// The layout without the dimension `removed`.
inline detail::batch::layout without(detail::batch::layout rest, std::size_t removed)
{
  std::copy(rest.across + removed + 1, rest.across + rest.dimensions, rest.across + removed);
  --rest.dimensions;
  return rest;
}

/// Memory of one thread, at the beginning of a line.
template <class T>
class scratch {
public:
  explicit scratch(std::size_t size) : memory_(static_cast<T*>(allocate(size * sizeof(T)))) {}
  T* data() const { return memory_.get(); }

private:
  struct releases {
    void operator()(T* memory) const { release(memory); }
  };
  std::unique_ptr<T, releases> memory_;
};

/// Members draw `batch` of `units` at a time: work(first, end), which make() makes for each member, and work.finish()
/// in the end if there is such a function.
template <class Make>
void share_units(std::size_t units, std::size_t batch, int members, Make const& make)
{
  std::atomic<std::size_t> next{0};
  auto body = [&](int) {
    auto work = make();
    for (;;) {
      std::size_t const first = next.fetch_add(batch, std::memory_order_relaxed);
      if (first >= units) break;
      work(first, std::min(units, first + batch));
    }
    if constexpr (requires { work.finish(); }) work.finish();
  };
  run_team(members, body);
}

/// Tiles of one sequence at any distances, copied for the kernels.
template <class T, class Op>
class strided_engine {
public:
  static constexpr bool concurrent = true;
  static constexpr std::size_t tile = order::tile<T>;
  using carry = order::carry<T, Op>;

  strided_engine(tile_kernels<T> const& kernels, Op op, T const* in, std::ptrdiff_t in_step, T* out,
                 std::ptrdiff_t out_step, std::size_t size, direction shift)
      : kernels_(kernels),
        op_(op),
        in_(in),
        in_step_(in_step),
        out_(out),
        out_step_(out_step),
        size_(size),
        shift_(shift)
  {
  }
  std::size_t tiles() const { return (size_ + tile - 1) / tile; }
  bool in_place() const { return in_ == out_; }
  void finish() const {}

  T total(std::size_t k) const
  {
    T values[tile];
    return kernels_.total(values, gather(k, values));
  }
  void scan(std::size_t k, carry& before) const
  {
    T values[tile];
    std::size_t const size = gather(k, values);
    auto const job = job_after(before, op_, op_.identity, values, values, size, shift_);
    scan_one_tile(kernels_, job, before, op_);
    T* const out = out_ + static_cast<std::ptrdiff_t>(k * tile) * out_step_;
    for (std::size_t i = 0; i < size; ++i) out[static_cast<std::ptrdiff_t>(i) * out_step_] = values[i];
  }
  T scan(std::size_t k, carry const& before, std::size_t next) const
  {
    carry own = before;
    scan(k, own);
    return total(next);
  }

private:
  std::size_t gather(std::size_t k, T* values) const
  {
    std::size_t const size = std::min(tile, size_ - k * tile);
    T const* const in = in_ + static_cast<std::ptrdiff_t>(k * tile) * in_step_;
    for (std::size_t i = 0; i < size; ++i) values[i] = in[static_cast<std::ptrdiff_t>(i) * in_step_];
    return size;
  }

  tile_kernels<T> const& kernels_;
  mutable Op op_;
  T const* in_;
  std::ptrdiff_t in_step_;
  T* out_;
  std::ptrdiff_t out_step_;
  std::size_t size_;
  direction shift_;
};

/// Scans or reduces (`out` is null) one sequence at any distances on top of `before`.
template <class T, class Op>
void scan_strided(tile_kernels<T> const& kernels, Op op, T const* in, std::ptrdiff_t in_step, T* out,
                  std::ptrdiff_t out_step, std::size_t size, order::carry<T, Op>& before, direction shift, int threads)
{
  strided_engine<T, Op> const engine(kernels, op, in, in_step, out, out_step, size, shift);
  int const members = threads == 1 ? 1 : team_size(threads, size * sizeof(T), engine.tiles());
  if (out == nullptr)
    reduce_tiles(engine, engine.tiles(), before, op, members);
  else
    scan_tiles(engine, engine.tiles(), before, op, members);
}

/// The same of a contiguous sequence on this thread.
template <class T, class Op>
void scan_row(tile_kernels<T> const& kernels, Op op, T const* in, T* out, std::size_t size, order::carry<T, Op>& before,
              direction shift, stores to, bool ahead)
{
  constexpr std::size_t tile = order::tile<T>;
  for (std::size_t k = 0; k < size; k += tile) {
    std::size_t const count = std::min(tile, size - k);
    if (out == nullptr) {
      before.push(kernels.total(in + k, count), op);
      continue;
    }
    tile_job<T> job = job_after(before, op, op.identity, in + k, out + k, count, shift);
    job.to = to;
    if (ahead) job.ahead = fetching::lines;
    scan_one_tile(kernels, job, before, op);
  }
}

}  // namespace tally::cpu_backend
