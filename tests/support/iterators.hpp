#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>

/// Iterators that have only the operations that their category promises, and a comma operator that must not be used.
/// Code that compiles with them compiles with every iterator of the category.
namespace tally::test {

/// Reads each element once. Once an iterator is incremented, its copies are spent, and reading one is a visible error.
template <class T>
class input_iterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  explicit input_iterator(T* at) : at_(at), furthest_(std::make_shared<T*>(at)) {}
  reference operator*() const
  {
    if (at_ != *furthest_) throw std::logic_error("a spent input iterator was read");
    return *at_;
  }
  input_iterator& operator++()
  {
    *furthest_ = ++at_;
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(input_iterator const& a, input_iterator const& b) { return a.at_ == b.at_; }
  template <class U>
  friend void operator,(input_iterator const&, U&&) = delete;

private:
  T* at_;
  std::shared_ptr<T*> furthest_;
};

/// The common part of forward, bidirectional and random access iterators; `Self` is the iterator that derives from it.
template <class Self, class T, class Category>
class iterator_base {
public:
  using iterator_category = Category;
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  iterator_base() = default;
  explicit iterator_base(T* at) : at_(at) {}
  reference operator*() const { return *at_; }
  pointer operator->() const { return at_; }
  Self& operator++()
  {
    ++at_;
    return self();
  }
  Self operator++(int)
  {
    Self const before = self();
    ++at_;
    return before;
  }
  friend bool operator==(Self const& a, Self const& b) { return a.at_ == b.at_; }
  template <class U>
  friend void operator,(Self const&, U&&) = delete;

  T* base() const { return at_; }

protected:
  Self& self() { return static_cast<Self&>(*this); }
  T* at_ = nullptr;
};

template <class T>
class forward_iterator : public iterator_base<forward_iterator<T>, T, std::forward_iterator_tag> {
public:
  using iterator_base<forward_iterator, T, std::forward_iterator_tag>::iterator_base;
};

template <class T>
class bidirectional_iterator : public iterator_base<bidirectional_iterator<T>, T, std::bidirectional_iterator_tag> {
public:
  using iterator_base<bidirectional_iterator, T, std::bidirectional_iterator_tag>::iterator_base;
  bidirectional_iterator& operator--()
  {
    --this->at_;
    return *this;
  }
  bidirectional_iterator operator--(int)
  {
    bidirectional_iterator const before = *this;
    --this->at_;
    return before;
  }
};

/// Random access, but not contiguous.
template <class T>
class random_access_iterator : public iterator_base<random_access_iterator<T>, T, std::random_access_iterator_tag> {
public:
  using iterator_base<random_access_iterator, T, std::random_access_iterator_tag>::iterator_base;
  using difference_type = std::ptrdiff_t;
  random_access_iterator& operator--()
  {
    --this->at_;
    return *this;
  }
  random_access_iterator operator--(int)
  {
    random_access_iterator const before = *this;
    --this->at_;
    return before;
  }
  random_access_iterator& operator+=(difference_type n)
  {
    this->at_ += n;
    return *this;
  }
  random_access_iterator& operator-=(difference_type n) { return *this += -n; }
  T& operator[](difference_type n) const { return this->at_[n]; }
  friend random_access_iterator operator+(random_access_iterator a, difference_type n) { return a += n; }
  friend random_access_iterator operator+(difference_type n, random_access_iterator a) { return a += n; }
  friend random_access_iterator operator-(random_access_iterator a, difference_type n) { return a -= n; }
  friend difference_type operator-(random_access_iterator const& a, random_access_iterator const& b)
  {
    return a.at_ - b.at_;
  }
  friend auto operator<=>(random_access_iterator const& a, random_access_iterator const& b) { return a.at_ <=> b.at_; }
};

/// Writes each element once, in order, through a proxy that can only be assigned to.
template <class T>
class output_iterator {
public:
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;

  class proxy {
  public:
    explicit proxy(T* at) : at_(at) {}
    template <class U>
    proxy const& operator=(U&& value) const
    {
      *at_ = static_cast<U&&>(value);
      return *this;
    }

  private:
    T* at_;
  };

  explicit output_iterator(T* at) : at_(at) {}
  proxy operator*() const { return proxy(at_); }
  output_iterator& operator++()
  {
    ++at_;
    return *this;
  }
  output_iterator operator++(int)
  {
    output_iterator const before = *this;
    ++at_;
    return before;
  }
  template <class U>
  friend void operator,(output_iterator const&, U&&) = delete;

  T* base() const { return at_; }

private:
  T* at_;
};

static_assert(std::input_iterator<input_iterator<int>> && !std::forward_iterator<input_iterator<int>>);
static_assert(std::forward_iterator<forward_iterator<int>> && !std::bidirectional_iterator<forward_iterator<int>>);
static_assert(std::bidirectional_iterator<bidirectional_iterator<int>> &&
              !std::random_access_iterator<bidirectional_iterator<int>>);
static_assert(std::random_access_iterator<random_access_iterator<int>> &&
              !std::contiguous_iterator<random_access_iterator<int>>);
static_assert(std::output_iterator<output_iterator<int>, int> && !std::input_iterator<output_iterator<int>>);

}  // namespace tally::test
