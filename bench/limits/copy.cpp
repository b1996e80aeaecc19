#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstring>

#include "../peers/peers.hpp"
#include "thread_team.hpp"

/// Ways to copy memory. The fastest of them, in each cell, is the limit of a scan there.
namespace tally::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using bytes = hn::ScalableTag<std::uint8_t>;

struct library {
  static constexpr char const* name = "memcpy";
  static constexpr bool memory_only = false;
  static void copy(std::uint8_t const* in, std::uint8_t* out, std::size_t n) { std::memcpy(out, in, n); }
};

struct vector_stores {
  static constexpr char const* name = "vector copy";
  static constexpr bool memory_only = false;
  static void copy(std::uint8_t const* in, std::uint8_t* out, std::size_t n)
  {
    bytes const d;
    std::size_t const step = 4 * hn::Lanes(d);
    std::size_t k = 0;
    for (; k + step <= n; k += step) {
      auto const a = hn::LoadU(d, in + k);
      auto const b = hn::LoadU(d, in + k + step / 4);
      auto const c = hn::LoadU(d, in + k + step / 2);
      auto const e = hn::LoadU(d, in + k + step / 4 * 3);
      hn::StoreU(a, d, out + k);
      hn::StoreU(b, d, out + k + step / 4);
      hn::StoreU(c, d, out + k + step / 2);
      hn::StoreU(e, d, out + k + step / 4 * 3);
    }
    std::memcpy(out + k, in + k, n - k);
  }
};

/// Copies one cache line with streaming stores. Requires `out` to be aligned to a line.
inline void stream_line(std::uint8_t const* in, std::uint8_t* out)
{
  bytes const d;
  for (std::size_t j = 0; j < 64; j += hn::Lanes(d)) hn::Stream(hn::LoadU(d, in + j), d, out + j);
}

/// Copies `Pages` pages of 4 KiB side by side, one line of each in turn: the prefetcher sees several sequences, and
/// several pages of DRAM are open.
template <std::size_t Pages>
void stream_pages(std::uint8_t const* in, std::uint8_t* out, std::size_t n)
{
  std::size_t k = 0;
  for (; k + Pages * 4096 <= n; k += Pages * 4096)
    for (std::size_t line = 0; line < 4096; line += 64)
      for (std::size_t page = 0; page < Pages; ++page) {
        std::size_t const at = k + page * 4096 + line;
        stream_line(in + at, out + at);
      }
  for (; k + 64 <= n; k += 64) stream_line(in + k, out + k);
  hwy::FlushStream();
  std::memcpy(out + k, in + k, n - k);
}

struct streaming_stores {
  static constexpr char const* name = "streaming copy";
  static constexpr bool memory_only = true;
  static void copy(std::uint8_t const* in, std::uint8_t* out, std::size_t n) { stream_pages<1>(in, out, n); }
};

struct four_streams {
  static constexpr char const* name = "streaming copy, 4 pages";
  static constexpr bool memory_only = true;
  static void copy(std::uint8_t const* in, std::uint8_t* out, std::size_t n) { stream_pages<4>(in, out, n); }
};

template <class Way>
void one(void const* in, void* out, std::size_t n)
{
  Way::copy(static_cast<std::uint8_t const*>(in), static_cast<std::uint8_t*>(out), n);
}

template <class Way>
void all(void const* in, void* out, std::size_t n)
{
  on_whole_machine(n, [&](std::size_t begin, std::size_t end, int) {
    Way::copy(static_cast<std::uint8_t const*>(in) + begin, static_cast<std::uint8_t*>(out) + begin, end - begin);
  });
}

template <class Way>
void add(std::vector<contender>& to)
{
  to.push_back({Way::name, role::copy_limit, {}, {}, 1, Way::memory_only, one<Way>, nullptr, nullptr});
  to.push_back({Way::name,
                role::copy_limit,
                {},
                {},
                all_threads,
                Way::memory_only,
                all<Way>,
                begin_whole_machine,
                end_whole_machine});
}

}  // namespace

void add_copy_limits(std::vector<contender>& to)
{
  add<library>(to);
  add<vector_stores>(to);
  add<streaming_stores>(to);
  add<four_streams>(to);
}

}  // namespace tally::bench
