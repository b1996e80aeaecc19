#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/radix_sort/bit_summary.hpp"
#include "tally/detail/radix_sort/pass.hpp"
#include "tally/reduce.hpp"
#include "tally/teams.hpp"
#include "tally/temporary.hpp"

/// The steps of a sort by teams. A team sorts a block of keys by their digit in its own memory. Keys of one digit then
/// lie together there, so the team writes them out by whole lines. Merrill & Grimshaw, High performance and scalable
/// radix sorting (2011); ranks within a row of threads as Adinets & Merrill, Onesweep (2022).
namespace tally::detail::radix_sort {

inline constexpr int team_threads = 512;

TALLY_HD inline unsigned popcount(std::uint32_t x)
{
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popc(x));
#else
  return static_cast<unsigned>(std::popcount(x));
#endif
}

/// Writes the summary of each block of keys to `summaries`.
template <class Key, class Order>
struct summarise_by_team {
  using summary = bit_summary<typename ordered_bits<Key, Order>::bits>;
  static constexpr int team_size = team_threads;
  static constexpr std::size_t block = std::size_t{1} << 14;
  struct memory {
    summary rows[team_size / 32];
  };

  summarise_keys<Key, Order> keys;
  summary* summaries;

  template <class Team>
  TALLY_HD void operator()(Team team, memory& own, std::size_t begin, std::size_t end) const
  {
    combine_summaries combine;
    auto const size = static_cast<std::size_t>(team.size());
    summary so_far = summarise_keys<Key, Order>::identity();
    constexpr std::size_t at_once = 8;
    std::size_t k = begin + static_cast<std::size_t>(team.rank());
    for (; k + (at_once - 1) * size < end; k += at_once * size) {
      summary these[at_once];
      for (std::size_t j = 0; j < at_once; ++j) these[j] = keys.of_key(k + j * size);
      for (std::size_t j = 0; j < at_once; ++j) so_far = combine(so_far, these[j]);
    }
    for (; k < end; k += size) so_far = combine(so_far, keys.of_key(k));
    for (int stride = 1; stride < team.lanes(); stride *= 2)
      so_far = combine(so_far, team.from_lane(so_far, team.lane() ^ stride));
    if (team.lane() == 0) own.rows[team.row()] = so_far;
    team.wait();
    if (team.rank() != 0) return;
    for (int r = 1; r < team.rows(); ++r) so_far = combine(so_far, own.rows[r]);
    summaries[begin / block] = so_far;
  }
};

/// Counts the keys of a block by their digit.
template <class Pass>
struct count_by_team {
  struct memory {
    std::uint32_t counts[digits];
  };
  static constexpr int team_size = team_threads;

  Pass pass;

  template <class Team>
  TALLY_HD void operator()(Team team, memory& own, std::size_t begin, std::size_t end) const
  {
    auto const rank = static_cast<unsigned>(team.rank()), size = static_cast<unsigned>(team.size());
    for (unsigned d = rank; d <= pass.digit.mask; d += size) own.counts[d] = 0;
    team.wait();
    constexpr unsigned at_once = 8;
    std::size_t k = begin + rank;
    for (; k + (at_once - 1) * size < end; k += at_once * size) {
      unsigned these[at_once];
      for (unsigned j = 0; j < at_once; ++j) these[j] = pass.digit(pass.keys[k + j * size]);
      for (unsigned j = 0; j < at_once; ++j) team.add(own.counts[these[j]], std::uint32_t{1});
    }
    for (; k < end; k += size) team.add(own.counts[pass.digit(pass.keys[k])], std::uint32_t{1});
    team.wait();
    for (unsigned d = rank; d <= pass.digit.mask; d += size)
      pass.places[d * pass.blocks + begin / pass.block] = own.counts[d];
  }
};

/// The keys of a team's block: 32 KiB of them, and at most 16 for each thread of a GPU, which keeps its keys and their
/// places in registers.
template <class Key>
inline constexpr std::size_t block_of_team = static_cast<std::size_t>(team_threads) * (sizeof(Key) <= 4 ? 16 : 8);

