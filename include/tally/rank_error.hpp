#pragma once

#include <string>

#include "tally/error.hpp"

namespace tally {

/// A call on several ranks has ended on all of them, because one rank failed or made another call than the rest. On a
/// rank that failed its own exception is nested in this one (std::rethrow_if_nested).
class rank_error : public error {
public:
  rank_error(int rank, std::string const& what) : error(what), rank_(rank) {}
  int rank() const { return rank_; }  ///< the first rank that failed or differs

private:
  int rank_;
};

}  // namespace tally
