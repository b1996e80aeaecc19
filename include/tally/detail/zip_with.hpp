#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/detail/contract.hpp"

namespace tally::detail {

/// Two sequences as one: element k is `transform(first[k], second[k])`. Random access if both of them are.
template <class I1, class I2, class Transform>
class zip_iterator {
public:
  using reference = transformed_t<Transform, std::iter_reference_t<I1>, std::iter_reference_t<I2>>;
  using value_type = std::remove_cvref_t<reference>;
  using difference_type = std::ptrdiff_t;
  static constexpr bool by_index = std::random_access_iterator<I1> && std::random_access_iterator<I2>;
  using iterator_concept = std::conditional_t<by_index, std::random_access_iterator_tag, std::input_iterator_tag>;
  using iterator_category = std::input_iterator_tag;

  zip_iterator() = default;
  zip_iterator(I1 first, I2 second, Transform& transform)
      : first_(std::move(first)),
        second_(std::move(second)),
        transform_(&transform)
  {
  }

  I1 const& first() const { return first_; }
  I2 const& second() const { return second_; }
  Transform const& transform() const { return *transform_; }

  reference operator*() const { return (*transform_)(*first_, *second_); }
  zip_iterator& operator++()
  {
    ++first_;
    ++second_;
    return *this;
  }
  zip_iterator operator++(int)
  {
    zip_iterator before = *this;
    ++*this;
    return before;
  }
  // The first sequence determines the end; the second is at least as long.
  friend bool operator==(zip_iterator const& a, zip_iterator const& b) { return a.first_ == b.first_; }
  template <class S>
    requires(!std::is_same_v<S, zip_iterator>)
  friend bool operator==(zip_iterator const& a, S const& last)
  {
    return a.first_ == last;
  }

  reference operator[](difference_type k) const
    requires by_index
  {
    return *(*this + k);
  }
  zip_iterator& operator+=(difference_type k)
    requires by_index
  {
    first_ += static_cast<std::iter_difference_t<I1>>(k);
    second_ += static_cast<std::iter_difference_t<I2>>(k);
    return *this;
  }
  zip_iterator& operator-=(difference_type k)
    requires by_index
  {
    return *this += -k;
  }
  zip_iterator& operator--()
    requires by_index
  {
    return *this -= 1;
  }
  zip_iterator operator--(int)
    requires by_index
  {
    zip_iterator before = *this;
    --*this;
    return before;
  }
  friend zip_iterator operator+(zip_iterator a, difference_type k)
    requires by_index
  {
    return a += k;
  }
  friend zip_iterator operator+(difference_type k, zip_iterator a)
    requires by_index
  {
    return a += k;
  }
  friend zip_iterator operator-(zip_iterator a, difference_type k)
    requires by_index
  {
    return a -= k;
  }
  friend difference_type operator-(zip_iterator const& a, zip_iterator const& b)
    requires by_index
  {
    return static_cast<difference_type>(a.first_ - b.first_);
  }
  friend auto operator<=>(zip_iterator const& a, zip_iterator const& b)
    requires by_index
  {
    return (a.first_ - b.first_) <=> 0;
  }

private:
  I1 first_{};
  I2 second_{};
  Transform* transform_ = nullptr;
};

/// The bounds `first` and `last` of the zipped sequences, as long as the first one. `transform` must outlive them.
template <class I1, class S1, class I2, class Transform>
auto zip_with(I1 first1, S1 last1, I2 first2, Transform& transform)
{
  using iterator = zip_iterator<I1, I2, Transform>;
  if constexpr (std::is_same_v<I1, S1> && iterator::by_index) {
    struct {
      iterator first, last;
    } const both{{first1, first2, transform},
                 {last1, first2 + static_cast<std::iter_difference_t<I2>>(last1 - first1), transform}};
    return both;
  } else {
    struct {
      iterator first;
      S1 last;
    } const both{{std::move(first1), std::move(first2), transform}, std::move(last1)};
    return both;
  }
}

}  // namespace tally::detail
