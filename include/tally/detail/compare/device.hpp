#pragma once

#include <cstddef>
#include <iterator>
#include <memory>

#include "tally/config.hpp"
#include "tally/detail/execution.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/reduce.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// The first difference on a GPU: a reduction with the least index, of single elements.
namespace tally::detail::compare {

/// k if the sequences differ there, else n.
template <class I1, class I2, class Same>
struct index_if_different {
  I1 first1;
  I2 first2;
  std::size_t n;
  Same same;

  TALLY_HD std::size_t operator()(std::size_t k) const
  {
    return same(first1[static_cast<std::ptrdiff_t>(k)], first2[static_cast<std::ptrdiff_t>(k)]) ? n : k;
  }
};

/// Returns the first k < n at which the sequences differ; n if they do not.
template <device P, class I1, class I2, class Same>
std::size_t first_difference(P const& on, I1 first1, I2 first2, std::size_t n, Same same)
{
  // Each piece is eight times as long as the one before it. Beyond the first piece, the elements read in vain are
  // thereby bounded by a multiple of those before the difference.
  auto const in = elements_from(index_if_different<I1, I2, Same>{first1, first2, n, same});
  std::size_t begin = 0;
  for (std::size_t size = std::size_t{1} << 22; begin < n; size *= 8) {
    std::size_t const end = n - begin < size ? n : begin + size;
    std::size_t const k =
        tally::reduce(on, in + static_cast<std::ptrdiff_t>(begin), in + static_cast<std::ptrdiff_t>(end), n, minimum{});
    if (k < n) return k;
    begin = end;
  }
  return n;
}

/// The element at `at`, which may be in device memory.
template <device P, class I>
std::iter_value_t<I> element_at(P const& on, I at)
{
  if constexpr (std::contiguous_iterator<I>)
    return value_at(on, std::to_address(at));
  else
    return *at;
}

}  // namespace tally::detail::compare
