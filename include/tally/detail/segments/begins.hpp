#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "tally/config.hpp"
#include "tally/detail/count_type.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/segments/tuning.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/scan.hpp"
#include "tally/teams.hpp"
#include "tally/temporary.hpp"

/// The places where segments begin, found on a device from a criterion that selects their heads. The criterion is asked
/// once for each element: a bit an element remembers its answer, so keys are read once however many segments there are.
namespace tally::detail::segments {

TALLY_HD inline std::uint32_t bits_set(std::uint32_t bits)
{
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__popc(bits));
#else
  return static_cast<std::uint32_t>(std::popcount(bits));
#endif
}

/// The heads of a *part*, 1024 elements: a bit for each, in words. A row of a team takes a part. Lane l holds words l,
/// l + lanes, ...
struct part_of_heads {
  static constexpr std::size_t size = 1024;
  static constexpr int word_bits = 32, words = static_cast<int>(size) / word_bits;
  static constexpr int rows = 8;  ///< of a team of a GPU
  static constexpr int team_size = 32 * rows;
  static constexpr std::size_t block = 4 * rows * size;  ///< elements of a team's block

  /// Calls work(begin) for the parts of [begin, end) that are the row's.
  template <class Team, class F>
  TALLY_HD static void for_each_of_row(Team team, std::size_t begin, std::size_t end, F const& work)
  {
    for (std::size_t at = begin + static_cast<std::size_t>(team.row()) * size; at < end;
         at += static_cast<std::size_t>(team.rows()) * size)
      work(at);
  }
};

/// Writes the heads of each part to `heads`, and their number to `counts`.
template <class Criterion, class Count>
struct mark_heads : part_of_heads {
  struct memory {};

  Criterion criterion;
  std::uint32_t* heads;
  Count* counts;

  template <class Team>
  TALLY_HD void operator()(Team team, memory&, std::size_t begin, std::size_t end) const
  {
    for_each_of_row(team, begin, end, [&](std::size_t at) {
      // A whole part has no conditions, so that all of its elements are on their way together.
      if (end - at >= size && at > 0)
        mark(team, at, [&](int k) { return criterion(at + static_cast<std::size_t>(k)); });
      else
        mark(team, at, [&](int k) {
          std::size_t const element = at + static_cast<std::size_t>(k);
          return element < end && selection::is_selected(criterion, element);
        });
    });
  }

private:
  template <class Team, class IsHead>
  TALLY_HD void mark(Team team, std::size_t at, IsHead const& is_head_at) const
  {
    constexpr int lanes = Team::lanes(), steps = word_bits / lanes, at_once = 8;
    std::uint32_t kept[steps], count = 0;
    for (int w = 0; w < words; w += at_once) {
      bool is_head[at_once][steps];  // all elements are read before the first vote
      for (int a = 0; a < at_once; ++a)
        for (int s = 0; s < steps; ++s) is_head[a][s] = is_head_at((w + a) * word_bits + s * lanes + team.lane());
      for (int a = 0; a < at_once; ++a) {
        std::uint32_t word = 0;
        for (int s = 0; s < steps; ++s) word |= team.vote(is_head[a][s]) << s * lanes;
        count += bits_set(word);
        if ((w + a) % lanes == team.lane()) kept[(w + a) / lanes] = word;
      }
    }
    for (int s = 0; s < steps; ++s) heads[at / word_bits + static_cast<std::size_t>(s * lanes + team.lane())] = kept[s];
    if (team.lane() == 0) counts[at / size] = static_cast<Count>(count);
  }
};

/// Writes where segments begin, and behind the last one n. Calls head.put(ordinal, head.take(k)) for each.
template <class Count, class Head>
struct write_begins : part_of_heads {
  struct memory {};

  std::uint32_t const* heads;
  Count const* upto;  ///< the number of heads in the parts up to each
  std::size_t n;
  Count* begins;
  Head head;

