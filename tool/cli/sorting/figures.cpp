#include "sorting/figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "sorting/order_key.hpp"

namespace tally::cli {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The smallest n in [least, most] with `reaches(n)`, searched by halves. Requires: `reaches` is monotone and holds for
/// `most`.
template <class Reaches>
order_key smallest(order_key least, order_key most, Reaches reaches)
{
  while (least < most) {
    order_key const middle = least + (most - least) / 2;
    if (reaches(middle))
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

/// Sorted runs as one sequence.
class in_order {
public:
  explicit in_order(sorted_values& values) : runs_(values.runs()), integers_(values.holds_integers()) {}

  /// The value at a place, from 0. Among several runs it is searched by the bits of values: in each step the values up
  /// to the middle are counted by a binary search in each run.
  result at(std::uint64_t place) const
  {
    if (runs_.size() == 1) return std::visit([&](auto run) { return as_result(run[place]); }, runs_[0]);
    order_key const found = smallest(0, integers_ ? ~order_key{0} : order_key{key_of_nan}, [&](order_key most) {
      return count([&](auto value) { return key_here(value) <= most; }) > place;
    });
    if (integers_) return value_of<int128>(found);
    return value_of<double>(found);
  }

  /// The number of values for which `holds`, which holds up to a place in each run and not beyond.
  template <class Holds>
  std::uint64_t count(Holds holds) const
  {
    std::uint64_t total = 0;
    for (sorted_values::run const& each : runs_)
      std::visit(
          [&](auto run) {
            total += static_cast<std::uint64_t>(std::ranges::partition_point(run, holds) - run.begin());
          },
          each);
    return total;
  }

  /// Calls use(value, count) with each different value, in ascending order. 0.0 and -0.0 are 0.0.
  template <class Use>
  void for_each_different(Use use) const
  {
    std::vector<std::size_t> taken(runs_.size(), 0);
    for (;;) {
      order_key next = 0;
      bool more = false;
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        std::visit(
            [&](auto run) {
              if (taken[r] == run.size()) return;
              order_key const first = key_of_equals(run[taken[r]]);
              if (!more || first < next) next = first;
              more = true;
            },
            runs_[r]);
      }
      if (!more) return;
      std::uint64_t count = 0;
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        std::visit(
            [&](auto run) {
              std::size_t const before = taken[r];
              while (taken[r] < run.size() && key_of_equals(run[taken[r]]) == next) ++taken[r];
              count += taken[r] - before;
            },
            runs_[r]);
      }
      if (integers_)
        use(result(value_of<int128>(next)), count);
      else
        use(result(value_of<double>(next)), count);
    }
  }

  /// The number of values that are less than one of them.
  template <class T>
  std::uint64_t less_than(T value) const
  {
    order_key const key = key_of_equals(value);
    return count([&](auto each) { return key_of_equals(each) < key; });
  }

  bool integers() const { return integers_; }

private:
  template <class T>
  order_key key_here(T value) const
  {
    return integers_ ? key_of(static_cast<int128>(value)) : key_of(static_cast<double>(value));
  }
  template <class T>
  order_key key_of_equals(T value) const
  {
    return key_here(value == T{} ? T{} : value);
  }
  template <class T>
  result as_result(T value) const
  {
    if (integers_) return static_cast<int128>(value);
    return static_cast<double>(value);
  }

  std::vector<sorted_values::run> const& runs_;
  bool integers_;
};

/// Whether some value is NaN: those are last.
bool has_nan(sorted_values& values, in_order const& sorted)
{
  return !sorted.integers() && std::isnan(nearest_double(sorted.at(values.size() - 1)));
}

/// The integer whole + numerator / denominator, or the number nearest to it. Requires: 0 <= numerator < denominator.
result sum_of(int128 whole, std::int64_t numerator, std::int64_t denominator, between_integers form)
{
  if (numerator == 0) return whole;
  if (form == between_integers::an_integer) {
    std::int64_t const beyond = numerator - (denominator - numerator);
    return whole + (beyond > 0 || (beyond == 0 && whole % 2 != 0));
  }
  constexpr int128 exact = int128{1} << 53;
  int128 scaled = 0;
  if (!__builtin_mul_overflow(whole, int128{denominator}, &scaled) && scaled > -exact && scaled < exact - denominator)
    return static_cast<double>(scaled + numerator) / static_cast<double>(denominator);
  return static_cast<double>(whole) + static_cast<double>(numerator) / static_cast<double>(denominator);
}

double between_doubles(double a, double b, double part)
{
  if (a == b) return a;
  double const difference = b - a;
  if (std::isinf(difference)) return a * (1 - part) + b * part;  // of two infinities, or beyond the greatest double
  return part < 0.5 ? a + difference * part : b - difference * (1 - part);
}

/// The integers 2|x - m| in order, where 2m is an integer.
int128 doubled_deviation(in_order const& sorted, int128 twice_median, std::uint64_t place)
{
  auto const within = [&](order_key distance) {
    auto const most = static_cast<int128>(distance);
    return sorted.count([&](auto x) { return 2 * static_cast<int128>(x) <= twice_median + most; }) -
           sorted.count([&](auto x) { return 2 * static_cast<int128>(x) < twice_median - most; });
  };
  return static_cast<int128>(
      smallest(0, order_key{1} << 126, [&](order_key distance) { return within(distance) > place; }));
}

double deviation(in_order const& sorted, double median, std::uint64_t place)
{
  auto const within = [&](order_key bits) {
    double const most = std::bit_cast<double>(static_cast<std::uint64_t>(bits));
    return sorted.count([&](auto x) { return static_cast<double>(x) - median <= most; }) -
           sorted.count([&](auto x) { return median - static_cast<double>(x) > most; });
  };
  constexpr auto infinity = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  order_key const found = smallest(0, infinity, [&](order_key bits) { return within(bits) > place; });
  return std::bit_cast<double>(static_cast<std::uint64_t>(found));
}

}  // namespace

