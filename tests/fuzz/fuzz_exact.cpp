#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "../exact/whole_number.hpp"
#include "fuzz_input.hpp"
#include "tally/half.hpp"
#include "tally/tally.hpp"

using tally::exact_accumulator;
using tally::exact_plus;
using tally::test::neighbours;
using tally::test::whole_number;
using namespace tally::io::testing;

namespace {

/// Any NaN is the same as any other.
template <class T>
bool is_same(T a, T b)
{
  double const x = static_cast<double>(a), y = static_cast<double>(b);
  return x != x ? y != y : std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

/// The sum that IEEE 754 gives terms of which one is not finite.
template <class T>
double not_finite(std::vector<T> const& x)
{
  double sum = 0;
  for (T const& each : x)
    if (auto const term = static_cast<double>(each); !std::isfinite(term)) sum += term;
  return sum;
}

/// The sum is the nearest number, and the same however the terms are cut up; so are those of all prefixes.
template <class T>
void check_sums(std::vector<T> const& x, std::size_t cut)
{
  using accumulator = exact_accumulator<T>;
  std::size_t const n = x.size();
  whole_number exact;
  bool are_finite = true;
  accumulator forward;
  std::vector<T> prefixes;
  for (T const& each : x) {
    are_finite = are_finite && std::isfinite(static_cast<double>(each));
    if (are_finite) exact += whole_number::of(static_cast<double>(each));
    forward.add(each);
    prefixes.push_back(forward.round());
  }
  T const sum = forward.round();
  if (are_finite)
    require(tally::test::is_nearest(exact, 1, sum, neighbours<T>{}), "the sum is the nearest number");
  else
    require(is_same(static_cast<double>(sum), not_finite(x)), "infinities and NaN as IEEE 754 adds them");
  if (n > 0) require(is_same(tally::reduce(x, exact_plus{}), sum), "reduce is an accumulator");

  // Two parts, the second one from its end, merged.
  accumulator first, second;
  first.add(std::span(x).first(cut));
  for (std::size_t k = n; k-- > cut;) second.add(x[k]);
  second.add(first);
  require(second.bytes() == forward.bytes(), "one canonical form for every order and division");
  accumulator const kept = accumulator::from_bytes(forward.bytes());
  require(kept.bytes() == forward.bytes() && is_same(kept.round(), sum), "bytes are kept");
  second.subtract(forward);
  if (are_finite) require(static_cast<double>(second.round()) == 0, "a sum less itself is 0");

  std::vector<T> scanned(n);
  tally::inclusive_scan(x, scanned, exact_plus{});
  for (std::size_t k = 0; k < n; ++k) require(is_same(scanned[k], prefixes[k]), "scans are accumulators");
}

/// Any bytes are refused, or are the canonical form of a sum.
template <class T>
void check_bytes(std::span<std::byte const> given)
{
  using accumulator = exact_accumulator<T>;
  typename accumulator::byte_array bytes = accumulator{}.bytes();
  // Behind the two bytes of the format, which few inputs would have.
  for (std::size_t k = 0; k < given.size() && k + 2 < bytes.size(); ++k) bytes[k + 2] = given[k];
  try {
    accumulator const sum = accumulator::from_bytes(bytes);
    require(sum.bytes() == bytes, "what is not refused is a canonical form");
  } catch (tally::usage_error const&) {
  }
}

template <class T>
void check(choices const& how)
{
  check_bytes<T>(std::as_bytes(std::span(how.rest)));
  std::vector<T> x(how.rest.size() / sizeof(T));
  if (!x.empty()) std::memcpy(static_cast<void*>(x.data()), how.rest.data(), x.size() * sizeof(T));
  check_sums(x, x.empty() ? 0 : how.second % (x.size() + 1));
}

}  // namespace

/// The terms are the bytes themselves: every exponent, subnormal numbers, infinities and NaNs.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
  choices const how(data, size < 4096 ? size : 4096);
  switch (how.first % 4) {
    case 0: check<float>(how); break;
    case 1: check<double>(how); break;
    case 2: check<tally::half>(how); break;
    default: check<tally::bfloat16>(how); break;
  }
  return 0;
}
