#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "groups/states/column_states.hpp"

namespace tally::cli {

/// The states of the operations on all columns, one after the other.
class group_states {
public:
  /// Of columns of values of `type`, or of text if there is none. `settings` must outlive it.
  group_states(command_settings const& settings, std::optional<io::element_type> type, std::size_t columns)
  {
    for (std::size_t c = 0; c < columns; ++c) {
      columns_.push_back({bytes_, column_states(settings, type)});
      bytes_ += columns_.back().states.bytes();
    }
  }

  std::size_t columns() const { return columns_.size(); }
  std::size_t bytes() const { return bytes_; }
  /// See column_states.
  bool may_fail() const { return !columns_.empty() && columns_[0].states.may_fail(); }

  /// Combines the next values of a group in a column. Throws `value_problem`.
  template <class T>
  void add(std::size_t column, std::byte* state, std::span<T const> values, state_memory& memory) const
  {
    columns_[column].states.add(state + columns_[column].at, values, memory);
  }

  /// Replaces `to` by the results: those of the first column, of the second one, ...
  void results(std::byte* state, state_memory& memory, std::vector<result>& to)
  {
    to.clear();
    for (placed_states& each : columns_) each.states.results(state + each.at, memory, to);
  }

private:
  struct placed_states {
    std::size_t at;  // in a group's state
    column_states states;
  };

  std::vector<placed_states> columns_;
  std::size_t bytes_ = 0;
};

}  // namespace tally::cli
