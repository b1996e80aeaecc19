/// Linear recurrences of every shape beside the plain loop, on one thread: one line each, with both times a step.
///
///     tally_bench_recurrence_shapes [avx3|avx2|sse4] [part of a name]
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <hwy/targets.h>

#include "tally/algorithms/recurrence.hpp"
#include "tally/along.hpp"
#include "tally/array_view.hpp"
#include "tally/half.hpp"
#include "tally/segments.hpp"
#include "tool/cli/bench/timing.hpp"

namespace {

/// In (-1, 1).
template <class T>
std::vector<T> fractions(std::size_t n, std::uint64_t state)
{
  std::vector<T> all(n);
  for (T& each : all) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    each = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63);
  }
  return all;
}

std::string wanted;

/// Processor time of this thread: other work on the machine shows in it least. Where threads share work, the clock's.
clockid_t timed_by = CLOCK_THREAD_CPUTIME_ID;

double seconds_of(std::function<void()> const& run, std::size_t calls = 1)
{
  auto const now = [] {
    timespec at{};
    clock_gettime(timed_by, &at);
    return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
  };
  double const begin = now();
  for (std::size_t k = 0; k < calls; ++k) run();
  return (now() - begin) / static_cast<double>(calls);
}

void race(std::string const& name, std::size_t steps, std::function<void()> const& loop,
          std::function<void()> const& tally)
{
  if (name.find(wanted) == name.npos) return;
  std::function<void()> const run[] = {loop, tally};
  std::size_t calls[2];
  for (std::size_t k = 0; k < 2; ++k) {
    run[k]();
    calls[k] = tally::timing::calls_in(2e-3, seconds_of(run[k]));
  }
  tally::timing::interleaved_rounds rounds(2);
  rounds.run_rounds(9, [&](std::size_t k) { return seconds_of(run[k], calls[k]); });
  double const a_step = 1e9 / static_cast<double>(steps);
  std::printf("%-44s loop %7.3f  tally %7.3f ns a step %7.2f x\n", name.c_str(), rounds.median(0) * a_step,
              rounds.median(1) * a_step, rounds.ratio(1, 0));
  std::fflush(stdout);
}

/// The state of the loop.
template <class T>
using state_of = tally::working_type<T>;

template <class T>
struct arrays {
  std::vector<T> a, b, y;
  explicit arrays(std::size_t n) : a(fractions<T>(n, 1)), b(fractions<T>(n, 2)), y(n) {}
};

template <class T>
T loop(T const* a, T const* b, T* y, std::size_t n, T before)
{
  state_of<T> last = before;
  for (std::size_t k = 0; k < n; ++k) {
    last = state_of<T>(a[k]) * last + state_of<T>(b[k]);
    y[k] = static_cast<T>(last);
  }
  return static_cast<T>(last);
}
template <class T>
void loop_backward(T const* a, T const* b, T* y, std::size_t n)
{
  state_of<T> last = 0;
  for (std::size_t k = n; k-- > 0;) {
    last = state_of<T>(a[k]) * last + state_of<T>(b[k]);
    y[k] = static_cast<T>(last);
  }
}

/// Rows of memory, one after the other. The compiler makes vectors of it.
template <class T>
[[gnu::always_inline]] inline void loop_of_columns(T const* __restrict a, T const* __restrict b, T* __restrict y,
                                                   std::size_t n, std::size_t width)
{
  for (std::size_t c = 0; c < width; ++c) y[c] = b[c];
  for (std::size_t k = 1; k < n; ++k)
    for (std::size_t c = 0; c < width; ++c)
      y[k * width + c] = static_cast<T>(state_of<T>(a[k * width + c]) * state_of<T>(y[(k - 1) * width + c]) +
                                        state_of<T>(b[k * width + c]));
}
template <class T>
[[gnu::target("avx512f,avx512vl,avx512bw,avx512dq")]] void loop_avx3(T const* a, T const* b, T* y, std::size_t n,
                                                                     std::size_t width)
{
  loop_of_columns(a, b, y, n, width);
}
template <class T>
[[gnu::target("avx2,fma")]] void loop_avx2(T const* a, T const* b, T* y, std::size_t n, std::size_t width)
{
  loop_of_columns(a, b, y, n, width);
}
template <class T>
void loop_sse(T const* a, T const* b, T* y, std::size_t n, std::size_t width)
{
  loop_of_columns(a, b, y, n, width);
}
std::string instructions = "avx3";

