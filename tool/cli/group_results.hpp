#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "commands.hpp"
#include "io/element_type.hpp"
#include "settings.hpp"
#include "values.hpp"

namespace tally::cli {

/// The reductions of groups whose values arrive in parts, in any order of the groups.
///
/// The accumulators of a group take 1 to 2 KiB, and some microseconds to be made. So a group has none as long as its
/// values take less: they are held, and all such groups are reduced at the end, one after the other by the same
/// accumulators.
class group_results {
public:
  /// Of values of `type`, or of text if there is none.
  group_results(command_settings const& settings, std::optional<io::element_type> type);

  /// Takes the next values of a group; groups count from 0. Throws `value_problem`.
  void reduce(std::uint32_t group, io::values_view const& values);

  /// The results of so many groups, one for each operation of the settings, group by group. To be called once.
  std::vector<result> take(std::size_t groups);

private:
  /// The most values of a group that are held.
  static constexpr std::size_t most_held = 64;

  /// The values of a group, a word each: of `type`, or of text its integers, and then doubles.
  struct group {
    std::vector<std::uint64_t> words;
    std::size_t integers = 0;
    accumulators all;  // empty while the values are held
  };

  bool can_hold(group const& here, io::values_view const& values) const;
  void hand_over(group const& from, accumulators const& to);

  command_settings const& settings_;
  std::optional<io::element_type> type_;
  bool holds_integers_ = true;  // no operation on few of them fails
  bool holds_floating_ = true;
  std::vector<group> groups_;
  value_buffer room_;
};

}  // namespace tally::cli
