#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/path.hpp"

/// Sequences that are not in memory: elements that a function gives, results that a function takes. They go into every
/// reduce and scan, on a CPU and on a GPU, and so one pass over memory does what else would be several.
namespace tally {

namespace detail {

/// The iterator over f(0), f(1), ... The function goes with it by value, as its bytes, so that it can be assigned and
/// sent to a GPU.
template <class F>
class function_iterator {
  static_assert(std::is_trivially_copyable_v<F>,
                "tally: the function of a sequence is copied as bytes: let it hold pointers, not containers");

public:
  using reference = std::invoke_result_t<F const&, std::size_t>;
  using value_type = std::remove_cvref_t<reference>;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // what it gives is no reference into memory

  function_iterator() = default;
  TALLY_HD function_iterator(F const& f, std::size_t at, std::size_t bytes_behind = 1) : at_(at), bytes_(bytes_behind)
  {
    ::new (static_cast<void*>(function_)) F(f);
  }

  std::size_t bytes_behind() const { return bytes_; }

  TALLY_HD_AS_GIVEN
  TALLY_HD reference operator*() const { return function()(at_); }
  TALLY_HD_AS_GIVEN
  TALLY_HD reference operator[](difference_type k) const { return function()(at_ + static_cast<std::size_t>(k)); }

  TALLY_HD function_iterator& operator+=(difference_type k)
  {
    at_ += static_cast<std::size_t>(k);
    return *this;
  }
  TALLY_HD function_iterator& operator-=(difference_type k) { return *this += -k; }
  TALLY_HD function_iterator& operator++() { return *this += 1; }
  TALLY_HD function_iterator& operator--() { return *this += -1; }
  TALLY_HD function_iterator operator++(int)
  {
    function_iterator const before = *this;
    *this += 1;
    return before;
  }
  TALLY_HD function_iterator operator--(int)
  {
    function_iterator const before = *this;
    *this += -1;
    return before;
  }
  TALLY_HD friend function_iterator operator+(function_iterator a, difference_type k) { return a += k; }
  TALLY_HD friend function_iterator operator+(difference_type k, function_iterator a) { return a += k; }
  TALLY_HD friend function_iterator operator-(function_iterator a, difference_type k) { return a += -k; }
  TALLY_HD friend difference_type operator-(function_iterator const& a, function_iterator const& b)
  {
    return static_cast<difference_type>(a.at_ - b.at_);
  }
  TALLY_HD friend bool operator==(function_iterator const& a, function_iterator const& b) { return a.at_ == b.at_; }
  TALLY_HD friend std::strong_ordering operator<=>(function_iterator const& a, function_iterator const& b)
  {
    return a.at_ <=> b.at_;
  }

private:
  // The built-in, since nvcc warns of the constexpr function.
  TALLY_HD F const& function() const { return *__builtin_launder(reinterpret_cast<F const*>(function_)); }

  alignas(F) unsigned char function_[sizeof(F)];
  std::size_t at_ = 0;
  std::size_t bytes_ = 1;
};

/// The bytes that are read for an element, as far as they are known: by them threads are chosen.
template <class T, class I>
std::size_t bytes_behind(I const&)
{
  return sizeof(T);
}
template <class T, class F>
std::size_t bytes_behind(function_iterator<F> const& i)
{
  return i.bytes_behind() < sizeof(T) ? sizeof(T) : i.bytes_behind();
}

/// Elements in a tile on a CPU: `most`, but no more than 128 KiB are behind it where elements stand for more than
/// themselves. That much any core's cache holds until the tile's second turn, and it pays for handing the tile from
/// thread to thread.
template <class T, class I>
std::size_t tile_by_bytes(I const&, std::size_t most)
{
  return most;
}
template <class T, class F>
std::size_t tile_by_bytes(function_iterator<F> const& i, std::size_t most)
{
  constexpr std::size_t tile_bytes = std::size_t{1} << 17;
  if (i.bytes_behind() <= sizeof(T)) {
    took("sequences: tiles of elements that stand for themselves");
    return most;
  }
  std::size_t const count = tile_bytes / i.bytes_behind();
  took(count < 1      ? "sequences: tiles of one element"
       : count < most ? "sequences: tiles by bytes"
                      : "sequences: tiles of few bytes");
  return count < 1 ? 1 : count < most ? count : most;
}

/// What stands for the place of result k: assigning to it calls the function.
template <class F>
struct result_place {
  F use;
  std::size_t k;

