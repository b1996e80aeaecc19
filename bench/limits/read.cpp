#include <hwy/highway.h>

#include <array>
#include <cstring>

#include "../peers/peers.hpp"
#include "thread_team.hpp"

/// Ways to read memory: the exclusive-or of all 8-byte words, the cheapest use of a word that no compiler can leave
/// out. The fastest, in each cell, is the limit of a reduction there. Every input is a whole number of words.
namespace tally::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using words = hn::ScalableTag<std::uint64_t>;

inline constexpr int most_threads = 1024;

/// Reads `Streams` places in memory side by side, `Vectors` vectors from each before the next.
template <std::size_t Streams, std::size_t Vectors>
std::uint64_t exclusive_or(std::uint64_t const* in, std::size_t n)
{
  words const d;
  std::size_t const width = hn::Lanes(d);
  std::size_t const step = Vectors * width;
  std::size_t const each = n / Streams / step * step;
  hn::Vec<words> sums[Streams * Vectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::size_t k = 0; k < each; k += step)
    for (std::size_t s = 0; s < Streams; ++s)
      for (std::size_t v = 0; v < Vectors; ++v) {
        auto& sum = sums[s * Vectors + v];
        sum = hn::Xor(sum, hn::LoadU(d, in + s * each + k + v * width));
      }
  for (std::size_t j = 1; j < Streams * Vectors; ++j) sums[0] = hn::Xor(sums[0], sums[j]);
  std::array<std::uint64_t, HWY_MAX_BYTES / 8> lanes{};
  hn::StoreU(sums[0], d, lanes.data());
  std::uint64_t sum = 0;
  for (std::uint64_t const lane : lanes) sum ^= lane;
  for (std::size_t k = Streams * each; k < n; ++k) sum ^= in[k];
  return sum;
}

template <std::size_t Streams, std::size_t Vectors>
void one(void const* in, void* out, std::size_t n)
{
  std::uint64_t const sum = exclusive_or<Streams, Vectors>(static_cast<std::uint64_t const*>(in), n / 8);
  std::memcpy(out, &sum, sizeof sum);
}

template <std::size_t Streams, std::size_t Vectors>
void all(void const* in, void* out, std::size_t n)
{
  struct alignas(64) padded {
    std::uint64_t value = 0;
  };
  static std::array<padded, most_threads> sums;
  for (int t = 0; t < whole_machine().size(); ++t) sums[t].value = 0;
  on_whole_machine(n, [&](std::size_t begin, std::size_t end, int t) {
    sums[t].value =
        exclusive_or<Streams, Vectors>(static_cast<std::uint64_t const*>(in) + begin / 8, (end - begin) / 8);
  });
  std::uint64_t sum = 0;
  for (int t = 0; t < whole_machine().size(); ++t) sum ^= sums[t].value;
  std::memcpy(out, &sum, sizeof sum);
}

template <std::size_t Streams, std::size_t Vectors>
void add(std::vector<contender>& to, char const* name, bool memory_only)
{
  to.push_back({name, role::read_limit, {}, {}, 1, memory_only, one<Streams, Vectors>, nullptr, nullptr});
  to.push_back({name,
                role::read_limit,
                {},
                {},
                all_threads,
                memory_only,
                all<Streams, Vectors>,
                begin_whole_machine,
                end_whole_machine});
}

}  // namespace

void add_read_limits(std::vector<contender>& to)
{
  add<1, 2>(to, "read, 1 stream", false);
  add<2, 2>(to, "read, 2 streams", false);
  add<4, 1>(to, "read, 4 streams", true);
}

}  // namespace tally::bench
