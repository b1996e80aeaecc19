#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "tally/model.hpp"
#include "tally/model/thread_program.hpp"
#include "tally/operators/arithmetic.hpp"
#include "textbook/exhibits.hpp"

/// Inputs and results of the runs of exhibits.
namespace tally::textbook::exhibits {

/// 1, 2 .. n.
inline std::vector<int> counted(int n)
{
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

/// The texts with blanks between them; the first five and the last two if there are more than 16.
inline std::string joined(std::vector<std::string> all)
{
  if (all.size() > 16) {
    all.erase(all.begin() + 5, all.end() - 2);
    all.insert(all.begin() + 5, "..");
  }
  std::string text;
  for (std::string const& each : all) text += (text.empty() ? "" : " ") + each;
  return text;
}

template <class T>
std::string text(std::vector<T> const& values)
{
  std::vector<std::string> all;
  for (T const& value : values) all.push_back(model::text_of(value));
  return joined(all);
}

/// The elements of an array of the machine; `?` for those that have not been written.
template <class E>
std::string text(model::view<E> of)
{
  std::vector<std::string> all;
  for (std::size_t k = 0; k < of.of().size(); ++k) all.push_back(of.of().is_set(k) ? of.of().text(k) : "?");
  return joined(all);
}

/// The inclusive scan of `in` by a plain loop.
template <class T, class Op>
std::vector<T> scanned(std::vector<T> in, Op op)
{
  for (std::size_t k = 1; k < in.size(); ++k) in[k] = op(in[k - 1], in[k]);
  return in;
}

/// The exclusive scan of `in` by a plain loop.
template <class T, class Op>
std::vector<T> scanned_before(std::vector<T> in, Op op)
{
  std::vector<T> all = scanned(in, op);
  all.insert(all.begin(), identity_of<T>(op));
  all.pop_back();
  return all;
}

/// Looks at what came out, where nothing else was found: a reduction, and a scan.
template <class T, class Op>
void expect_reduction(model::machine& on, model::view<model::traced<T>> out, model::view<model::traced<T>> in, Op op)
{
  if (on.counts().clean()) on.expect(out, 0, on.elements(in, 0, in.of().size()), op);
}
enum class scan_kind { inclusive, exclusive };
template <class T, class Op>
void expect_scan(model::machine& on, model::view<model::traced<T>> out, model::view<model::traced<T>> in, Op op,
                 scan_kind kind)
{
  bool const clean = on.counts().clean();
  for (std::size_t k = 0; clean && k < out.of().size(); ++k)
    on.expect(out, k, on.elements(in, 0, kind == scan_kind::inclusive ? k + 1 : k), op);
}

/// The result that `run(machine)` returns, and the counts of the machine.
template <class Run>
trial tried(Run const& run, model::schedule blocks = {})
{
  model::machine on(blocks);
  trial result;
  result.result = run(on);
  result.counts = on.counts();
  return result;
}

}  // namespace tally::textbook::exhibits
