#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "io/numbers/number.hpp"

namespace tally::cli {

/// Comparisons with numbers that a value must all meet: "x > 3 and x <= 10".
class condition {
public:
  /// Throws `command_line_error` if the text is not a condition.
  explicit condition(std::string const& text);

  template <class T>
  bool operator()(T value) const
  {
    for (comparison const& each : all_)
      if (!each.holds(value)) return false;
    return true;
  }

private:
  enum class relation { less, at_most, greater, at_least, equal, different };
  struct comparison {
    relation with;
    io::number limit;

    template <class T>
    bool holds(T value) const
    {
      // Integers are compared with integers exactly; all other pairs as doubles.
      if constexpr (!std::is_floating_point_v<T>)
        if (auto const* const integer = std::get_if<io::int128>(&limit)) return compare<io::int128>(value, *integer);
      double const to = std::holds_alternative<double>(limit) ? std::get<double>(limit)
                                                              : static_cast<double>(std::get<io::int128>(limit));
      return compare(static_cast<double>(value), to);
    }
    template <class T>
    bool compare(T value, T to) const
    {
      switch (with) {
        case relation::less: return value < to;
        case relation::at_most: return value <= to;
        case relation::greater: return value > to;
        case relation::at_least: return value >= to;
        case relation::equal: return value == to;
        default: return value != to;
      }
    }
  };

  comparison parse(std::string const& text, std::string_view one) const;

  std::vector<comparison> all_;
};

}  // namespace tally::cli
