#include "bench/limits.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

// Highway compiles this file once for each instruction set; what it includes above is included once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cli/bench/limits.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tally::cli::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Copies four pages side by side, a cache line of each in turn: the prefetcher sees several sequences, and several
/// pages of DRAM are open.
void stream(std::uint8_t const* in, std::uint8_t* out, std::size_t n)
{
  hn::ScalableTag<std::uint8_t> const d;
  constexpr std::size_t page = 4096;
  constexpr std::size_t line = 64;
  std::size_t k = 0;
  for (; k + 4 * page <= n; k += 4 * page) {
    for (std::size_t at = k; at < k + page; at += line) {
      for (std::size_t p = 0; p < 4; ++p) {
        std::size_t const first = at + p * page;
        for (std::size_t j = first; j < first + line; j += hn::Lanes(d)) hn::Stream(hn::LoadU(d, in + j), d, out + j);
      }
    }
  }
  hwy::FlushStream();
  std::memcpy(out + k, in + k, n - k);
}

std::uint64_t exclusive_or(std::uint64_t const* in, std::size_t n)
{
  hn::ScalableTag<std::uint64_t> const d;
  constexpr std::size_t streams = 4;
  std::size_t const width = hn::Lanes(d);
  std::size_t const each = n / streams / width * width;
  auto a = hn::Zero(d), b = hn::Zero(d), c = hn::Zero(d), e = hn::Zero(d);
  for (std::size_t k = 0; k < each; k += width) {
    a = hn::Xor(a, hn::LoadU(d, in + k));
    b = hn::Xor(b, hn::LoadU(d, in + each + k));
    c = hn::Xor(c, hn::LoadU(d, in + 2 * each + k));
    e = hn::Xor(e, hn::LoadU(d, in + 3 * each + k));
  }
  std::array<std::uint64_t, HWY_MAX_BYTES / sizeof(std::uint64_t)> lanes{};
  hn::StoreU(hn::Xor(hn::Xor(a, b), hn::Xor(c, e)), d, lanes.data());
  std::uint64_t result = 0;
  for (std::uint64_t const lane : lanes) result ^= lane;
  for (std::size_t k = streams * each; k < n; ++k) result ^= in[k];
  return result;
}

}  // namespace
}  // namespace tally::cli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tally::cli {

namespace {

HWY_EXPORT(stream);
HWY_EXPORT(exclusive_or);

/// The part of n bytes that thread t takes: whole pages where there are enough of them.
std::pair<std::size_t, std::size_t> part_of(std::size_t n, int t, int threads)
{
  std::size_t const unit = n >= static_cast<std::size_t>(threads) * 65536 ? 4096 : 64;
  std::size_t const part = (n / static_cast<std::size_t>(threads) + unit - 1) / unit * unit;
  std::size_t const begin = std::min(n, part * static_cast<std::size_t>(t));
  return {begin, std::min(n, begin + part)};
}

}  // namespace

crew::crew(int threads) : begin_(threads), end_(threads)
{
  for (int t = 1; t < threads; ++t) helpers_.emplace_back([this, t] { help(t); });
}

crew::~crew()
{
  work_ = nullptr;
  if (!helpers_.empty()) begin_.arrive_and_wait();
  for (std::thread& helper : helpers_) helper.join();
}

void crew::run(std::function<void(int)> const& work)
{
  work_ = &work;
  if (!helpers_.empty()) begin_.arrive_and_wait();
  work(0);
  if (!helpers_.empty()) end_.arrive_and_wait();
}

void crew::help(int t)
{
  for (;;) {
    begin_.arrive_and_wait();
    if (work_ == nullptr) return;
    (*work_)(t);
    end_.arrive_and_wait();
  }
}

void copy_ordinary(crew& threads, void const* in, void* out, std::size_t n)
{
  threads.run([&](int t) {
    auto const [begin, end] = part_of(n, t, threads.size());
    std::memcpy(static_cast<std::uint8_t*>(out) + begin, static_cast<std::uint8_t const*>(in) + begin, end - begin);
  });
}

void copy_streaming(crew& threads, void const* in, void* out, std::size_t n)
{
  auto const copy = HWY_DYNAMIC_DISPATCH(stream);
  threads.run([&](int t) {
    auto const [begin, end] = part_of(n, t, threads.size());
    copy(static_cast<std::uint8_t const*>(in) + begin, static_cast<std::uint8_t*>(out) + begin, end - begin);
  });
}

std::uint64_t read_all(crew& threads, void const* in, std::size_t n)
{
  auto const read = HWY_DYNAMIC_DISPATCH(exclusive_or);
  std::vector<std::uint64_t> results(static_cast<std::size_t>(threads.size()) * 8);  // a cache line each
  threads.run([&](int t) {
    auto const [begin, end] = part_of(n, t, threads.size());
    results[static_cast<std::size_t>(t) * 8] =
        read(static_cast<std::uint64_t const*>(in) + begin / 8, (end - begin) / 8);
  });
  std::uint64_t result = 0;
  for (std::uint64_t const each : results) result ^= each;
  return result;
}

}  // namespace tally::cli
#endif  // HWY_ONCE
