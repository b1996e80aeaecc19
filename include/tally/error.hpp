#pragma once

#include <stdexcept>

namespace tally {

/// What Tally throws when a call cannot be carried out. The message names what, where, and what would be right.
class error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A call that breaks its contract in a way that only shows when it runs (a chunk that is not a whole number of tiles,
/// a negative thread count).
class usage_error : public error {
public:
  using error::error;
};

}  // namespace tally
