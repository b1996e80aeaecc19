#pragma once

#include <string>

#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/tournament.hpp"
#include "textbook/catalogue.hpp"

namespace tally {

/// A player of a tournament: "7@2" is the value 7 that stands at place 2.
template <class T>
std::string to_text(indexed<T, int> const& player)
{
  return model::text_of(player.value) + '@' + std::to_string(player.index);
}

}  // namespace tally

namespace tally::textbook {

/// Runs `Algorithm{}(device, in, out, n, op)` on the machine, with `results_of(Kind, n)` elements of `out`, and returns
/// these in `result`.
template <class Algorithm, result_kind Kind, class T, class Op>
void run_algorithm(model::machine& on, std::vector<T> const& in, Op const& op, outcome& result)
{
  auto const n = static_cast<int>(in.size());
  auto const from = on.input(in, "in");
  auto const to = on.allocate<model::traced<T>>(results_of(Kind, in.size()), "out");
  Algorithm{}(on, from, to, n, on.watch<T>(op));
  result.result = on.values(to);
}

template <class Algorithm, result_kind Kind>
void fill_runs(kernel_entry& entry)
{
  entry.run_int = [](model::machine& on, std::vector<int> const& in, selected_operator<int> op, outcome& result) {
    run_algorithm<Algorithm, Kind>(on, in, op, result);
  };
  entry.run_float = [](model::machine& on, std::vector<float> const& in, selected_operator<float> op, outcome& result) {
    run_algorithm<Algorithm, Kind>(on, in, op, result);
  };
  if constexpr (!needs_commutative<Algorithm>)
    entry.run_letters = [](model::machine& on, std::vector<letters> const& in, outcome& result) {
      run_algorithm<Algorithm, Kind>(on, in, join{}, result);
    };
}

/// An entry of the catalogue with its functions: `Algorithm{}(device, in, out, n, op)` launches its kernels on a
/// device, which is the machine or a GPU.
template <class Algorithm>
kernel_entry entry(kernel_entry described)
{
  if (described.result == result_kind::reduction)
    fill_runs<Algorithm, result_kind::reduction>(described);
  else
    fill_runs<Algorithm, result_kind::inclusive_scan>(described);  // or an exclusive one, which has as many results
  described.needs_commutative = needs_commutative<Algorithm>;
  return described;
}

/// An entry for a histogram, which counts integers. Its elements are not added: they name the bins to be counted.
template <class Histogram>
kernel_entry histogram_entry(kernel_entry described)
{
  described.only = operation::sum;
  described.needs_commutative = needs_commutative<Histogram>;
  described.run_int = [](model::machine& on, std::vector<int> const& in, selected_operator<int>, outcome& result) {
    run_algorithm<Histogram, result_kind::histogram>(on, in, plus{}, result);
  };
  return described;
}

/// Runs a tournament, whose elements are players. Its result is the winner, its drawing the bracket.
template <class Tournament, class T>
void run_tournament(model::machine& on, std::vector<T> const& in, selected_operator<T>, outcome& result)
{
  auto const players = on.input(entrants(in), "in");
  auto const out = on.allocate<model::traced<indexed<T, int>>>(1, "out");
  auto const rounds = Tournament{}(on, players, out, static_cast<int>(in.size()), on.watch<indexed<T, int>>(argmax{}));
  bracket<T> const played = fetched<T>(on, rounds);
  result.result = std::vector<T>{played.winner().value};
  result.drawing = drawn(played, [](indexed<T, int> const& player) { return model::text_of(player.value); });
}

template <class Tournament>
kernel_entry tournament_entry(kernel_entry described)
{
  described.only = operation::maximum;
  described.run_int = run_tournament<Tournament, int>;
  described.run_float = run_tournament<Tournament, float>;
  return described;
}

}  // namespace tally::textbook
