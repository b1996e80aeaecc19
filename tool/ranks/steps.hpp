#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <vector>

#include "ranks/network.hpp"

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
class steps {
public:
  explicit steps(network& by) : by_(&by) {}

  /// Runs this rank's work. Whatever it throws is kept, and `agree` tells all ranks.
  template <class Work>
  void attempt(Work const& work)
  {
    if (failure_) return;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// Throws `not_divided` on all ranks if an attempt has failed on one.
  void agree()
  {
    std::vector<char> const failed = of_all_ranks<char>(*by_, failure_ != nullptr);
    if (std::ranges::count(failed, 1) > 0) throw not_divided();
  }
  /// An attempt, and what all agree on.
  template <class Work>
  void take(Work const& work)
  {
    attempt(work);
    agree();
  }

  std::exception_ptr failure() const { return failure_; }

private:
  network* by_;
  std::exception_ptr failure_;
};

}  // namespace tally::cli
