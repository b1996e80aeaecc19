#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "input/source.hpp"
#include "io/numbers/number.hpp"
#include "tool.hpp"

/// --type: conversions of values of each type to each other type, from arrays and from text.
namespace tally::test {
namespace {

using types = std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                         std::uint32_t, std::uint64_t, float, double>;

/// Values beyond every type's limits, values around the greatest exact integers of floating-point types, halves, and
/// values that are not numbers. A long double of 64 bits holds all of them.
std::vector<long double> interesting_values()
{
  std::vector<long double> values = {
      0,       1, 1.5L, 0.25L, static_cast<long double>(1e39), 0x1p-149L, 0x1p-150L, 0x1.ffffffp127L, 0x1.fffffefp127L,
      INFINITY};
  for (int const power : {7, 8, 15, 16, 24, 31, 32, 53, 54, 63, 64, 127, 128})
    for (int const off : {-1, 0, 1}) values.push_back(std::ldexp(1.0L, power) + static_cast<long double>(off));
  // The nearest float is not the float nearest to the nearest double.
  values.push_back(std::ldexp(1.0L, 54) + std::ldexp(1.0L, 30) + 1);
  for (std::size_t k = 1, n = values.size(); k < n; ++k) values.push_back(-values[k]);
  values.push_back(NAN);
  return values;
}

/// The value as T, or what is expected in place of it.
template <class T>
std::string expected(long double value)
{
  if constexpr (std::is_floating_point_v<T>) {
    auto const nearest = static_cast<double>(value);
    auto const rounded = static_cast<T>(nearest);
    if (std::isinf(rounded) && !std::isinf(nearest)) return "a number of magnitude below 3.5e38, to be read as float32";
    return io::to_text(rounded);
  } else {
    if (std::isnan(value) || std::isinf(value) || std::floor(value) != value) return "an integer";
    auto const lowest = static_cast<long double>(std::numeric_limits<T>::lowest());
    auto const highest = static_cast<long double>(std::numeric_limits<T>::max());
    if (value < lowest || value > highest)
      return "a value that fits " + std::string(io::name_of(io::element_type_of<T>));
    return io::to_text(static_cast<T>(value));
  }
}

/// The only value of a file as `type`, or what is expected in place of it.
std::string read_as_type(std::string const& path, io::element_type type)
{
  cli::input_settings settings;
  settings.files = {path};
  settings.type = type;
  try {
    cli::source from(settings, 1);
    io::batch batch;
    if (!from.next(batch)) return "nothing";
    EXPECT_EQ(io::type_of(batch.values()), type);
    return std::visit([](auto span) { return io::to_text(span[0]); }, batch.values());
  } catch (io::data_error const& wrong) {
    return wrong.expected();
  }
}

template <class T>
constexpr bool holds(long double value)
{
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value) || (static_cast<long double>(static_cast<T>(value)) == value &&
                                 (std::isinf(value) || !std::isinf(static_cast<T>(value))));
  else
    return std::floor(value) == value && value >= static_cast<long double>(std::numeric_limits<T>::lowest()) &&
           value <= static_cast<long double>(std::numeric_limits<T>::max());
}

template <class T>
std::string npy_code()
{
  return (std::is_floating_point_v<T> ? "<f" : std::is_signed_v<T> ? "<i" : "<u") + std::to_string(sizeof(T));
}

class type_pairs : public in_folder {
protected:
  template <class From, class To>
  void check(long double value)
  {
    std::string const array = file("x.npy", npy(npy_code<From>(), "(1,)", bytes_of<From>({static_cast<From>(value)})));
    EXPECT_EQ(read_as_type(array, io::element_type_of<To>), expected<To>(value))
        << io::name_of(io::element_type_of<From>) << " " << static_cast<double>(value) << " as "
        << io::name_of(io::element_type_of<To>);
  }

  /// The value as text in full: "%.0Lf" if that is short, so that integers look like integers.
  template <class To>
  void check_text(long double value)
  {
    bool const whole = std::floor(value) == value && !std::isinf(value);
    for (std::string const ending : {"", ".", ".000"}) {
      if (!whole && !ending.empty()) continue;
      char digits[400];
      std::snprintf(digits, sizeof digits, whole ? "%.0Lf" : "%.200Lf", value);
      std::string want = expected<To>(value);
      // Text has integers of at most 128 bits.
      bool const too_large = whole && (value >= 0x1p127L || value < -0x1p127L);
      if (too_large && !std::is_floating_point_v<To>) want = "an integer of at most 128 bits";
      EXPECT_EQ(read_as_type(file("x.txt", digits + ending), io::element_type_of<To>), want)
          << digits + ending << " as " << io::name_of(io::element_type_of<To>);
    }
  }
};

TEST_F(type_pairs, one_rule_for_arrays_of_every_type)
{
  int pairs = 0;
  for (long double const value : interesting_values()) {
    auto const from_each = [&]<class... From>(std::tuple<From...> const&) {
      auto const one = [&]<class One>(One) {
        if (!holds<One>(value)) return;
        std::apply([&](auto... to) { (check<One, decltype(to)>(value), ...); }, types());
        ++pairs;
      };
      (one(From()), ...);
    };
    from_each(types());
  }
  EXPECT_GT(pairs, 300);
}

TEST_F(type_pairs, the_same_rule_for_text)
{
  for (long double const value : interesting_values())
    std::apply([&](auto... to) { (check_text<decltype(to)>(value), ...); }, types());
  EXPECT_EQ(read_as_type(file("x.txt", "-0"), io::element_type::float64), "-0.0");
  EXPECT_EQ(read_as_type(file("x.txt", "-0"), io::element_type::float32), "-0.0");
  EXPECT_EQ(read_as_type(file("x.txt", "-0"), io::element_type::int8), "0");
  EXPECT_EQ(read_as_type(file("x.txt", "-0.0"), io::element_type::int8), "0");
  EXPECT_EQ(read_as_type(file("x.txt", "1e3"), io::element_type::int32), "an integer");
  EXPECT_EQ(read_as_type(file("x.npy", npy("<f8", "(1,)", bytes_of<double>({-0.0}))), io::element_type::int8), "0");
  EXPECT_EQ(read_as_type(file("x.npy", npy("<f8", "(1,)", bytes_of<double>({-0.0}))), io::element_type::float32),
            "-0.0");
}

}  // namespace
}  // namespace tally::test
