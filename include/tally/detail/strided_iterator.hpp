#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"

namespace tally::detail {

/// The iterator over elements at equal distances: a column, or a row from its end.
template <class T>
class strided_iterator {
public:
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using pointer = T*;
  using iterator_category = std::random_access_iterator_tag;

  strided_iterator() = default;
  TALLY_HD strided_iterator(T* first, std::ptrdiff_t step) : first_(first), step_(step) {}

  TALLY_HD reference operator*() const { return first_[at_ * step_]; }
  TALLY_HD reference operator[](difference_type k) const { return first_[(at_ + k) * step_]; }

  TALLY_HD strided_iterator& operator+=(difference_type k)
  {
    at_ += k;
    return *this;
  }
  TALLY_HD strided_iterator& operator-=(difference_type k) { return *this += -k; }
  TALLY_HD strided_iterator& operator++() { return *this += 1; }
  TALLY_HD strided_iterator& operator--() { return *this -= 1; }
  TALLY_HD strided_iterator operator++(int)
  {
    strided_iterator const before = *this;
    ++*this;
    return before;
  }
  TALLY_HD strided_iterator operator--(int)
  {
    strided_iterator const before = *this;
    --*this;
    return before;
  }
  TALLY_HD friend strided_iterator operator+(strided_iterator a, difference_type k) { return a += k; }
  TALLY_HD friend strided_iterator operator+(difference_type k, strided_iterator a) { return a += k; }
  TALLY_HD friend strided_iterator operator-(strided_iterator a, difference_type k) { return a -= k; }
  TALLY_HD friend difference_type operator-(strided_iterator const& a, strided_iterator const& b)
  {
    return a.at_ - b.at_;
  }
  TALLY_HD friend bool operator==(strided_iterator const& a, strided_iterator const& b) { return a.at_ == b.at_; }
  TALLY_HD friend auto operator<=>(strided_iterator const& a, strided_iterator const& b) { return a.at_ <=> b.at_; }

private:
  // The place is an index: a pointer behind the last element could be outside of the array by more than one element.
  T* first_ = nullptr;
  std::ptrdiff_t step_ = 0;
  std::ptrdiff_t at_ = 0;
};

}  // namespace tally::detail
