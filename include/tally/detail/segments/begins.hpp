#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/batch/marked_heads.hpp"
#include "tally/detail/count_type.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/segments/tuning.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/scan.hpp"
#include "tally/teams.hpp"
#include "tally/temporary.hpp"

/// The places where segments begin, found on a device from a criterion that selects their heads. The criterion is asked
/// once for each element: a bit an element remembers its answer, so keys are read once however many segments there are.
namespace tally::detail::segments {

using batch::head_counts;
using batch::marked_heads;

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
  static constexpr std::size_t size = batch::marked_heads::part;
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

/// Whether the criterion's elements lie in memory, and a lane can read 16 bytes of them at a time.
template <class Criterion>
inline constexpr bool reads_vectors = [] {
  if constexpr (requires(Criterion const& c) { c.elements(); }) {
    using I = std::remove_cvref_t<decltype(std::declval<Criterion const&>().elements())>;
    if constexpr (std::is_pointer_v<I>) {
      using V = std::iter_value_t<I>;
      return std::is_trivially_copyable_v<V> && std::is_trivially_default_constructible_v<V> &&
             (sizeof(V) == 1 || sizeof(V) == 2 || sizeof(V) == 4 || sizeof(V) == 8);
    }
  }
  return false;
}();

/// Writes the heads of each part to `heads`, and their number to `counts` (head_counts).
template <class Criterion>
struct mark_heads : part_of_heads {
  struct memory {};

  Criterion criterion;
  std::uint32_t* heads;
  std::uint64_t* counts;