/// Moves the keys of a block, and their values, to their places.
///
/// The rows of a team have consecutive parts of the block. A row takes its part a key a lane at a time. The keys of one
/// digit that come before a key are therefore those of the rows before its own, those that its row has taken before,
/// and those of the lanes before its own.
template <class Pass>
struct scatter_by_team {
  using Key = typename Pass::key_type;
  using Value = typename Pass::value_type;
  using Index = typename Pass::index_type;
  static constexpr int team_size = team_threads;
  static constexpr std::size_t block = block_of_team<Key>;
  static constexpr bool with_values = !std::is_same_v<Value, no_value>;
  /// Values that take no more room than keys go through the team's memory as well. Wider ones are written directly to
  /// the output, each as a line of its own.
  static constexpr bool values_in_memory = with_values && sizeof(Value) <= (sizeof(Key) <= 4 ? 4 : 8);

  static constexpr int most_rows = team_size / 32;

  struct memory {
    /// The lanes of each row by digit while keys are ranked; then the sorted keys; then the sorted values.
    alignas(8) unsigned char items[block * (sizeof(Key) <= 4 ? 4 : 8)];
    /// For each row and digit the number of its keys so far; later the place in `items` of the first of them.
    std::uint16_t places_of_row[most_rows][digits];
    std::uint32_t keys_of_digits[most_rows];  ///< for each row the number of keys that have its threads' digits
    Index places[digits];                     ///< the place in the output of item 0 if it had this digit
  };
  static_assert(sizeof(memory::items) >= most_rows * digits * sizeof(std::uint32_t));
  static_assert(block <= 0xffff);

  Pass pass;

  template <class Team>
  TALLY_HD void operator()(Team team, memory& own, std::size_t begin, std::size_t end) const
  {
    auto const count = static_cast<unsigned>(end - begin);
    if (count == block)
      move<true>(team, own, begin, count);
    else
      move<false>(team, own, begin, count);
  }

private:
  /// The keys of a whole block are not asked whether they are there.
  template <bool Whole, class Team>
  TALLY_HD void move(Team team, memory& own, std::size_t begin, unsigned count) const
  {
    constexpr int keys_a_thread = static_cast<int>(block) / Team::size();
    auto const rank = static_cast<unsigned>(team.rank()), size = static_cast<unsigned>(team.size());
    auto const lane = static_cast<unsigned>(team.lane()), lanes = static_cast<unsigned>(team.lanes());
    auto const row = static_cast<unsigned>(team.row());
    unsigned const first = row * (static_cast<unsigned>(block) / static_cast<unsigned>(team.rows())) + lane;

    auto const is_there = [count](unsigned k) { return Whole || k < count; };
    Key keys[keys_a_thread];
    for (int j = 0; j < keys_a_thread; ++j) {
      unsigned const k = first + static_cast<unsigned>(j) * lanes;
      keys[j] = pass.keys[is_there(k) ? begin + k : begin];
    }
    for (unsigned d = rank; d <= pass.digit.mask; d += size)
      own.places[d] = pass.places[d * pass.blocks + begin / pass.block];
    std::uint16_t* const of_row = own.places_of_row[row];
    std::uint32_t* const with_digit = reinterpret_cast<std::uint32_t*>(own.items) + row * digits;
    for (unsigned d = lane; d < digits; d += lanes) {
      of_row[d] = 0;
      with_digit[d] = 0;
    }
    team.wait_for_row();

    unsigned places[keys_a_thread];  // the number of keys of its digit before it in the row; then its place in `items`
    for (int j = 0; j < keys_a_thread; ++j) {
      unsigned const d = pass.digit(keys[j]);
      places[j] = rank_in_row(team, of_row[d], with_digit[d], is_there(first + static_cast<unsigned>(j) * lanes));
    }
    team.wait();
    find_places(team, own);
    team.wait();

    Key* const sorted = reinterpret_cast<Key*>(own.items);
    for (int j = 0; j < keys_a_thread; ++j) {
      unsigned const k = first + static_cast<unsigned>(j) * lanes;
      if (!is_there(k)) continue;
      unsigned const d = pass.digit(keys[j]);
      places[j] += of_row[d];
      sorted[places[j]] = keys[j];
      if constexpr (with_values && !values_in_memory)
        pass.sorted_values[static_cast<Index>(own.places[d] + places[j])] = pass.values[begin + k];
    }
    team.wait();
    Index to[values_in_memory ? keys_a_thread : 1];
    for (int j = 0; j < keys_a_thread; ++j) {
      unsigned const i = rank + static_cast<unsigned>(j) * size;
      if (!is_there(i)) continue;
      Key const key = sorted[i];
      auto const place = static_cast<Index>(own.places[pass.digit(key)] + i);
      pass.sorted_keys[place] = key;
      if constexpr (values_in_memory) to[j] = place;
    }
    if constexpr (values_in_memory) {
      team.wait();
      Value* const values = reinterpret_cast<Value*>(own.items);
      for (int j = 0; j < keys_a_thread; ++j) {
        unsigned const k = first + static_cast<unsigned>(j) * lanes;
        if (is_there(k)) values[places[j]] = pass.values[begin + k];
      }
      team.wait();
      for (int j = 0; j < keys_a_thread; ++j) {
        unsigned const i = rank + static_cast<unsigned>(j) * size;
        if (is_there(i)) pass.sorted_values[to[j]] = values[i];
      }
    }
  }

