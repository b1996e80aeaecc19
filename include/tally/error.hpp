#pragma once

#include <stdexcept>

namespace tally {

/// The base of Tally's exceptions: a call cannot be carried out. The message says what is wrong, where, and what would
/// be right.
class error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A call breaks its contract in a way that shows only at run time (a chunk that is not a whole number of tiles, a
/// negative thread count).
class usage_error : public error {
public:
  using error::error;
};

}  // namespace tally
