#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "draw/recording.hpp"

namespace tally::draw {

/// The column of each element in a diagram. Inputs have a column each, in order; so has a global array of the same
/// size. An element of shared memory has the column that its value comes from or goes to.
class columns {
public:
  explicit columns(recording const& run);

  std::optional<int> of(element const& where) const;
  void learn(element const& where, int column) { known_[{where.array, where.index}] = column; }
  int count() const { return count_; }
  /// Whether inputs are only counted: none of them is combined or moved, so they have columns of their own.
  bool are_counts() const { return counts_; }

private:
  using key = std::pair<int, int>;

  void place_global();
  void place_counts();
  void place_shared();
  void place_siblings();
  void place_padding();

  recording const& run_;
  int count_ = 0;
  bool counts_ = false;
  std::map<key, int> known_;
};

}  // namespace tally::draw
