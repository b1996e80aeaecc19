#include <array>
#include <complex>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "src/c/arrays.hpp"
#include "src/c/steps.hpp"
#include "tally/half.hpp"

namespace tally::c {

namespace {

using types =
    std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
               std::uint64_t, half, bfloat16, float, double, bool, std::complex<float>, std::complex<double>>;
constexpr std::size_t count = std::tuple_size_v<types>;

constexpr tally_type names[count] = {TALLY_INT8,    TALLY_INT16,   TALLY_INT32,  TALLY_INT64,     TALLY_UINT8,
                                     TALLY_UINT16,  TALLY_UINT32,  TALLY_UINT64, TALLY_FLOAT16,   TALLY_BFLOAT16,
                                     TALLY_FLOAT32, TALLY_FLOAT64, TALLY_BOOL8,  TALLY_COMPLEX64, TALLY_COMPLEX128};

template <class T>
constexpr bool whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
constexpr bool complex = false;
template <class T>
constexpr bool complex<std::complex<T>> = true;
template <class From, class To>
constexpr bool converts_to = std::is_same_v<From, To> || std::is_same_v<From, bool> || (whole<From> && whole<To>) ||
                             !(whole<To> || std::is_same_v<To, bool> || (complex<From> && !complex<To>));

template <class From, class To>
To converted(From const& value)
{
  if constexpr (complex<To> && !complex<From>)
    return To(static_cast<typename To::value_type>(value));
  else
    return static_cast<To>(value);
}

template <class T>
T value_at(std::byte const* at)
{
  // A byte other than 0 and 1 is true, as in NumPy. To load it as a bool is undefined.
  if constexpr (std::is_same_v<T, bool>)
    return *at != std::byte{0};
  else
    return *reinterpret_cast<T const*>(at);
}

using run = void (*)(std::byte const*, std::ptrdiff_t, std::byte*, std::ptrdiff_t, std::size_t);

template <class From, class To>
void convert_run(std::byte const* in, std::ptrdiff_t in_step, std::byte* out, std::ptrdiff_t out_step, std::size_t n)
{
  for (; n > 0; --n, in += in_step, out += out_step)
    *reinterpret_cast<To*>(out) = converted<From, To>(value_at<From>(in));
}

template <class From, class To>
constexpr run run_of()
{
  if constexpr (converts_to<From, To>)
    return convert_run<From, To>;
  else
    return nullptr;
}

template <std::size_t... Pair>
constexpr std::array<run, count * count> all_runs(std::index_sequence<Pair...>)
{
  return {run_of<std::tuple_element_t<Pair / count, types>, std::tuple_element_t<Pair % count, types>>()...};
}
constexpr std::array<run, count * count> runs = all_runs(std::make_index_sequence<count * count>());

run find(tally_type from, tally_type to)
{
  std::size_t f = 0, t = 0;
  while (f < count && !same(names[f], from)) ++f;
  while (t < count && !same(names[t], to)) ++t;
  return f == count || t == count ? nullptr : runs[f * count + t];
}

}  // namespace

bool converts(tally_type from, tally_type to)
{
  return find(from, to) != nullptr;
}

void convert(array const& from, array const& to)
{
  for_each_run(from, to, find(from.type, to.type));
}

}  // namespace tally::c