double nearest_double(result const& value)
{
  return std::visit([](auto x) { return static_cast<double>(x); }, value);
}

int128 nearest_integer(double value)
{
  constexpr int128 most = ~(int128{1} << 127);
  double const rounded = std::nearbyint(value);
  return rounded < 0x1p127 ? static_cast<int128>(rounded) : most;
}

result between(result const& a, result const& b, fraction part, between_integers form)
{
  if (part.numerator == 0) return a;
  int128 const* const low = std::get_if<int128>(&a);
  int128 const* const high = std::get_if<int128>(&b);
  if ((low == nullptr || high == nullptr) && 2 * part.numerator == part.denominator)
    return std::midpoint(nearest_double(a), nearest_double(b));
  if (low == nullptr || high == nullptr)
    return between_doubles(nearest_double(a), nearest_double(b),
                           static_cast<double>(part.numerator) / static_cast<double>(part.denominator));
  // a + (b - a) n/d = a + (b - a)/d*n + ((b - a)%d)*n/d, where no product overflows: b - a has 128 bits without a sign.
  order_key const difference = static_cast<order_key>(*high) - static_cast<order_key>(*low);
  auto const numerator = static_cast<order_key>(part.numerator);
  auto const denominator = static_cast<order_key>(part.denominator);
  order_key const rest = difference % denominator * numerator;
  order_key const whole = static_cast<order_key>(*low) + difference / denominator * numerator + rest / denominator;
  return sum_of(static_cast<int128>(whole), static_cast<std::int64_t>(rest % denominator), part.denominator, form);
}

quantile_place place_of(operation op, std::uint64_t size)
{
  fraction const share = share_of(op);
  order_key const position = static_cast<order_key>(size - 1) * static_cast<order_key>(share.numerator);
  auto const denominator = static_cast<order_key>(share.denominator);
  return {static_cast<std::uint64_t>(position / denominator),
          {static_cast<std::int64_t>(position % denominator), share.denominator}};
}

result quantile_of(sorted_values& values, operation op, between_integers form)
{
  if (values.size() == 0) return not_a_number;
  in_order const sorted(values);
  if (has_nan(values, sorted)) return not_a_number;
  quantile_place const at = place_of(op, values.size());
  result const here = sorted.at(at.place);
  return at.part.numerator == 0 ? here : between(here, sorted.at(at.place + 1), at.part, form);
}

result median_absolute_deviation_of(sorted_values& values, operation, between_integers form)
{
  if (values.size() == 0) return not_a_number;
  in_order const sorted(values);
  std::uint64_t const lower = (values.size() - 1) / 2;
  std::uint64_t const upper = values.size() / 2;
  result const a = sorted.at(lower);
  result const b = sorted.at(upper);
  if (sorted.integers()) {
    // Values of up to 124 bits: no sum overflows. Others are taken as doubles.
    constexpr int128 safe = int128{1} << 124;
    auto const is_safe = [&](result const& x) { return std::get<int128>(x) > -safe && std::get<int128>(x) < safe; };
    if (is_safe(sorted.at(0)) && is_safe(sorted.at(values.size() - 1))) {
      int128 const twice_median = std::get<int128>(a) + std::get<int128>(b);
      int128 const four_times =
          doubled_deviation(sorted, twice_median, lower) + doubled_deviation(sorted, twice_median, upper);
      return sum_of(four_times / 4, static_cast<std::int64_t>(four_times % 4), 4, form);
    }
  }
  double const median = nearest_double(between(a, b, {1, 2}));
  if (!std::isfinite(median) || has_nan(values, sorted)) return not_a_number;
  double const found = std::midpoint(deviation(sorted, median, lower), deviation(sorted, median, upper));
  if (form == between_integers::an_integer) return nearest_integer(found);
  return found;
}

result difference_of(result const& a, result const& b, between_integers form)
{
  int128 const* const from = std::get_if<int128>(&a);
  int128 const* const less = std::get_if<int128>(&b);
  int128 exact = 0;
  if (from != nullptr && less != nullptr && !__builtin_sub_overflow(*from, *less, &exact)) return exact;
  double const rounded = nearest_double(a) - nearest_double(b);
  if (form == between_integers::an_integer) return nearest_integer(rounded);
  return rounded;
}

result interquartile_range_of(sorted_values& values, operation, between_integers form)
{
  return difference_of(quantile_of(values, upper_quartile, form), quantile_of(values, lower_quartile, form), form);
}

result most_frequent_of(sorted_values& values, operation, between_integers)
{
  result found = not_a_number;
  std::uint64_t most = 0;
  in_order(values).for_each_different([&](result const& value, std::uint64_t count) {
    if (count <= most) return;
    most = count;
    found = value;
  });
  return found;
}

void ranks_of(io::values_view const& some, sorted_values& values, std::int64_t* ranks)
{
  in_order const sorted(values);
  std::visit(
      [&](auto in) {
        for (std::size_t k = 0; k < in.size(); ++k) ranks[k] = 1 + static_cast<std::int64_t>(sorted.less_than(in[k]));
      },
      some);
}

result number_of_distinct(sorted_values& values, operation, between_integers)
{
  std::uint64_t count = 0;
  in_order(values).for_each_different([&](result const&, std::uint64_t) { ++count; });
  return static_cast<int128>(count);
}

}  // namespace tally::cli
