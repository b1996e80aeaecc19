#include "exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

#include "elements.hpp"

namespace tally::bench {
namespace {

using range = oneapi::tbb::blocked_range<std::size_t>;

constexpr std::byte poison_byte{0xa5};
constexpr std::size_t guard = 64;

template <class T>
std::uint64_t to_units(T value)
{
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<std::uint64_t>(static_cast<double>(value) * units_in_one<T>);
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class T>
std::uint64_t sum_of_units(T const* in, std::size_t n)
{
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += to_units(in[k]);
  return sum;
}

/// Compares one output with the exact sum, and keeps the worst error so far. It compares whole numbers, so it adds no
/// error of its own. A sum of `terms` positive numbers, added in any order, is off by less than `terms` roundings: a
/// larger error means a wrong result, not an inexact one.
template <class T>
void judge(verdict& so_far, T found, std::uint64_t expected, std::size_t terms)
{
  if constexpr (std::is_integral_v<T>) {
    so_far.wrong |= found != static_cast<T>(expected);
  } else {
    double const units = static_cast<double>(found) * units_in_one<T>;
    if (!(units >= 0 && units < 0x1p63)) {
      so_far.wrong = true;
      return;
    }
    std::int64_t const difference = static_cast<std::int64_t>(units) - static_cast<std::int64_t>(expected);
    if (difference == 0) return;
    if (expected == 0) {
      so_far.wrong = true;
      return;
    }
    double const error = std::abs(static_cast<double>(difference));
    double const exact_value = static_cast<double>(expected);
    constexpr std::uint64_t exponent_bits = 0x7ff0000000000000u;
    double const power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(exact_value) & exponent_bits);
    double const bound = std::min(1.0, static_cast<double>(terms) * std::numeric_limits<T>::epsilon());
    so_far.wrong |= error > bound * exact_value;
    so_far.relative_error = std::max(so_far.relative_error, error / exact_value);
    so_far.ulp_error = std::max(so_far.ulp_error, error / (power * std::numeric_limits<T>::epsilon()));
  }
}

verdict worse(verdict a, verdict b)
{
  return {a.wrong || b.wrong, std::max(a.relative_error, b.relative_error), std::max(a.ulp_error, b.ulp_error)};
}

bool untouched(std::byte const* from, std::size_t n)
{
  return std::all_of(from, from + n, [](std::byte b) { return b == poison_byte; });
}

template <class T>
verdict check_scan(bool inclusive, T const* in, T* out, std::size_t n, std::vector<std::uint64_t> const& before)
{
  std::size_t const chunks = (n + exact::chunk - 1) / exact::chunk;
  verdict v = oneapi::tbb::parallel_reduce(
      range(0, chunks, 1), verdict{},
      [&](range const& r, verdict so_far) {
        for (std::size_t c = r.begin(); c < r.end(); ++c) {
          std::uint64_t sum = before[c];
          std::size_t const first = c * exact::chunk;
          std::size_t const last = std::min(n, first + exact::chunk);
          for (std::size_t k = first; k < last; ++k) {
            std::uint64_t const next = sum + to_units(in[k]);
            judge(so_far, out[k], inclusive ? next : sum, k + 1);
            sum = next;
          }
          std::memset(static_cast<void*>(out + first), static_cast<int>(poison_byte), (last - first) * sizeof(T));
        }
        return so_far;
      },
      worse);
  v.wrong |= !untouched(reinterpret_cast<std::byte const*>(out + n), guard);
  return v;
}

template <class T>
verdict check_sum(T const* in, T* out, std::size_t n, std::vector<std::uint64_t> const& before)
{
  std::size_t const whole = n / exact::chunk;
  verdict v;
  judge(v, out[0], before[whole] + sum_of_units(in + whole * exact::chunk, n - whole * exact::chunk), n);
  return v;
}

template <class T>
verdict check_max(T const* in, T* out, std::size_t n)
{
  T const most = oneapi::tbb::parallel_reduce(
      range(0, n, exact::chunk), in[0],
      [in](range const& r, T m) { return std::max(m, *std::max_element(in + r.begin(), in + r.end())); },
      [](T a, T b) { return std::max(a, b); });
  return {out[0] != most};
}

}  // namespace

exact::exact(data_set const& data) : data_(data), before_(data.size() / chunk + 2)
{
  for_each_element([&]<class T>() {
    if (element_of<T>::value != data.type()) return;
    T const* const in = reinterpret_cast<T const*>(data.in());
    oneapi::tbb::parallel_for(std::size_t{0}, data.size() / chunk,
                              [&](std::size_t c) { before_[c + 1] = sum_of_units(in + c * chunk, chunk); });
  });
  for (std::size_t c = 1; c < before_.size(); ++c) before_[c] += before_[c - 1];
}

void exact::poison(std::size_t n) const
{
  std::byte* const out = data_.out();
  oneapi::tbb::parallel_for(range(0, n * size_of(data_.type()) + guard, 1 << 18), [=](range const& r) {
    std::memset(out + r.begin(), static_cast<int>(poison_byte), r.size());
  });
}

verdict exact::check(operation what, std::size_t n) const
{
  verdict result;
  for_each_element([&]<class T>() {
    if (element_of<T>::value != data_.type()) return;
    T const* const in = reinterpret_cast<T const*>(data_.in());
    T* const out = reinterpret_cast<T*>(data_.out());
    switch (what) {
      case operation::inclusive_scan: result = check_scan(true, in, out, n, before_); break;
      case operation::exclusive_scan: result = check_scan(false, in, out, n, before_); break;
      case operation::reduce_sum: result = check_sum(in, out, n, before_); break;
      case operation::reduce_max: result = check_max(in, out, n); break;
    }
    std::memset(static_cast<void*>(out), static_cast<int>(poison_byte), guard);
  });
  return result;
}

verdict exact::check_copy(std::size_t bytes) const
{
  std::byte const* const in = data_.in();
  std::byte* const out = data_.out();
  bool const differs = oneapi::tbb::parallel_reduce(
      range(0, bytes, 1 << 18), false,
      [=](range const& r, bool so_far) {
        so_far = so_far || std::memcmp(in + r.begin(), out + r.begin(), r.size()) != 0;
        std::memset(out + r.begin(), static_cast<int>(poison_byte), r.size());
        return so_far;
      },
      std::logical_or<>{});
  return {differs || !untouched(out + bytes, guard)};
}

verdict exact::check_read(std::size_t bytes) const
{
  std::uint64_t const* const in = reinterpret_cast<std::uint64_t const*>(data_.in());
  std::uint64_t const expected = oneapi::tbb::parallel_reduce(
      range(0, bytes / 8, chunk), std::uint64_t{0},
      [in](range const& r, std::uint64_t sum) {
        for (std::size_t k = r.begin(); k < r.end(); ++k) sum ^= in[k];
        return sum;
      },
      [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
  verdict const v{std::memcmp(data_.out(), &expected, sizeof expected) != 0};
  std::memset(data_.out(), static_cast<int>(poison_byte), guard);
  return v;
}

}  // namespace tally::bench
