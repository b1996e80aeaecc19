#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hwy/cache_control.h>

#include "src/cpu/operator_kernels.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/single_pass.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"

namespace tally::cpu_backend {

namespace {

/// Rows by which prefetching runs ahead of reading. 8 to 32 were equal on Zen 4; 64 lost a tenth.
constexpr std::size_t rows_ahead = 8;

/// Tiles of contiguous memory, by the compiled kernels.
template <class Op, class T>
class contiguous_engine {
public:
  static constexpr bool concurrent = true;
  static constexpr std::size_t tile = order::tile<T>;
  using carry = order::carry<T, Op>;

  contiguous_engine(T const* in, T* out, std::size_t size, direction shift)
      : kernels_(kernels_of<Op, T>()),
        in_(in),
        out_(out),
        size_(size),
        shift_(shift),
        // What replaces its input is in the cache already: around it, in-place scans reached 0.80 of the copy limit,
        // through it 1.0.
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

  void scan(std::size_t k, carry& before) const
  {
    tile_job<T> job = job_of(k, before);
    if (job.size == tile && to_ == stores::streaming) job.ahead = job.in + rows_ahead * order::row<T>;
    scan_one_tile(job, before);
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
    job.ahead = job.next + rows_ahead * order::row<T>;
    return kernels_.scan(job).next;
  }

  void settle() const
  {
    if (to_ == stores::streaming) hwy::FlushStream();
  }

private:
  std::size_t length(std::size_t k) const { return size_ - k * tile < tile ? size_ - k * tile : tile; }

  tile_job<T> job_of(std::size_t k, carry const& before) const
  {
    tile_job<T> job = job_after(before, in_ + k * tile, out_ + k * tile, length(k), shift_);
    job.to = to_;
    return job;
  }

  tile_kernels<T> const& kernels_;
  T const* in_;
  T* out_;
  std::size_t size_;
  direction shift_;
  stores to_;
};

}  // namespace

template <class Op, class T>
tile_kernels<T> const& kernels_of()
{
  return all_kernels<T>().template of<Op>();
}

template <class Op, class T>
void reduce_contiguous(T const* in, std::size_t size, order::carry<T, Op>& before, int threads)
{
  Op op;
  contiguous_engine<Op, T> const engine(in, nullptr, size, direction::inclusive);
  reduce_tiles(engine, engine.tiles(), before, op, team_size(threads, size * sizeof(T), engine.tiles()));
}

template <class Op, class T>
void scan_contiguous(T const* in, T* out, std::size_t size, order::carry<T, Op>& before, direction shift, int threads)
{
  contiguous_engine<Op, T> const engine(in, out, size, shift);
  Op op;
  scan_tiles(engine, engine.tiles(), before, op, team_size(threads, size * sizeof(T), engine.tiles()));
}

#define TALLY_INSTANTIATE(Op, T)                                                                                       \
  template tile_kernels<T> const& kernels_of<Op, T>();                                                                 \
  template void reduce_contiguous<Op, T>(T const*, std::size_t, order::carry<T, Op>&, int);                            \
  template void scan_contiguous<Op, T>(T const*, T*, std::size_t, order::carry<T, Op>&, direction, int);
#define TALLY_INSTANTIATE_SIGNED(T) TALLY_INSTANTIATE(minimum, T) TALLY_INSTANTIATE(maximum, T)
#define TALLY_INSTANTIATE_FLOATING(T)                                                                                  \
  TALLY_INSTANTIATE_SIGNED(T) TALLY_INSTANTIATE(plus, T) TALLY_INSTANTIATE(multiplies, T)
#define TALLY_INSTANTIATE_UNSIGNED(T)                                                                                  \
  TALLY_INSTANTIATE_FLOATING(T) TALLY_INSTANTIATE(bit_and, T) TALLY_INSTANTIATE(bit_or, T) TALLY_INSTANTIATE(bit_xor, T)

TALLY_INSTANTIATE_SIGNED(std::int8_t)
TALLY_INSTANTIATE_SIGNED(std::int16_t)
TALLY_INSTANTIATE_SIGNED(std::int32_t)
TALLY_INSTANTIATE_SIGNED(std::int64_t)
TALLY_INSTANTIATE_UNSIGNED(std::uint8_t)
TALLY_INSTANTIATE_UNSIGNED(std::uint16_t)
TALLY_INSTANTIATE_UNSIGNED(std::uint32_t)
TALLY_INSTANTIATE_UNSIGNED(std::uint64_t)
TALLY_INSTANTIATE_FLOATING(float)
TALLY_INSTANTIATE_FLOATING(double)

}  // namespace tally::cpu_backend