  /// Returns the number of keys of a digit that come before the lane's key in its row: `so_far`, and those of the lanes
  /// before its own. All lanes of the row call. Lanes with the same digit find each other in `with_digit`, which is 0
  /// before and after. (Votes on each bit of the digit took 1.7 times as many instructions in all.)
  template <class Team>
  TALLY_HD static unsigned rank_in_row(Team team, std::uint16_t& so_far, std::uint32_t& with_digit, bool there)
  {
    std::uint32_t const own = std::uint32_t{1} << team.lane();
    if (there) team.join(with_digit, own);
    team.wait_for_row();
    std::uint32_t const lanes = with_digit;
    unsigned const count = so_far, left = popcount(lanes & (own - 1));
    team.wait_for_row();
    if (there && left == 0) {
      so_far = static_cast<std::uint16_t>(count + popcount(lanes));
      with_digit = 0;
    }
    team.wait_for_row();
    return count + left;
  }

  /// Turns the counts of the rows into places. Each thread is in charge of one digit or of some neighbouring ones.
  template <class Team>
  TALLY_HD void find_places(Team team, memory& own) const
  {
    constexpr auto size = static_cast<unsigned>(Team::size()), lanes = static_cast<unsigned>(Team::lanes());
    constexpr unsigned digits_a_thread = (digits + size - 1) / size;
    auto const lane = static_cast<unsigned>(team.lane());
    unsigned const first = static_cast<unsigned>(team.rank()) * digits_a_thread;
    unsigned const end = first < digits ? first + digits_a_thread : first;
    unsigned sum = 0;
    for (unsigned d = first; d < end; ++d)
      for (int r = 0; r < team.rows(); ++r) sum += own.places_of_row[r][d];
    unsigned upto = sum;
    for (unsigned stride = 1; stride < lanes; stride *= 2) {
      unsigned const left = team.from_lane(upto, static_cast<int>(lane >= stride ? lane - stride : lane));
      if (lane >= stride) upto += left;
    }
    if (lane == lanes - 1) own.keys_of_digits[team.row()] = upto;
    team.wait();
    unsigned place = upto - sum;
    for (int r = 0; r < team.row(); ++r) place += own.keys_of_digits[r];
    for (unsigned d = first; d < end; ++d) {
      own.places[d] = static_cast<Index>(own.places[d] - place);
      for (int r = 0; r < team.rows(); ++r) {
        unsigned const count = own.places_of_row[r][d];
        own.places_of_row[r][d] = static_cast<std::uint16_t>(place);
        place += count;
      }
    }
  }
};

/// The steps of a sort by teams.
struct team_steps {
  template <class Key>
  static constexpr std::size_t block(std::size_t)
  {
    return block_of_team<Key>;
  }
  /// The summary of n keys.
  template <class P, class Key, class Order>
  static auto summarise(P const& on, summarise_keys<Key, Order> const& keys, std::size_t n)
  {
    took("radix sort: by teams");
    using by_team = summarise_by_team<Key, Order>;
    temporary<typename by_team::summary, P> const blocks(on, n / by_team::block + (n % by_team::block != 0));
    tally::for_each_block_by_team(on, n, by_team::block, by_team{keys, blocks.data()});
    return tally::reduce(on, blocks.begin(), blocks.end(), keys.identity(), combine_summaries{});
  }
  template <class P, class Pass>
  static void count(P const& on, std::size_t n, Pass const& pass)
  {
    tally::for_each_block_by_team(on, n, pass.block, count_by_team<Pass>{pass});
  }
  template <class P, class Pass>
  static void scatter(P const& on, std::size_t n, Pass const& pass)
  {
    tally::for_each_block_by_team(on, n, pass.block, scatter_by_team<Pass>{pass});
  }
};

template <device P>
constexpr team_steps steps_on(P const&)
{
  return {};
}

}  // namespace tally::detail::radix_sort