  TALLY_HD_AS_GIVEN
  template <class T>
  TALLY_HD result_place const& operator=(T const& value) const
  {
    use(k, value);
    return *this;
  }
  result_place const& operator=(result_place const&) const = delete;
  result_place(result_place const&) = default;
  TALLY_HD result_place(F const& f, std::size_t at) : use(f), k(at) {}
};
template <class F>
struct place_of {
  F use;
  TALLY_HD result_place<F> operator()(std::size_t k) const { return {use, k}; }
};

/// An output that is a function: results go to it as they come, and are not read back.
template <class Out>
inline constexpr bool takes_results = false;
template <class F>
inline constexpr bool takes_results<function_iterator<place_of<F>>> = true;

/// On a GPU: an output to which each step of a scan goes, `use(k, before, upto, taken)` with the exclusive and the
/// inclusive result. Before the first element is the initial value; if there is none, some value. `taken` is what
/// `use.take(k)` gave before: so what many steps read is read at once. At last `use.end(total)`, once.
template <class F>
struct step_place {
  using taken = decltype(std::declval<F const&>().take(std::size_t{}));

  F use;
  std::size_t k;

  TALLY_HD taken take() const { return use.take(k); }
  template <class T>
  TALLY_HD void put(T const& before, T const& upto, taken const& own) const
  {
    use(k, before, upto, own);
  }
  template <class T>
  TALLY_HD void end(T const& total) const
  {
    use.end(total);
  }
  template <class T>
  step_place const& operator=(T const&) const;  // there is none: whoever takes steps is not given results
};
template <class F>
struct step_place_of {
  F use;
  TALLY_HD step_place<F> operator()(std::size_t k) const { return {use, k}; }
};
template <class Out>
inline constexpr bool takes_steps = false;
template <class F>
inline constexpr bool takes_steps<function_iterator<step_place_of<F>>> = true;
/// What steps take that read nothing.
struct nothing_taken {};

template <class F>
auto steps_to(F const& use)
{
  return function_iterator<step_place_of<F>>(step_place_of<F>{use}, 0);
}

struct same_index {
  TALLY_HD std::size_t operator()(std::size_t k) const { return k; }
};

}  // namespace detail

/// The iterator over f(0), f(1), f(2), ...: an input that need not be in memory. An element may stand for a block of
/// others: then `bytes_behind` says how many bytes are read for it. By them a call on a CPU chooses its threads, and
/// its tiles, which are in the cache still when their results are there. The bits of an operator that is not exactly
/// associative are then those of such tiles (docs/order.md).
///
/// Requires  `f` can be copied as bytes, and may be called more than once for an index, from several threads at once.
template <class F>
TALLY_HD auto elements_from(F const& f, std::size_t bytes_behind = 1)
{
  return detail::function_iterator<F>(f, 0, bytes_behind);
}

/// The iterator over 0, 1, 2, ...
TALLY_HD inline auto counting_from(std::size_t first)
{
  return detail::function_iterator<detail::same_index>(detail::same_index{}, first);
}

/// An output: result k of a scan goes to `use(k, result)` and is not stored. So a scan of flags can move what it
/// counts, in the same pass.
///
/// Requires  `use` can be copied as bytes. It is called once for each result, from several threads at once if the call
///           runs on several.
template <class F>
TALLY_HD auto results_to(F const& use)
{
  return detail::function_iterator<detail::place_of<F>>(detail::place_of<F>{use}, 0);
}

}  // namespace tally
