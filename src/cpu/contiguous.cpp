#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hwy/cache_control.h>

#include "src/cpu/instantiations.hpp"
#include "src/cpu/quickest_way.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/single_pass.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"

namespace tally::cpu_backend {

namespace {

/// Tiles of contiguous memory, by the compiled kernels.
template <class T, class Op>
class contiguous_engine {
public:
  static constexpr bool concurrent = true;
  static constexpr std::size_t tile = order::tile<T>;
  using carry = order::carry<T, Op>;

  contiguous_engine(tile_kernels<T> const& kernels, Op op, T const* in, T* out, std::size_t size, direction shift)
      : kernels_(kernels),
        op_(op),
        in_(in),
        out_(out),
        size_(size),
        shift_(shift),
        // The lines of an in-place scan are in the cache already: stores around it reached 0.80 of the copy limit,
        // stores through it 1.0.
        to_(in != out && size * sizeof(T) >= tuning_in_use().streamed_bytes ? stores::streaming : stores::cached)
  {
    if (out != nullptr)
      detail::took(in == out                  ? "cpu: stores in place"
                   : to_ == stores::streaming ? "cpu: stores around the cache"
                                              : "cpu: stores through the cache");
  }

  std::size_t tiles() const { return (size_ + tile - 1) / tile; }
  bool in_place() const { return in_ == out_; }

  T total(std::size_t k) const { return kernels_.total(in_ + k * tile, length(k)); }

  /// Of many tiles the totals are taken the quickest way here.
  template <class Take>
  void each_total(std::size_t first, std::size_t end, Take&& take) const
  {
    bool const are_many = tiles() >= tuning_in_use().many_tiles;
    while (are_many && end - first >= tiles_at_once && length(first + tiles_at_once - 1) == tile) {
      T totals[tiles_at_once];
      total_way_([&](std::size_t way) { several_totals(way, in_ + first * tile, totals); });
      for (T const total : totals) take(first++, total);
    }
    for (; first < end; ++first) take(first, total(first));
  }

  void scan(std::size_t k, carry& before) const
  {
    tile_job<T> job = job_of(k, before);
    if (job.size < tile || to_ != stores::streaming) {
      scan_one_tile(kernels_, job, before, op_);
      return;
    }
    scan_way_([&](std::size_t way) {
      detail::took(way == 0   ? "cpu: a tile fetched by pages"
                   : way == 1 ? "cpu: a tile fetched by lines"
                              : "cpu: a tile left to the hardware's fetching");
      job.ahead = way == 0 ? fetching::pages : way == 1 ? fetching::lines : fetching::none;
      scan_one_tile(kernels_, job, before, op_);
    });
  }

  T scan(std::size_t k, carry const& before, std::size_t next) const
  {
    tile_job<T> job = job_of(k, before);
    if (job.size < tile || length(next) < tile) {
      detail::took("cpu: a next tile too short to be totalled on the way");
      kernels_.scan(job);
      return total(next);
    }
    detail::took("cpu: a next tile totalled on the way");
    job.next = in_ + next * tile;
    job.ahead = fetching::lines;
    if (to_ != stores::streaming) return kernels_.scan(job).next;
    T total;
    next_way_([&](std::size_t way) {
      detail::took(way == 0 ? "cpu: a next tile by pieces" : "cpu: a next tile by rows");
      job.next_by_rows = way == 1;
      total = kernels_.scan(job).next;
    });
    return total;
  }

  void finish() const
  {
    if (to_ == stores::streaming) hwy::FlushStream();
  }

private:
  std::size_t length(std::size_t k) const { return size_ - k * tile < tile ? size_ - k * tile : tile; }

  /// The totals of `tiles_at_once` whole tiles, one of three ways.
  void several_totals(std::size_t way, T const* in, T* totals) const
  {
    if (way == 2) {
      detail::took("cpu: totals of several tiles at once");
      kernels_.totals(in, totals);
      return;
    }
    detail::took(way == 0 ? "cpu: totals fetched by pages" : "cpu: totals fetched by lines");
    for (std::size_t i = 0; i < tiles_at_once; ++i, in += tile)
      totals[i] = way == 0 ? kernels_.total(in, tile) : kernels_.total_by_lines(in);
  }

  tile_job<T> job_of(std::size_t k, carry const& before) const
  {
    tile_job<T> job = job_after(before, op_, op_.identity, in_ + k * tile, out_ + k * tile, length(k), shift_);
    job.to = to_;
    return job;
  }

  tile_kernels<T> const& kernels_;
  mutable Op op_;
  T const* in_;
  T* out_;
  std::size_t size_;
  direction shift_;
  stores to_;
  mutable quickest_way<3> total_way_{tuning_in_use().tried_tiles / tiles_at_once};
  mutable quickest_way<3> scan_way_{tuning_in_use().tried_tiles};
  mutable quickest_way<2> next_way_{tuning_in_use().tried_tiles};
};

}  // namespace

template <class T, class Op>
void reduce_by_kernels(tile_kernels<T> const& kernels, T const* in, std::size_t size, order::carry<T, Op>& before,
                       Op op, int threads)
{
  contiguous_engine<T, Op> const engine(kernels, op, in, nullptr, size, direction::inclusive);
  reduce_tiles(engine, engine.tiles(), before, op, team_size(threads, size * sizeof(T), engine.tiles()));
}

template <class T, class Op>
void scan_by_kernels(tile_kernels<T> const& kernels, T const* in, T* out, std::size_t size, order::carry<T, Op>& before,
                     Op op, direction shift, int threads)
{
  contiguous_engine<T, Op> const engine(kernels, op, in, out, size, shift);
  scan_tiles(engine, engine.tiles(), before, op, team_size(threads, size * sizeof(T), engine.tiles()));
}

#ifndef TALLY_HEADER_ONLY  // which instantiates what the program uses
#define TALLY_INSTANTIATE(T, Wide, Exact)                                                                              \
  template void reduce_by_kernels(tile_kernels<T> const&, T const*, std::size_t,                                       \
                                  order::carry<T, operator_by_pointer<T, Wide, Exact>>&,                               \
                                  operator_by_pointer<T, Wide, Exact>, int);                                           \
  template void scan_by_kernels(tile_kernels<T> const&, T const*, T*, std::size_t,                                     \
                                order::carry<T, operator_by_pointer<T, Wide, Exact>>&,                                 \
                                operator_by_pointer<T, Wide, Exact>, direction, int);
TALLY_FOR_EACH_OPERATOR_BY_POINTER(TALLY_INSTANTIATE)
#endif

}  // namespace tally::cpu_backend
