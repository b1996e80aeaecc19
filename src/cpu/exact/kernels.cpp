// Exact sums of floats and doubles, compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/exact/kernels.cpp"
#include <hwy/foreach_target.h>
// Highway wants its own header after foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/exact/kernels.hpp"
#include "tally/detail/path.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

namespace exact = detail::exact;

/// Elements of a block: 16 KiB, which stay in the first level of the cache between its two passes.
template <class T>
inline constexpr std::size_t exact_block = (std::size_t{16} << 10) / sizeof(T);

/// Vectors of doubles that are summed apart from each other, at each level.
inline constexpr std::size_t apart = 4;
inline constexpr std::size_t exact_step = apart * lanes<double>;

/// At most 2^9 terms go to a lane: 4096 to at least four times two of them.
inline constexpr int terms_bits = 9;
/// The big number of a level is 1.5 * 2^e, where all terms of a lane together are below 2^(e - 3). So sums stay between
/// 2^e and 2^(e + 1), in units of 2^(e - 52), and those of `apart` lanes together have at most 53 bits.
inline constexpr int level_bits = terms_bits + 3;
/// The rests are below 2^(e - 52), 40 bits further down.
inline constexpr int bits_a_level = 52 - level_bits;

/// The largest magnitude of a block, whose size is a multiple of exact_step. NaNs may be passed over.
template <class T>
HWY_INLINE T largest_magnitude(T const* x, std::size_t n)
{
  vector_tag<T> d;
  constexpr std::size_t vectors = exact_step / lanes<T>;
  vector<T> most[vectors];
  for (auto& each : most) each = hn::Zero(d);
  for (std::size_t k = 0; k < n; k += exact_step)
    for (std::size_t i = 0; i < vectors; ++i) most[i] = hn::Max(most[i], hn::Abs(hn::LoadU(d, x + k + i * lanes<T>)));
  for (std::size_t i = 1; i < vectors; ++i) most[0] = hn::Max(most[0], most[i]);
  return hn::GetLane(hn::MaxOfLanes(d, most[0]));
}

using doubles = vector<double>;

/// Loads `apart` vectors of doubles.
HWY_INLINE void load_apart(double const* x, doubles (&to)[apart])
{
  vector_tag<double> d;
  for (std::size_t i = 0; i < apart; ++i) to[i] = hn::LoadU(d, x + i * lanes<double>);
}
HWY_INLINE void load_apart(float const* x, doubles (&to)[apart])
{
  vector_tag<double> d;
  vector_tag<float> own;
  hn::Half<decltype(own)> half;
  for (std::size_t i = 0; i < apart; i += 2) {
    auto const all = hn::LoadU(own, x + i * lanes<double>);
    to[i] = hn::PromoteTo(d, hn::LowerHalf(half, all));
    to[i + 1] = hn::PromoteTo(d, hn::UpperHalf(half, all));
  }
}