tally::cpu const one{1};

template <class T>
void ranges(std::string const& type)
{
  for (std::size_t const bits : {10, 12, 14, 16, 18, 20, 22, 24}) {
    std::size_t const n = std::size_t{1} << bits;
    arrays<T> of(n);
    std::string const name = type + " one 2^" + std::to_string(bits);
    race(
        name, n, [&] { loop<T>(of.a.data(), of.b.data(), of.y.data(), n, T(1.0f)); },
        [&] { tally::linear_recurrence(one, of.a.begin(), of.a.end(), of.b.begin(), of.y.begin(), T(1.0f)); });
    race(
        name + " backward", n, [&] { loop_backward<T>(of.a.data(), of.b.data(), of.y.data(), n); },
        [&] { tally::linear_recurrence_backward(one, of.a.begin(), of.a.end(), of.b.begin(), of.y.begin(), T(0.0f)); });
  }
}

template <class T>
void rows(std::string const& type, std::size_t all)
{
  for (std::size_t const n : {2u, 4u, 7u, 8u, 12u, 16u, 20u, 32u, 48u, 64u, 100u, 256u, 1000u, 1024u, 4096u}) {
    std::size_t const count = all / n;
    arrays<T> of(n * count);
    tally::array_view<T const> const a(of.a.data(), {count, n}), b(of.b.data(), {count, n});
    tally::array_view<T> const y(of.y.data(), {count, n});
    std::string const name = type + " rows of " + std::to_string(n) + ", " + std::to_string(all >> 10) + " Ki";
    auto const by_loop = [&] {
      for (std::size_t r = 0; r < count; ++r)
        loop<T>(of.a.data() + r * n, of.b.data() + r * n, of.y.data() + r * n, n, T(0.0f));
    };
    race(name, n * count, by_loop,
         [&] { tally::linear_recurrence(one, tally::along(1, a), tally::along(1, b), tally::along(1, y)); });
    if (n == 64 || n == 1024)
      race(
          name + " reversed", n * count,
          [&] {
            for (std::size_t r = 0; r < count; ++r)
              loop_backward<T>(of.a.data() + r * n, of.b.data() + r * n, of.y.data() + r * n, n);
          },
          [&] {
            tally::linear_recurrence(one, tally::reversed(tally::along(1, a)), tally::reversed(tally::along(1, b)),
                                     tally::reversed(tally::along(1, y)));
          });
  }
}

template <class T>
void plain_columns(T const* a, T const* b, T* y, std::size_t n, std::size_t width)
{
  auto const plain = instructions == "avx3" ? &loop_avx3<T> : instructions == "avx2" ? &loop_avx2<T> : &loop_sse<T>;
  plain(a, b, y, n, width);
}

template <class T>
void columns(std::string const& type)
{
  struct shape {
    std::size_t n, width;
  };
  for (shape const s : {shape{4096, 4}, shape{4096, 16}, shape{256, 64}, shape{32, 1024}, shape{4, 4096},
                        shape{256, 256}, shape{2048, 2048}}) {
    std::size_t const n = s.n, width = s.width;
    arrays<T> of(n * width);
    tally::array_view<T const> const a(of.a.data(), {n, width}), b(of.b.data(), {n, width});
    tally::array_view<T> const y(of.y.data(), {n, width});
    std::string const name = type + " columns " + std::to_string(n) + " x " + std::to_string(width);
    race(
        name, n * width, [&] { plain_columns(of.a.data(), of.b.data(), of.y.data(), n, width); },
        [&] { tally::linear_recurrence(one, tally::along(0, a), tally::along(0, b), tally::along(0, y)); });
  }
}

