// Many scans at once beside copying and plain loops:
//   build/bench/algorithms/tally_bench_batches [log2 of the elements in all [part of a title]]
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/batches.hpp"
#include "tally/detail/cpu/sequences.hpp"

namespace {

namespace hn = hwy::HWY_NAMESPACE;
using tally::detail::batch::ends;
using tally::detail::batch::layout;

constexpr int processors = 2;

/// Copies around the cache, four pages side by side: the fastest way to copy what does not fit in it.
void copy_pages(std::uint8_t const* in, std::uint8_t* out, std::size_t bytes)
{
  hn::ScalableTag<std::uint8_t> const d;
  constexpr std::size_t page = 4096, line = 64;
  std::size_t k = 0;
  for (; k + 4 * page <= bytes; k += 4 * page)
    for (std::size_t at = 0; at < page; at += line)
      for (std::size_t p = 0; p < 4 * page; p += page)
        for (std::size_t lane = 0; lane < line; lane += hn::Lanes(d))
          hn::Stream(hn::LoadU(d, in + k + p + at + lane), d, out + k + p + at + lane);
  hwy::FlushStream();
  std::memcpy(out + k, in + k, bytes - k);
}

template <class Copy, class T>
void copy_on_threads(Copy const& copy, T const* in, T* out, std::size_t n, int threads)
{
  auto const part = [&](int t) {
    std::size_t const begin = n / 4096 * static_cast<std::size_t>(t) / static_cast<std::size_t>(threads) * 4096;
    std::size_t const end =
        t + 1 == threads ? n : n / 4096 * static_cast<std::size_t>(t + 1) / static_cast<std::size_t>(threads) * 4096;
    copy(reinterpret_cast<std::uint8_t const*>(in + begin), reinterpret_cast<std::uint8_t*>(out + begin),
         (end - begin) * sizeof(T));
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(part, t);
  part(0);
  for (std::thread& other : others) other.join();
}

template <class T>
void copy_limit(T const* in, T* out, std::size_t n, int threads)
{
  copy_on_threads(copy_pages, in, out, n, threads);
}
template <class T>
void memcpy_limit(T const* in, T* out, std::size_t n, int threads)
{
  copy_on_threads([](auto const* from, auto* to, std::size_t bytes) { std::memcpy(to, from, bytes); }, in, out, n,
                  threads);
}

/// Memory that begins with a line.
template <class T>
T* lines(std::size_t n)
{
  T* const memory = static_cast<T*>(std::aligned_alloc(64, (n * sizeof(T) + 63) / 64 * 64));
  if (memory == nullptr) std::abort();
  return memory;
}

struct chosen {
  std::string_view part;
  bool operator()(std::string const& title) const { return title.find(part) != title.npos; }
};

template <class T>
void measure(std::string const& type, std::size_t n, chosen const& wanted)
{
  T* const in = lines<T>(n);
  T* const out = lines<T>(n);
  std::mt19937 random(1);
  for (std::size_t k = 0; k < n; ++k) in[k] = static_cast<T>(random() % 1000);
  std::memset(out, 0, n * sizeof(T));
  auto const both = [&](std::string const& title, std::size_t elements, auto const& loop, auto const& tally_call) {
    if (!wanted(title)) return;
    tally::bench::rounds all(title, elements, 2 * elements * sizeof(T));
    all.add("memcpy, two threads", [&] { memcpy_limit(in, out, elements, processors); });
    all.add("copying, two threads", [&] { copy_limit(in, out, elements, processors); });
    all.add("tally, two threads", [&] { tally_call(0); });
    all.add("memcpy, one thread", [&] { memcpy_limit(in, out, elements, 1); });
    all.add("copying, one thread", [&] { copy_limit(in, out, elements, 1); });
    all.add("tally, one thread", [&] { tally_call(1); });
    all.add("plain loop, one thread", loop);
    all.run(7);
  };
  for (std::size_t length :
       {std::size_t{3}, std::size_t{16}, std::size_t{20}, std::size_t{64}, std::size_t{100}, std::size_t{256},
        std::size_t{1000}, std::size_t{4096}, std::size_t{1} << 16, std::size_t{1} << 20}) {
    std::size_t const rows = n / length;
    layout where;
    auto const step = static_cast<std::ptrdiff_t>(length);
    where.along = {length, {1, 1, 0, 0}};
    where.dimensions = 1;
    where.across[0] = {rows, {step, step, 0, 0}};
    both(
        "rows of " + std::to_string(length) + " " + type, rows * length,
        [&] {
          for (std::size_t r = 0; r < rows; ++r) {
            T sum{};
            for (std::size_t k = 0; k < length; ++k)
              out[r * length + k] = sum = static_cast<T>(sum + in[r * length + k]);
          }
        },
        [&](int threads) {
          tally::cpu_backend::scan_sequences<tally::plus>(where, in, out, ends<T>{},
                                                          tally::detail::direction::inclusive, threads);
        });
  }
  for (std::size_t width :
       {std::size_t{4096}, std::size_t{256}, std::size_t{100}, std::size_t{33}, std::size_t{16}, std::size_t{4}}) {
    std::size_t const height = n / width;
    layout where;
    auto const step = static_cast<std::ptrdiff_t>(width);
    where.along = {height, {step, step, 0, 0}};
    where.dimensions = 1;
    where.across[0] = {width, {1, 1, 0, 0}};
    both(
        "columns " + std::to_string(height) + " x " + std::to_string(width) + " " + type, width * height,
        [&] {
          std::copy_n(in, width, out);
          for (std::size_t k = 1; k < height; ++k)
            for (std::size_t c = 0; c < width; ++c)
              out[k * width + c] = static_cast<T>(out[(k - 1) * width + c] + in[k * width + c]);
        },
        [&](int threads) {
          tally::cpu_backend::scan_sequences<tally::plus>(where, in, out, ends<T>{},
                                                          tally::detail::direction::inclusive, threads);
        });
  }
  // Segments: all near one length, drawn evenly from 0 to twice it, or half of the elements in few long ones.
  for (std::size_t mean : {std::size_t{1}, std::size_t{4}, std::size_t{16}, std::size_t{64}, std::size_t{256},
                           std::size_t{1000}, std::size_t{0}}) {
    std::vector<std::size_t> offsets{0};
    while (offsets.back() < n) {
      std::size_t const even = random() % (2 * (mean == 0 ? 16 : mean) + 1);
      offsets.push_back(std::min(n, offsets.back() + (mean == 0 && random() % 1024 == 0 ? 1024 * even : even)));
    }
    std::size_t const segments = offsets.size() - 1;
    std::string const what =
        mean == 0 ? "skewed segments of " + type : "segments of 0 to " + std::to_string(2 * mean) + " " + type;
    both(
        what, n,
        [&] {
          for (std::size_t s = 0; s < segments; ++s) {
            T sum{};
            for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) out[k] = sum = static_cast<T>(sum + in[k]);
          }
        },
        [&](int threads) {
          tally::inclusive_scan(tally::cpu{threads}, tally::segments(std::span<T const>(in, n), offsets), out);
        });
    std::vector<T> sums(segments);
    both(
        "reduced " + what, n,
        [&] {
          for (std::size_t s = 0; s < segments; ++s) {
            T sum{};
            for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) sum = static_cast<T>(sum + in[k]);
            sums[s] = sum;
          }
        },
        [&](int threads) {
          tally::reduce(tally::cpu{threads}, tally::segments(std::span<T const>(in, n), offsets), sums);
        });
  }
  std::free(in);
  std::free(out);
}

}  // namespace

int main(int count, char** arguments)
{
  std::size_t const n = std::size_t{1} << (count > 1 ? std::atoi(arguments[1]) : 26);
  chosen const wanted{count > 2 ? arguments[2] : ""};
  measure<float>("f32", n, wanted);
  measure<std::int32_t>("i32", n, wanted);
}
