#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/input.hpp"
#include "settings/settings.hpp"

namespace tally::cli {

/// `tally app recurrence`.
struct recurrence_settings {
  input_settings input;
  std::string output = "-";
  std::string a, b;                  ///< columns, or empty
  std::vector<double> coefficients;  ///< of a filter; empty if coefficients vary
  std::vector<double> initial;       ///< the state before, the latest value first; empty for zeros
  std::string initial_from;          ///< the column or the array of the states before, or empty
  std::vector<int> axes;             ///< none or one
  bool reversed = false;
  bool last = false;  ///< only the last states are printed

  /// The number of values in a state.
  std::size_t order() const { return coefficients.empty() ? 1 : coefficients.size(); }
  /// The state before every sequence.
  std::vector<double> state_before() const { return initial.empty() ? std::vector<double>(order()) : initial; }
};

/// Recurrences of rows of text: one, or one for each group.
void recur_in_rows(recurrence_settings const& settings);

/// Recurrences along an axis of arrays.
void recur_along_axis(recurrence_settings const& settings);

}  // namespace tally::cli