  template <class Team>
  TALLY_HD void operator()(Team team, memory&, std::size_t begin, std::size_t end) const
  {
    bool is_aligned = false;
    if constexpr (Team::lanes() == word_bits && reads_vectors<Criterion>)
      is_aligned = reinterpret_cast<std::uintptr_t>(criterion.elements()) % 16 == 0;
    for_each_of_row(team, begin, end, [&](std::size_t at) {
      // A whole part has no conditions, so that all of its elements are on their way together.
      if constexpr (Team::lanes() == word_bits && reads_vectors<Criterion>)
        if (is_aligned && end - at >= size && at > 0) return mark_vectors(team, at);
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
  /// Marks a whole part by a row of 32 lanes, each of which reads 16 bytes of neighbouring elements at a time.
  template <class Team>
  TALLY_HD void mark_vectors(Team team, std::size_t at) const
  {
    using V = std::iter_value_t<std::remove_cvref_t<decltype(criterion.elements())>>;
    struct alignas(16) vector {
      std::uint32_t words[4];
    };
    constexpr int each = static_cast<int>(sizeof(vector) / sizeof(V)), lanes = word_bits, lanes_of_word = lanes / each;
    constexpr int all = words / each, at_once = all < 8 ? all : 8;
    V const* const elements = criterion.elements() + at;
    int const lane = team.lane();
    V before = elements[-1];  // the element before the lane's next vector in the last lane
    std::uint32_t kept = 0;
    for (int first = 0; first < all; first += at_once) {
      vector read[at_once];
      for (int r = 0; r < at_once; ++r) read[r] = reinterpret_cast<vector const*>(elements)[(first + r) * lanes + lane];
      for (int r = 0; r < at_once; ++r) {
        V own[each];
        std::memcpy(own, &read[r], sizeof own);
        V const given = lane == lanes - 1 ? before : own[each - 1];
        V left = team.from_lane(given, (lane - 1) & (lanes - 1));
        before = own[each - 1];
        std::uint32_t word = 0;
        for (int j = 0; j < each; ++j) {
          word |= static_cast<std::uint32_t>(criterion.of(left, own[j])) << j;
          left = own[j];
        }
        word <<= lane % lanes_of_word * each;
        for (int stride = 1; stride < lanes_of_word; stride *= 2) word |= team.from_lane(word, lane ^ stride);
        std::uint32_t const mine = team.from_lane(word, lane % each * lanes_of_word);
        if (lane / each == first + r) kept = mine;
      }
    }
    std::uint32_t count = bits_set(kept);
    for (int stride = 1; stride < lanes; stride *= 2) count += team.from_lane(count, lane ^ stride);
    heads[at / word_bits + static_cast<std::size_t>(lane)] = kept;
    if (lane == 0) counts[at / size] = head_counts::of_part(count).packed;
  }

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
    if (team.lane() == 0) counts[at / size] = head_counts::of_part(count).packed;
  }
};

/// Writes where segments begin, and behind the last one n. Calls head.put(ordinal, head.take(k)) for each.
template <class Count, class Head>
struct write_begins : part_of_heads {
  struct memory {};

  marked_heads heads;
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
    if (end == heads.n && team.rank() == 0) begins[heads.counts().heads()] = static_cast<Count>(heads.n);
    for_each_of_row(team, begin, end, [&](std::size_t at) {
      Count before = at == 0 ? Count{} : static_cast<Count>(heads.heads_upto(at - 1));
      for (int first = 0; first < words; first += team.lanes()) {
        std::uint32_t const own = heads.bits[at / word_bits + static_cast<std::size_t>(first + team.lane())];
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

/// An attempt to do all segments by their heads.
template <class F>
struct attempt_up_to {
  char const* path;       ///< its name among the paths
  std::size_t most_mean;  ///< the longest mean length for which it does something
  F launch;               ///< launch(marked_heads) returns whether it was made
};
struct no_attempt {
  static constexpr char const* path = "";
  static constexpr std::size_t most_mean = 0;
  static bool launch(marked_heads const&) { return false; }
};

/// The value at `at` after what was queued so far; work() queues more, which the value does not wait for.
template <class P, class T, class F>
T ahead_of(P const& on, T const* at, F const& work)
{
  if constexpr (device<P>) {
    return backend_value_ahead_of(on, at, work);
  } else {
    work();
    return value_at(on, at);
  }
}

/// Calls `use(begins, segments)`: segment s of n elements, n > 0, is [begins[s], begins[s + 1]). Returns the number of
/// segments. The criterion selects element 0.
///
/// Before the number is known to the host, `attempt` may launch what does all if segments are short (`are_short` with
/// its `most_mean`). `use` is then called only if they are not.
template <class P, class Criterion, class Head, class Use, class Attempt = no_attempt>
std::size_t with_begins(P const& on, std::size_t n, Criterion const& criterion, Head const& head, Use const& use,
                        Attempt const& attempt = {})
{
  std::size_t segments = 0;
  with_count_type(n, [&]<class Count>(Count) {
    using part = part_of_heads;
    std::size_t const parts = (n + part::size - 1) / part::size;
    temporary<std::uint32_t, P> const bits(on, parts * part::words);
    temporary<std::uint64_t, P> const upto(on, parts);
    mark_heads<Criterion> const mark{{}, criterion, bits.data(), upto.data()};
    if constexpr (device<P>)
      backend_mark_heads(on, n, mark);
    else
      tally::for_each_block_by_team(on, n, part::block, mark);
    tally::inclusive_scan(on, upto.begin(), upto.end(), upto.begin());
    marked_heads const heads{bits.data(), upto.data(), n};
    bool is_tried = false;
    head_counts const counts{ahead_of(on, upto.data() + (parts - 1), [&] { is_tried = attempt.launch(heads); })};
    segments = counts.heads();
    if (is_tried && counts.are_short(n, attempt.most_mean)) {
      took(attempt.path);
      return;
    }
    temporary<Count, P> const begins(on, segments + 1);
    tally::for_each_block_by_team(on, n, part::block, write_begins<Count, Head>{{}, heads, begins.data(), head});
    use(static_cast<Count const*>(begins.data()), segments);
  });
  return segments;
}

}  // namespace tally::detail::segments
