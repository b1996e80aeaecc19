#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tally/operators/extremes.hpp"
#include "tally/textbook/tree_reduction.hpp"

/// A tournament is a reduction tree with maximum. Its players are values with their places in the array; of equal ones
/// the first wins.
namespace tally::textbook {

/// All rounds of a tournament. rounds[0] are the players; rounds[r + 1][m] is the winner of match m of round r, between
/// rounds[r][2m] and rounds[r][2m + 1]. A player without an opponent advances without a match.
template <class T>
struct bracket {
  using player = indexed<T, int>;
  struct match {
    player first, second, winner;
    friend bool operator==(match const&, match const&) = default;
  };

  std::vector<std::vector<player>> rounds;

  player const& winner() const { return rounds.back().front(); }
  std::vector<match> matches(std::size_t round) const
  {
    std::vector<player> const& here = rounds[round];
    std::vector<match> result;
    for (std::size_t m = 0; 2 * m + 1 < here.size(); ++m)
      result.push_back({here[2 * m], here[2 * m + 1], rounds[round + 1][m]});
    return result;
  }
  friend bool operator==(bracket const&, bracket const&) = default;
};

/// Values as players: `strengths`, with their places.
template <class T>
std::vector<indexed<T, int>> entrants(std::vector<T> const& strengths)
{
  std::vector<indexed<T, int>> players;
  for (T const& value : strengths) players.push_back({value, static_cast<int>(players.size())});
  return players;
}

/// The tournament on the host. n - 1 matches in ceil(log2 n) rounds. Requires at least one value.
template <class T>
bracket<T> tournament(std::vector<T> const& strengths)
{
  bracket<T> result;
  result.rounds.push_back(entrants(strengths));
  while (result.rounds.back().size() > 1) {
    auto const& here = result.rounds.back();
    std::vector<indexed<T, int>> next;
    for (std::size_t k = 0; k < here.size(); k += 2)
      next.push_back(k + 1 < here.size() ? argmax{}(here[k], here[k + 1]) : here[k]);
    result.rounds.push_back(std::move(next));
  }
  return result;
}

/// The same on a device: each round is a step of the tree, and each is kept, the last one, that of the winner, in
/// out[0]. `contest` is argmax, `in` are n >= 1 of `entrants`. Gives the rounds, the players' first.
///
/// Changes   the tree of sums: the result is the winner with its place, and every match is known.
/// Assumes   contest is associative. Of players that are equal it takes the one whose place is lower, so the order of
///           two does not matter.
/// Work      n - 1 matches: all but the winner lose once.
/// Steps     ceil(log2 n) rounds, in as many launches (one where n is 1).
/// Source    Kirk & Hwu (2010).
template <int Threads = 256>
struct tournament_of_players {
  template <class Device, class Players, class Op>
  std::vector<Players> operator()(Device& device, Players in, Players out, int n, Op const& contest) const
  {
    std::vector<Players> rounds = {in};
    do {
      int const half = divide_up(n, 2), threads = half == 1 ? warp_lanes : Threads;
      Players const next =
          half == 1 ? out : device.template allocate<element_of<Players>>(static_cast<std::size_t>(half), "round");
      device.launch(divide_up(half, threads), threads, tree_step{}, rounds.back(), next, n, contest);
      rounds.push_back(next);
      n = half;
    } while (n > 1);
    return rounds;
  }
};

/// The bracket of the rounds that a tournament has left on a device.
template <class T, class Device, class Players>
bracket<T> fetched(Device& device, std::vector<Players> const& rounds)
{
  bracket<T> result;
  for (Players const& round : rounds) {
    if (!result.rounds.empty() && result.rounds.back().size() == 1) break;  // one player alone, who only went to `out`
    auto& here = result.rounds.emplace_back();
    for (auto const& player : device.to_host(round)) here.push_back(player);
  }
  return result;
}

/// The bracket as text: a line for each player, and one between two; each round is a column further to the right.
/// `text_of(player)` is the name of a player.
///
///     3 -+
///        +- 3 -+
///     1 -+     |
///              +- 7
///     7 -+     |
///        +- 7 -+
///     0 -+
template <class T, class Text>
std::string drawn(bracket<T> const& of, Text const& text_of)
{
  std::vector<std::string> lines(2 * of.rounds.front().size() - 1);
  std::vector<std::size_t> at;  // the line of each player of the round
  for (std::size_t k = 0; k < of.rounds.front().size(); ++k) at.push_back(2 * k);
  for (std::size_t r = 0; r < of.rounds.size(); ++r) {
    bool const last = r + 1 == of.rounds.size();
    std::vector<std::string> names;
    std::size_t width = 0;
    for (auto const& player : of.rounds[r]) {
      names.push_back(text_of(player));
      width = std::max(width, names.back().size());
    }
    std::size_t column = 0;
    for (std::string const& line : lines) column = std::max(column, line.size());
    std::vector<std::size_t> next;
    for (std::size_t k = 0; k < names.size(); ++k) {
      std::string& line = lines[at[k]];
      line.resize(column, ' ');
      line += (r == 0 ? "" : line.back() == '+' ? "- " : "  ") + std::string(width - names[k].size(), ' ') + names[k];
      if (last) continue;
      line += k + 1 == names.size() && k % 2 == 0 ? " --" : " -+";
      if (k % 2 == 0) next.push_back(k + 1 < names.size() ? (at[k] + at[k + 1]) / 2 : at[k]);
    }
    if (last) break;
    for (std::size_t k = 1; k < names.size(); k += 2)
      for (std::size_t line = at[k - 1] + 1; line < at[k]; ++line) {
        std::size_t const end = lines[at[k]].size();
        lines[line].resize(end - 1, ' ');
        lines[line] += line == next[k / 2] ? '+' : '|';
      }
    at = next;
  }
  std::string result;
  for (std::string const& line : lines) result += line + '\n';
  return result;
}

/// The bracket with the values of the players as names.
template <class T>
std::string drawn(bracket<T> const& of)
{
  return drawn(of, [](auto const& player) { return std::to_string(player.value); });
}

}  // namespace tally::textbook
