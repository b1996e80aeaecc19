#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/radix_sort/digits.hpp"
#include "tally/detail/radix_sort/ordered_bits.hpp"
#include "tally/reduce.hpp"
#include "tally/teams.hpp"
#include "tally/temporary.hpp"

/// A pass of a radix sort by teams: a team sorts a block of keys by their digit in its memory, and writes it from
/// there, where keys of one digit lie together: so they go out by whole lines. Merrill & Grimshaw, High performance and
/// scalable radix sorting (2011); ranks within a row of threads as Adinets & Merrill, Onesweep (2022).
namespace tally::detail {

inline constexpr int radix_team_threads = 512;
inline constexpr unsigned radix_team_digits = 256;

TALLY_HD inline unsigned bits_set(std::uint32_t x)
{
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popc(x));
#else
  return static_cast<unsigned>(std::popcount(x));
#endif
}

/// What the blocks of keys have (ordered_bits.hpp).
template <class Key, class Order>
struct seen_by_team {
  using seen = seen_bits<typename ordered_bits<Key, Order>::bits>;
  static constexpr int team_size = radix_team_threads;
  static constexpr std::size_t block = std::size_t{1} << 14;
  struct memory {
    seen rows[team_size / 32];
  };

  seen_in_block<Key, Order> keys;
  seen* blocks;

  template <class Team>
  TALLY_HD void operator()(Team team, memory& own, std::size_t begin, std::size_t end) const
  {
    join_seen_bits join;
    auto const size = static_cast<std::size_t>(team.size());
    seen so_far = seen_in_block<Key, Order>::nothing();
    constexpr std::size_t at_once = 8;
    std::size_t k = begin + static_cast<std::size_t>(team.rank());
    for (; k + (at_once - 1) * size < end; k += at_once * size) {
      seen these[at_once];
      for (std::size_t j = 0; j < at_once; ++j) these[j] = keys.of(k + j * size);
      for (std::size_t j = 0; j < at_once; ++j) so_far = join(so_far, these[j]);
    }
    for (; k < end; k += size) so_far = join(so_far, keys.of(k));
    for (int stride = 1; stride < team.lanes(); stride *= 2)
      so_far = join(so_far, team.from_lane(so_far, team.lane() ^ stride));
    if (team.lane() == 0) own.rows[team.row()] = so_far;
    team.wait();
    if (team.rank() != 0) return;
    for (int r = 1; r < team.rows(); ++r) so_far = join(so_far, own.rows[r]);
    blocks[begin / block] = so_far;
  }
};

/// How many keys of the block have each digit.
template <class Pass>
struct count_by_team {
  struct memory {
    std::uint32_t counts[radix_team_digits];
  };
  static constexpr int team_size = radix_team_threads;

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
      unsigned digits[at_once];
      for (unsigned j = 0; j < at_once; ++j) digits[j] = pass.digit(pass.keys[k + j * size]);
      for (unsigned j = 0; j < at_once; ++j) team.add(own.counts[digits[j]], std::uint32_t{1});
    }
    for (; k < end; k += size) team.add(own.counts[pass.digit(pass.keys[k])], std::uint32_t{1});
    team.wait();
    for (unsigned d = rank; d <= pass.digit.mask; d += size)
      pass.places[d * pass.blocks + begin / pass.block] = own.counts[d];
  }
};

/// Moves the keys of a block, and their values, to their places.
///
/// The rows of a team have consecutive parts of the block, and take theirs a key a lane at a time. So what comes before
/// a key, among those of its digit, is what rows before its own have, what its row had before, and lanes before its
/// own.
template <class Pass, class Key, class Value, class Index>
struct scatter_by_team {
  static constexpr int team_size = radix_team_threads;
  /// As many keys as 32 KiB hold, and at most 16 a thread of a GPU, which keeps them and their places in registers.
  static constexpr std::size_t block = static_cast<std::size_t>(team_size) * (sizeof(Key) <= 4 ? 16 : 8);
  static constexpr bool with_values = !std::is_same_v<Value, no_value>;
  /// Values that take no more room than keys go the same way; wider ones make lines of their own.
  static constexpr bool values_in_memory = with_values && sizeof(Value) <= (sizeof(Key) <= 4 ? 4 : 8);

