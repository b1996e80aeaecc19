#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "tally/detail/path.hpp"
#include "tally/detail/quicksort/steps.hpp"
#include "tally/error.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/segmented.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

namespace tally::detail::quicksort {

/// A quicksort level by level: `step` partitions all segments at once. Between the steps a caller can look at the keys,
/// the segments and the pivots.
template <class P, class Key, class Less>
class segmented_quicksort {
public:
  /// Prepares to sort keys[0, n): they are one segment.
  segmented_quicksort(P const& on, Key* keys, std::size_t n, Less less)
      : on_(on),
        own_keys_(keys),
        n_(checked(n)),
        keys_(on, n),
        heads_(on, 2 * n),
        indices_(on, 2 * n + 1),
        pivots_(on, n),
        ranks_(on, n),
        arrays_{keys,
                keys_.data(),
                heads_.data(),
                heads_.data() + n,
                indices_.data(),
                indices_.data() + n,
                pivots_.data(),
                ranks_.data(),
                static_cast<std::uint32_t>(n),
                0,
                less}
  {
    tally::for_each_index(on_, n_, first_is_head{arrays_.heads});
  }

  /// Whether all keys are in order. Waits for the answer of a GPU.
  bool sorted() const
  {
    constexpr std::size_t block = block_of_order_check<P>;
    std::size_t const blocks = n_ / block + (n_ % block != 0);
    auto const disorder =
        elements_from(out_of_order<Key, Less>{arrays_.keys, n_, block, arrays_.less}, block * sizeof(Key));
    return tally::reduce(on_, disorder, disorder + static_cast<std::ptrdiff_t>(blocks), std::uint32_t{0}, bit_or{}) ==
           0;
  }

  /// Requires  n > 0.
  void step()
  {
    using level = arrays<Key, Less>;
    auto const end = static_cast<std::ptrdiff_t>(n_);
    auto const heads = elements_from(head_of_key<level>{arrays_});
    tally::inclusive_scan(on_, heads, heads + end, results_to(number_segments<level>{arrays_}));
    tally::for_each_index(on_, n_, draw_pivot<level>{arrays_});
    auto const ranks = elements_from(rank_of_key<level>{arrays_});
    tally::inclusive_scan(on_, ranks, ranks + end, results_to(store_ranks<level>{arrays_}), segmented<add_ranks>{});
    tally::for_each_index(on_, n_, move_key<level>{arrays_});
    std::swap(arrays_.keys, arrays_.moved_keys);
    std::swap(arrays_.heads, arrays_.moved_heads);
    ++arrays_.level;
  }

  /// Copies the keys back to where they were given, unless they are there.
  void finish()
  {
    took(arrays_.level == 0          ? "quicksort: sorted already"
         : arrays_.keys != own_keys_ ? "quicksort: copied back"
                                     : "quicksort: ends where it began");
    if (arrays_.keys != own_keys_) tally::for_each_index(on_, n_, copy_key<Key>{arrays_.keys, own_keys_});
  }

  std::size_t levels() const { return arrays_.level; }
  Key const* keys() const { return arrays_.keys; }
  std::uint8_t const* heads() const { return arrays_.heads; }
  /// The pivots of the last step, one for each segment that it partitioned.
  Key const* pivots() const { return arrays_.pivots; }

private:
  static std::size_t checked(std::size_t n)
  {
    if (n >= std::numeric_limits<std::uint32_t>::max())
      throw usage_error("tally: quicksort: " + std::to_string(n) + " keys; it takes fewer than 2^32 - 1");
    return n;
  }

  P on_;
  Key* own_keys_;
  std::size_t n_;
  temporary<Key, P> keys_;
  temporary<std::uint8_t, P> heads_;
  temporary<std::uint32_t, P> indices_;
  temporary<Key, P> pivots_;
  temporary<pivot_ranks, P> ranks_;
  arrays<Key, Less> arrays_;
};

}  // namespace tally::detail::quicksort
