#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ranks/network.hpp"
#include "tally/detail/ranks/session.hpp"

namespace tally::cli {

/// A value of each rank, in the order of ranks. T is trivially copyable.
template <class T>
std::vector<T> of_all_ranks(network& by, T const& mine)
{
  std::vector<T> all(static_cast<std::size_t>(by.size()));
  by.allgather(reinterpret_cast<std::byte const*>(&mine), reinterpret_cast<std::byte*>(all.data()), sizeof(T));
  return all;
}

/// Some rank cannot do its part, as all ranks know: rank 0 runs the command alone, and reports what is wrong.
struct not_divided {};

/// Steps of work that all ranks take together.
class steps : public ranks_backend::kept_failure {
public:
  explicit steps(network& by) : by_(&by) {}

  /// Throws `not_divided` on all ranks if an attempt has failed on one.
  void agree()
  {
    std::vector<char> const failures = of_all_ranks<char>(*by_, failed());
    if (std::ranges::count(failures, 1) > 0) throw not_divided();
  }
  /// An attempt, and what all agree on.
  template <class Work>
  void take(Work const& work)
  {
    attempt(work);
    agree();
  }

private:
  network* by_;
};

}  // namespace tally::cli