  /// The lanes each write the heads of one word if a word has at most so many on average; else all those of one word
  /// together. Tests set it; on a GPU it is a constant.
  TALLY_HD static int few_in_a_word()
  {
#ifdef __CUDA_ARCH__
    return 6;
#else
    return tuning_in_use.few_in_a_word;
#endif
  }

  template <class Team>
  TALLY_HD void operator()(Team team, memory&, std::size_t begin, std::size_t end) const
  {
    if (end == n && team.rank() == 0) begins[static_cast<std::size_t>(upto[(n - 1) / size])] = static_cast<Count>(n);
    for_each_of_row(team, begin, end, [&](std::size_t at) {
      Count before = at == 0 ? Count{} : upto[at / size - 1];
      for (int first = 0; first < words; first += team.lanes()) {
        std::uint32_t const own = heads[at / word_bits + static_cast<std::size_t>(first + team.lane())];
        std::uint32_t own_upto = bits_set(own);
        for (int stride = 1; stride < team.lanes(); stride *= 2) {
          std::uint32_t const left = team.from_lane(own_upto, team.lane() >= stride ? team.lane() - stride : 0);
          if (team.lane() >= stride) own_upto += left;
        }
        std::uint32_t const all = team.from_lane(own_upto, team.lanes() - 1);
        if (all <= static_cast<std::uint32_t>(few_in_a_word() * team.lanes())) {
          // Each lane writes those of its word.
          Count ordinal = before + static_cast<Count>(own_upto - bits_set(own));
          std::size_t const of_word = at + static_cast<std::size_t>((first + team.lane()) * word_bits);
          for (std::uint32_t left = own; left != 0; left &= left - 1)
            put(ordinal++, of_word + bits_set((left & (0 - left)) - 1));
        } else {
          // The lanes write those of one word together.
          for (int w = 0; w < team.lanes(); ++w) {
            std::uint32_t const word = team.from_lane(own, w);
            std::uint32_t const ordinal = team.from_lane(own_upto, w) - bits_set(word);
            for (int bit = team.lane(); bit < word_bits; bit += team.lanes())
              if ((word >> bit & 1) != 0)
                put(before + static_cast<Count>(ordinal + bits_set(word & ((std::uint32_t{1} << bit) - 1))),
                    at + static_cast<std::size_t>((first + w) * word_bits + bit));
          }
        }
        before += static_cast<Count>(all);
      }
    });
  }

private:
  TALLY_HD void put(Count ordinal, std::size_t k) const
  {
    begins[ordinal] = static_cast<Count>(k);
    head.put(static_cast<std::size_t>(ordinal), head.take(k));
  }
};

/// Calls `use(begins, segments)`: segment s of n elements, n > 0, is [begins[s], begins[s + 1]). Returns the number of
/// segments. The criterion selects element 0.
template <class P, class Criterion, class Head, class Use>
std::size_t with_begins(P const& on, std::size_t n, Criterion const& criterion, Head const& head, Use const& use)
{
  std::size_t segments = 0;
  with_count_type(n, [&]<class Count>(Count) {
    using part = part_of_heads;
    std::size_t const parts = (n + part::size - 1) / part::size;
    temporary<std::uint32_t, P> const heads(on, parts * part::words);
    temporary<Count, P> const upto(on, parts);
    tally::for_each_block_by_team(on, n, part::block,
                                  mark_heads<Criterion, Count>{{}, criterion, heads.data(), upto.data()});
    tally::inclusive_scan(on, upto.begin(), upto.end(), upto.begin());
    segments = static_cast<std::size_t>(value_at(on, upto.data() + (parts - 1)));
    temporary<Count, P> const begins(on, segments + 1);
    tally::for_each_block_by_team(on, n, part::block,
                                  write_begins<Count, Head>{{}, heads.data(), upto.data(), n, begins.data(), head});
    use(static_cast<Count const*>(begins.data()), segments);
  });
  return segments;
}

}  // namespace tally::detail::segments
