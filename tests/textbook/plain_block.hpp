#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// A block whose arrays are plain pointers, as on a GPU: it shows that a kernel works with these as well. Its threads
/// run one after the other.
class plain_block {
public:
  template <class E>
  struct per_thread {
    E& operator[](int t) const { return values.get()[t]; }
    std::shared_ptr<E[]> values;
  };

  plain_block(int size, int index, int count) : size_(size), index_(index), count_(count) {}

  int size() const { return size_; }
  int index() const { return index_; }
  int count() const { return count_; }

  template <class F>
  void step(F const& f) const
  {
    for (int t = 0; t < size_; ++t) f(t);
  }
  template <class F>
  void each(F const& f) const
  {
    step(f);
  }

  template <class E>
  E* shared(int n, char const*) const
  {
    std::shared_ptr<E[]> const made(new E[static_cast<std::size_t>(n)]());
    memory_.push_back(made);
    return made.get();
  }
  template <class E>
  per_thread<E> registers() const
  {
    return {std::shared_ptr<E[]>(new E[static_cast<std::size_t>(size_)]())};
  }
  template <class E>
  per_thread<E> shuffle_up(per_thread<E> const& own, int distance) const
  {
    auto received = registers<E>();
    for (int t = 0; t < size_; ++t) received[t] = own[t % warp_lanes >= distance ? t - distance : t];
    return received;
  }

private:
  int size_, index_, count_;
  mutable std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace tally::textbook
