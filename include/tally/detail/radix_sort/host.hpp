#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/radix_sort/bit_summary.hpp"
#include "tally/detail/radix_sort/pass.hpp"
#include "tally/detail/radix_sort/tuning.hpp"
#include "tally/for_each.hpp"
#include "tally/reduce.hpp"
#include "tally/sequences.hpp"

namespace tally::detail::radix_sort {

/// The steps of a sort by threads: a thread counts and moves the keys of a block with tables of its own.
struct thread_steps {
  static std::size_t block(std::size_t n)
  {
    auto const& sizes = tuning_in_use;
    std::size_t const share = n / sizes.blocks;
    took(share < sizes.least_block  ? "radix sort: blocks of the least size"
         : share > sizes.most_block ? "radix sort: blocks of the greatest size"
                                    : "radix sort: blocks by the size");
    return share < sizes.least_block ? sizes.least_block : share > sizes.most_block ? sizes.most_block : share;
  }

  /// The summary of n keys.
  template <class P, class Key, class Order>
  static auto summarise(P const& on, summarise_keys<Key, Order> const& keys, std::size_t n)
  {
    constexpr std::size_t block = 4096;
    auto const of_block = [keys, n](std::size_t b) {
      std::size_t const begin = b * block;
      return keys(begin, n - begin < block ? n : begin + block);
    };
    auto const summaries = elements_from(of_block, block * sizeof(Key));
    return tally::reduce(on, summaries, summaries + static_cast<std::ptrdiff_t>(n / block + (n % block != 0)),
                         keys.identity(), combine_summaries{});
  }
  template <class P, class Pass>
  static void count(P const& on, std::size_t n, Pass const& pass)
  {
    tally::for_each_block(on, n, pass.block, count_block<Pass>{pass});
  }
  template <class P, class Pass>
  static void scatter(P const& on, std::size_t n, Pass const& pass)
  {
    tally::for_each_block(on, n, pass.block, scatter_block<Pass>{pass});
  }

private:
  template <class Pass>
  struct count_block {
    Pass pass;

    void operator()(std::size_t begin, std::size_t end) const
    {
      // Four tables, used in turn: with one, each of several equal digits in a row would wait for the same counter.
      std::uint32_t counts[4][digits] = {};
      std::size_t k = begin;
      for (; k + 4 <= end; k += 4)
        for (std::size_t j = 0; j < 4; ++j) ++counts[j][pass.digit(pass.keys[k + j])];
      for (; k < end; ++k) ++counts[0][pass.digit(pass.keys[k])];
      for (unsigned d = 0; d <= pass.digit.mask; ++d)
        pass.places[d * pass.blocks + begin / pass.block] = counts[0][d] + counts[1][d] + counts[2][d] + counts[3][d];
    }
  };

  template <class Pass>
  struct scatter_block {
    Pass pass;

    void operator()(std::size_t begin, std::size_t end) const
    {
      std::size_t place[digits];
      for (unsigned d = 0; d <= pass.digit.mask; ++d) place[d] = pass.places[d * pass.blocks + begin / pass.block];
      for (std::size_t k = begin; k < end; ++k) {
        auto const key = pass.keys[k];
        pass.move(k, place[pass.digit(key)]++, key);
      }
    }
  };
};

}  // namespace tally::detail::radix_sort