  static constexpr int most_rows = team_size / 32;

  struct memory {
    /// First a row's lanes by digit, while they are ranked; then keys, then values, sorted.
    alignas(8) unsigned char items[block * (sizeof(Key) <= 4 ? 4 : 8)];
    /// Of a row, by digit: its keys so far; then where in `items` its first one goes.
    std::uint16_t places_of_row[most_rows][radix_team_digits];
    std::uint32_t keys_of_digits[most_rows];  ///< that have the digits of a row's threads
    Index places[radix_team_digits];          ///< where item 0 would go if it had this digit
  };
  static_assert(sizeof(memory::items) >= most_rows * radix_team_digits * sizeof(std::uint32_t));
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
  /// Of whole blocks no key is asked whether it is there.
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
    std::uint32_t* const with_digit = reinterpret_cast<std::uint32_t*>(own.items) + row * radix_team_digits;
    for (unsigned d = lane; d < radix_team_digits; d += lanes) {
      of_row[d] = 0;
      with_digit[d] = 0;
    }
    team.wait_for_row();

    unsigned places[keys_a_thread];  // of its digit, those before it in the row; then its place in `items`
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

  /// How many keys of a digit came before the lane's in its row: `so_far`, and those of lanes before its own. All of
  /// the row call; lanes whose digit is the same find each other in `with_digit`, which is 0 before and after. By votes
  /// for each of the digit's bits all took 1.7 times as many instructions.
  template <class Team>
  TALLY_HD static unsigned rank_in_row(Team team, std::uint16_t& so_far, std::uint32_t& with_digit, bool there)
  {
    std::uint32_t const own = std::uint32_t{1} << team.lane();
    if (there) team.join(with_digit, own);
    team.wait_for_row();
    std::uint32_t const lanes = with_digit;
    unsigned const count = so_far, left = bits_set(lanes & (own - 1));
    team.wait_for_row();
    if (there && left == 0) {
      so_far = static_cast<std::uint16_t>(count + bits_set(lanes));
      with_digit = 0;
    }
    team.wait_for_row();
    return count + left;
  }

  /// From the counts of rows to places: a thread for each digit, or for some neighbours.
  template <class Team>
  TALLY_HD void find_places(Team team, memory& own) const
  {
    constexpr auto size = static_cast<unsigned>(Team::size()), lanes = static_cast<unsigned>(Team::lanes());
    constexpr unsigned digits_a_thread = (radix_team_digits + size - 1) / size;
    auto const lane = static_cast<unsigned>(team.lane());
    unsigned const first = static_cast<unsigned>(team.rank()) * digits_a_thread;
    unsigned const end = first < radix_team_digits ? first + digits_a_thread : first;
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

template <class Key, class Value>
struct team_digits {
  static constexpr int digit_bits = 8;
  static constexpr unsigned digits = radix_team_digits;

  static constexpr std::size_t block(std::size_t)
  {
    return scatter_by_team<no_value, Key, Value, std::uint32_t>::block;
  }
  /// What n keys have, in the bits of `mask`.
  template <class Order, class P>
  static auto seen(P const& on, seen_in_block<Key, Order> const& keys, std::size_t n)
  {
    took("radix sort: by teams");
    using by_team = seen_by_team<Key, Order>;
    temporary<typename by_team::seen, P> const blocks(on, n / by_team::block + (n % by_team::block != 0));
    tally::for_each_block_by_team(on, n, by_team::block, by_team{keys, blocks.data()});
    return tally::reduce(on, blocks.begin(), blocks.end(), keys.nothing(), join_seen_bits{});
  }
  template <class P, class Pass>
  static void count(P const& on, std::size_t n, Pass const& pass)
  {
    tally::for_each_block_by_team(on, n, pass.block, count_by_team<Pass>{pass});
  }
  template <class P, class Pass>
  static void scatter(P const& on, std::size_t n, Pass const& pass)
  {
    using index = std::remove_pointer_t<decltype(pass.places)>;
    tally::for_each_block_by_team(on, n, pass.block, scatter_by_team<Pass, Key, Value, index>{pass});
  }
};

}  // namespace tally::detail
