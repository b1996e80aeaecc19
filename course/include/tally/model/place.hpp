#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tally::model {

/// A place in a kernel's source.
struct place {
  char const* file = "";
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// The index of an array access, with the place of the access: it is converted from an int there.
struct position {
  int index;
  std::source_location where;
  constexpr position(int k, std::source_location at = std::source_location::current()) : index(k), where(at) {}
  /// Converts an element that is read as an index: x[first[t]].
  template <std::convertible_to<int> K>
    requires std::is_class_v<K>
  constexpr position(K const& k, std::source_location at = std::source_location::current())
      : index(static_cast<int>(k)),
        where(at)
  {
  }
  /// Another index with the same place.
  constexpr position at(int k) const { return {k, where}; }
};

/// Numbers the places of a run: equal places have equal numbers.
class place_table {
public:
  std::uint32_t number(std::source_location const& where)
  {
    recent& last = recent_[(where.line() * 0x9e3779b1U + where.column() * 0x85ebca77U) >> 22];
    if (last.number == 0 || !same(places_[last.number], where)) last.number = search(where);
    return last.number;
  }
  place const& operator[](std::uint32_t number) const { return places_[number]; }

private:
  struct recent {
    std::uint32_t number = 0;
  };
  static bool same(place const& a, std::source_location const& b)
  {
    return a.line == b.line() && a.column == b.column() &&
           (a.file == b.file_name() || std::string_view(a.file) == b.file_name());
  }
  std::uint32_t search(std::source_location const& where)
  {
    for (std::size_t k = 1; k < places_.size(); ++k)
      if (same(places_[k], where)) return static_cast<std::uint32_t>(k);
    places_.push_back({where.file_name(), where.line(), where.column()});
    return static_cast<std::uint32_t>(places_.size() - 1);
  }
  std::vector<place> places_ = {place{}};  // 0: nowhere
  std::array<recent, 1024> recent_{};
};

}  // namespace tally::model
