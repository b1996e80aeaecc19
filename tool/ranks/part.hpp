#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ranks/network.hpp"
#include "ranks/steps.hpp"
#include "settings/settings.hpp"
#include "values.hpp"

namespace tally::cli {

/// A rank's part of the values of a file. Arrays and raw values are cut between elements, text and tables between
/// lines.
class part {
public:
  /// Reads it. Every rank calls it with the same settings. Throws `not_divided` on all ranks.
  static part read(command_settings const& settings, network& by, steps& all);

  /// The type of all values in all parts. Without one, they are integers up to the first value of the file that is
  /// none, and doubles from there on.
  std::optional<io::element_type> type() const { return type_; }
  std::size_t size() const { return count_ + reals_.size(); }
  /// Values of `type()`; or, without one, those before the first double.
  io::values_view values() const;
  /// Values of text from the first double on.
  std::vector<double> const& reals() const { return reals_; }
  /// Whether integers of text have more than 64 bits.
  bool is_wide() const { return wide_; }

private:
  void read_array(command_settings const& settings, network& by, steps& all, std::uint64_t bytes);
  void read_lines(command_settings const& settings, network& by, steps& all, std::uint64_t bytes);
  void parse(command_settings const& settings, int descriptor, bool first_is_other);
  void append(io::values_view const& values);
  void widen();  // the integers of text to 128 bits

  std::optional<io::element_type> type_;
  std::vector<std::byte> stored_;  // values; operator new aligns them for all types
  std::size_t count_ = 0;          // of them
  bool wide_ = false;
  std::vector<double> reals_;
};

}  // namespace tally::cli
