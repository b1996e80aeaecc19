#pragma once

#include <cstddef>
#include <string>

#include "tally/error.hpp"

namespace tally {

/// A piece that does not fit, or whose size is negative: the first one. The message says its size, the capacity and how
/// much is taken before it.
class allocation_error : public error {
public:
  allocation_error(std::string const& what, std::size_t piece) : error(what), piece_(piece) {}
  /// The piece's number, from 0.
  std::size_t piece() const { return piece_; }

private:
  std::size_t piece_;
};

}  // namespace tally
