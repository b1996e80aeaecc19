#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "tally/error.hpp"
#include "tally/model/array.hpp"
#include "textbook/elements.hpp"
#include "textbook/usual_identity.hpp"

namespace tally::textbook {

template <class T>
T combined_by_own(own_operator const& op, T a, T b)
{
  double const result = op.combine(static_cast<double>(a), static_cast<double>(b));
  if constexpr (std::is_integral_v<T>) {
    using limits = std::numeric_limits<T>;
    double const whole = std::trunc(result);
    if (!(whole >= limits::min() && whole <= limits::max()))
      throw usage_error(op.text + " is " + model::text_of(result) + " for a = " + std::to_string(a) +
                        " and b = " + std::to_string(b) + ", and that is no integer of four bytes; give decimals");
    return static_cast<T>(whole);
  } else {
    return static_cast<T>(result);
  }
}
template int combined_by_own<int>(own_operator const& op, int a, int b);
template float combined_by_own<float>(own_operator const& op, float a, float b);

template <class T>
T identity_of_own(own_operator const& op)
{
  if (!op.identity)
    throw usage_error(op.text + " has no identity that is known, and this kernel begins with one, or fills up with it");
  if constexpr (std::is_integral_v<T>) {
    using limits = std::numeric_limits<T>;
    if (std::isinf(*op.identity)) return *op.identity < 0 ? limits::min() : limits::max();  // of the maximum, minimum
    if (*op.identity != std::trunc(*op.identity) || !(std::fabs(*op.identity) <= limits::max()))
      throw usage_error("the identity " + model::text_of(*op.identity) + " is no integer of four bytes; give decimals");
  }
  return static_cast<T>(*op.identity);
}
template int identity_of_own<int>(own_operator const& op);
template float identity_of_own<float>(own_operator const& op);

std::optional<double> usual_identity(std::function<double(double, double)> const& combine)
{
  constexpr double infinity = HUGE_VAL, numbers[] = {1, -1, 2, -3, 0.5, 7, 1000};
  for (double const e : {0.0, 1.0, -1.0, -infinity, infinity})
    if (std::ranges::all_of(numbers, [&](double x) { return combine(e, x) == x && combine(x, e) == x; })) return e;
  return std::nullopt;
}

}  // namespace tally::textbook