/// Adds n terms below 2^exponent to `sum`, unless a rest is left behind all levels: then it adds nothing, and returns
/// false.
///
/// Requires  n is a multiple of exact_step, at most exact_block<T>; exponent + level_bits <= 1022.
template <int Levels, class T>
HWY_INLINE bool add_block(T const* x, std::size_t n, int exponent, exact::sum_of<T>& sum)
{
  vector_tag<double> d;
  int powers[Levels];
  doubles big[Levels], at[Levels][apart];
  for (int level = 0; level < Levels; ++level) {
    // Below 2^-1022 a unit is 2^-1074 already, and there are no rests.
    powers[level] = std::max(exponent + level_bits - level * bits_a_level, -1022);
    big[level] = hn::Set(d, std::ldexp(1.5, powers[level]));
    for (std::size_t i = 0; i < apart; ++i) at[level][i] = big[level];
  }
  auto rests = hn::Zero(d);
  for (std::size_t k = 0; k < n; k += exact_step) {
    // The next block of floats is fetched meanwhile: 0.15 ns an element from memory for 0.20 (EPYC, Zen 5). Of
    // doubles it took 0.73 for 0.39.
    if constexpr (sizeof(T) == 4)
      for (std::size_t i = 0; i < exact_step; i += 64 / sizeof(T)) __builtin_prefetch(x + k + i + exact_block<T>);
    doubles term[apart];
    load_apart(x + k, term);
    for (int level = 0; level < Levels; ++level) {
      for (std::size_t i = 0; i < apart; ++i) {
        auto const next = hn::Add(at[level][i], term[i]);
        term[i] = hn::Sub(term[i], hn::Sub(next, at[level][i]));
        at[level][i] = next;
      }
    }
    for (std::size_t i = 0; i < apart; ++i) rests = hn::Or(rests, term[i]);
  }
  // A rest of -0 is none.
  if (!hn::AllTrue(d, hn::Eq(rests, hn::Zero(d)))) return false;
  HWY_ALIGN double own[lanes<double>];
  for (int level = 0; level < Levels; ++level) {
    auto all = hn::Zero(d);
    for (std::size_t i = 0; i < apart; ++i) all = hn::Add(all, hn::Sub(at[level][i], big[level]));
    hn::Store(all, d, own);
    double const units = std::ldexp(1.0, 52 - powers[level] > 1023 ? 1023 : 52 - powers[level]);
    double const more = 52 - powers[level] > 1023 ? std::ldexp(1.0, 52 - powers[level] - 1023) : 1.0;
    std::int64_t total = 0;
    for (double const lane : own) total += static_cast<std::int64_t>(lane * units * more);
    if (total != 0) sum.add_scaled(total, powers[level] - 52);
  }
  sum.note(exact::terms::others);
  return true;
}

/// Adds at most exact_block<T> terms, a multiple of exact_step.
template <class T>
void add_whole_steps(T const* x, std::size_t n, exact::sum_of<T>& sum)
{
  T const most = largest_magnitude(x, n);
  if (most == 0) {
    // Zeros, and NaNs that may have been passed over.
    bool plain = true, minus = false, plus = false;
    for (std::size_t k = 0; k < n; ++k) {
      plain &= x[k] == 0;
      minus |= std::signbit(x[k]);
      plus |= !std::signbit(x[k]);
    }
    if (plain) {
      sum.note(static_cast<std::uint8_t>((minus ? exact::terms::minus_zero : 0) | (plus ? exact::terms::others : 0)));
      return;
    }
  } else if (most <= std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 20)) {
    int const exponent = std::ilogb(most) + 1;
    if constexpr (sizeof(T) == 4)
      if (add_block<1>(x, n, exponent, sum)) return;
    if (add_block<2>(x, n, exponent, sum)) return;
    detail::took("exact: terms far apart");
    if (add_block<4>(x, n, exponent, sum)) return;
  }
  detail::took("exact: number by number");
  for (std::size_t k = 0; k < n; ++k) sum.add(static_cast<double>(x[k]));
}

template <class T>
void add_exactly(T const* x, std::size_t n, exact::sum_of<T>& sum)
{
  std::size_t k = 0;
  for (; n - k >= exact_block<T>; k += exact_block<T>) add_whole_steps(x + k, exact_block<T>, sum);
  std::size_t const steps = (n - k) / exact_step * exact_step;
  if (steps >= 2 * exact_step) {
    add_whole_steps(x + k, steps, sum);
    k += steps;
  }
  for (; k < n; ++k) sum.add(static_cast<double>(x[k]));
}

void add_exactly_f32(float const* x, std::size_t n, exact::sum_of<float>& sum)
{
  add_exactly(x, n, sum);
}
void add_exactly_f64(double const* x, std::size_t n, exact::sum_of<double>& sum)
{
  add_exactly(x, n, sum);
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tally::cpu_backend {

HWY_EXPORT(add_exactly_f32);
HWY_EXPORT(add_exactly_f64);

}  // namespace tally::cpu_backend

namespace tally::detail::exact {

void add_all(float const* x, std::size_t n, sum_of<float>& sum)
{
  using namespace cpu_backend;
  HWY_DYNAMIC_DISPATCH(add_exactly_f32)(x, n, sum);
}
void add_all(double const* x, std::size_t n, sum_of<double>& sum)
{
  using namespace cpu_backend;
  HWY_DYNAMIC_DISPATCH(add_exactly_f64)(x, n, sum);
}

}  // namespace tally::detail::exact
#endif
