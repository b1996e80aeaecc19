#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tally/operators/extremes.hpp"
#include "tally/textbook/tree_reduction.hpp"

/// A tournament is a reduction tree with maximum. Its players are values with their places in the array; of equal ones the first wins.
namespace tally::textbook {

/// Who met whom. rounds[0] are the players; rounds[r + 1][m] is the winner of match m of round r, between rounds[r][2m] and rounds[r][2m + 1]. Who finds no
/// opponent goes on without a match.
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

/// `values` as players.
template <class T>
std::vector<indexed<T, int>> entrants(std::vector<T> const& values)
{
  std::vector<indexed<T, int>> players;
  for (T const& value : values) players.push_back({value, static_cast<int>(players.size())});
  return players;
}

/// The tournament on the host. n - 1 matches in ceil(log2 n) rounds. Requires at least one value.
template <class T>
bracket<T> tournament(std::vector<T> const& values)
{
  bracket<T> result;
  result.rounds.push_back(entrants(values));
  while (result.rounds.back().size() > 1) {
    auto const& here = result.rounds.back();
    std::vector<indexed<T, int>> next;
    for (std::size_t k = 0; k < here.size(); k += 2)
      next.push_back(k + 1 < here.size() ? argmax{}(here[k], here[k + 1]) : here[k]);
    result.rounds.push_back(std::move(next));
  }
  return result;
}

/// The same on a device: each round is a step of the tree, and is fetched from there. `contest` is argmax, `players` are n of `entrants`.
template <class T, class Device, class Players, class Op>
bracket<T> tournament(Device& device, Players players, int n, Op const& contest)
{
  bracket<T> result;
  auto const fetch = [&](Players const& round) {
    auto& here = result.rounds.emplace_back();
    for (auto const& player : device.to_host(round)) here.push_back(player);
  };
  fetch(players);
  while (n > 1) {
    int const half = divide_up(n, 2), threads = tree_reduction::threads;
    Players const next = device.template allocate<element_of<Players>>(static_cast<std::size_t>(half), "round");
    device.launch(divide_up(half, threads), threads, tree_step{}, players, next, n, contest);
    fetch(next);
    players = next;
    n = half;
  }
  return result;
}

/// The bracket as text: a line for each player, and one between two; each round is a column further to the right.
///
///     3 -+
///        +- 3 -+
///     1 -+     |
///              +- 7
///     7 -+     |
///        +- 7 -+
///     0 -+
template <class T>
std::string drawn(bracket<T> const& of)
{
  std::vector<std::string> lines(2 * of.rounds.front().size() - 1);
  std::vector<std::size_t> at;  // the line of each player of the round
  for (std::size_t k = 0; k < of.rounds.front().size(); ++k) at.push_back(2 * k);
  for (std::size_t r = 0; r < of.rounds.size(); ++r) {
    bool const last = r + 1 == of.rounds.size();
    std::vector<std::string> names;
    std::size_t width = 0;
    for (auto const& player : of.rounds[r]) {
      using std::to_string;
      names.push_back(to_string(player.value));
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

}  // namespace tally::textbook