/// Few columns of 2^24 steps in all, on one thread and on all.
template <class T>
void few_columns(std::string const& type)
{
  timed_by = CLOCK_MONOTONIC;
  for (std::size_t width : {std::size_t{2}, std::size_t{16}, std::size_t{33}, std::size_t{100}}) {
    std::size_t const n = (std::size_t{1} << 24) / width;
    arrays<T> of(n * width);
    tally::array_view<T const> const a(of.a.data(), {n, width}), b(of.b.data(), {n, width});
    tally::array_view<T> const y(of.y.data(), {n, width});
    for (tally::cpu const on : {one, tally::cpu{}})
      race(
          type + " columns " + std::to_string(n) + " x " + std::to_string(width) +
              (on.threads == 1 ? ", one thread" : ", all threads"),
          n * width, [&] { plain_columns(of.a.data(), of.b.data(), of.y.data(), n, width); },
          [&] { tally::linear_recurrence(on, tally::along(0, a), tally::along(0, b), tally::along(0, y)); });
  }
  timed_by = CLOCK_THREAD_CPUTIME_ID;
}

template <class T>
void segments(std::string const& type, std::size_t all)
{
  struct kind {
    char const* name;
    std::size_t mean;
  };
  for (kind const k :
       {kind{"mean 4", 4}, kind{"mean 20", 20}, kind{"mean 100", 100}, kind{"mean 1000", 1000}, kind{"skewed", 0}}) {
    arrays<T> of(all);
    std::vector<std::size_t> offsets{0};
    std::uint64_t state = 7;
    while (offsets.back() < all) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::uint64_t const drawn = state >> 33;
      std::size_t const length = k.mean != 0        ? 1 + drawn % (2 * k.mean - 1)
                                 : drawn % 100 == 0 ? 5000
                                                    : 1 + drawn / 100 % 20;
      offsets.push_back(std::min(all, offsets.back() + length));
    }
    std::string const name = type + " segments " + k.name + ", " + std::to_string(all >> 10) + " Ki";
    std::size_t const count = offsets.size() - 1;
    race(
        name, all,
        [&] {
          for (std::size_t s = 0; s < count; ++s)
            loop<T>(of.a.data() + offsets[s], of.b.data() + offsets[s], of.y.data() + offsets[s],
                    offsets[s + 1] - offsets[s], T(0.0f));
        },
        [&] { tally::linear_recurrence(one, tally::segments(of.a.data(), offsets), of.b.data(), of.y.data()); });
  }
}

template <class T>
void gradients(std::string const& type)
{
  struct shape {
    std::size_t count, n;
  };
  for (shape const s : {shape{1, 65536}, shape{1, 1 << 22}, shape{64, 1024}, shape{1024, 64}, shape{8192, 8}}) {
    std::size_t const n = s.n, count = s.count;
    arrays<T> of(n * count), more(n * count);
    tally::array_view<T const> const a(of.a.data(), {count, n}), g(of.b.data(), {count, n}),
        y(more.a.data(), {count, n});
    tally::array_view<T> const da(of.y.data(), {count, n}), db(more.y.data(), {count, n});
    race(
        type + " gradient " + std::to_string(count) + " rows of " + std::to_string(n), n * count,
        [&] {
          for (std::size_t r = 0; r < count; ++r) {
            std::size_t const at = r * n;
            state_of<T> h = 0;
            for (std::size_t k = n; k-- > 0;) {
              h = state_of<T>(of.b[at + k]) + (k + 1 < n ? state_of<T>(of.a[at + k + 1]) * h : state_of<T>(0));
              more.y[at + k] = static_cast<T>(h);
              of.y[at + k] = static_cast<T>(k > 0 ? h * state_of<T>(more.a[at + k - 1]) : state_of<T>(0));
            }
          }
        },
        [&] {
          tally::linear_recurrence_gradient(one, tally::along(1, a), tally::along(1, y), tally::along(1, g),
                                            tally::along(1, da), tally::along(1, db));
        });
  }
}

template <class T>
void all(std::string const& type)
{
  ranges<T>(type);
  rows<T>(type, std::size_t{1} << 14);
  rows<T>(type, std::size_t{1} << 22);
  columns<T>(type);
  few_columns<T>(type);
  segments<T>(type, std::size_t{1} << 14);
  segments<T>(type, std::size_t{1} << 22);
  gradients<T>(type);
}

}  // namespace

int main(int count, char** arguments)
{
  if (count > 1) instructions = arguments[1];
  if (count > 2) wanted = arguments[2];
  if (instructions == "avx2") hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
  if (instructions == "sse4") hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL | HWY_AVX2);
  all<float>("float");
  all<double>("double");
  all<tally::half>("half");
  all<tally::bfloat16>("bfloat16");
}
