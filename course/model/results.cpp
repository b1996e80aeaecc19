#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tally/model/machine.hpp"

/// The check of results: each should be made of the right elements.
namespace tally::model {

namespace {

/// The leaves of a node's operations from left to right, and the first constant of a kernel among them.
struct composition {
  std::vector<int> leaves;
  std::vector<std::string> constants;
};

composition composed(dag const& operations, std::map<int, std::string> const& constants, int node)
{
  composition all;
  std::vector<int> ahead = {node};
  while (!ahead.empty()) {
    int const next = ahead.back();
    ahead.pop_back();
    if (auto const constant = constants.find(next); constant != constants.end())
      all.constants.push_back(constant->second);
    if (next >= 0) {
      dag::operands const& of = operations[static_cast<std::size_t>(next)];
      ahead.push_back(of.right);
      ahead.push_back(of.left);
    } else if (next <= traced<int>::first_leaf && !constants.contains(next)) {
      all.leaves.push_back(next);
    }
  }
  return all;
}

}  // namespace

void machine::add(finding found)
{
  auto const same_place = [](place const& a, place const& b) {
    return a.line == b.line && a.column == b.column && std::string_view(a.file) == b.file;
  };
  for (finding& known : report_.findings) {
    if (known.what != found.what || known.kernel != found.kernel || !same_place(known.where, found.where) ||
        !same_place(known.other_where, found.other_where))
      continue;
    ++known.times;
    return;
  }
  report_.findings.push_back(std::move(found));
}

void machine::check_result(array_base& out, std::size_t k, elements_in_order const& right, bool any_order,
                           std::string const& identity)
{
  // The last write to the result; to another element, if nobody has written this one.
  std::size_t written = k;
  for (std::size_t j = 0; j < out.size() && out.touches(written).write.interval == 0; ++j) written = j;
  touch const& last = out.touches(written).write;
  if (last.interval == 0) return;  // nothing has been written at all: there is no line to point at
  interval const& when = intervals_[last.interval];
  finding wrong;
  wrong.launch = when.launch;
  wrong.block = when.block;
  wrong.step = when.barriers;
  wrong.thread = last.thread;
  wrong.where = places_[last.where];
  wrong.kernel = kernels_[static_cast<std::size_t>(when.launch)];
  wrong.array = out.name();
  wrong.index = static_cast<int>(k);
  if (!out.is_set(k)) {
    wrong.what = fault::unwritten;
    wrong.other_array = out.name();
    wrong.other_index = static_cast<int>(written);
    return add(std::move(wrong));
  }
  composition const made = composed(dag_, constants_, out.node(k));
  for (std::string const& constant : made.constants) {
    if (identity.empty() || constant == identity) continue;
    wrong.what = fault::not_identity;
    wrong.constant = constant;
    wrong.identity = identity;
    return add(std::move(wrong));
  }
  std::vector<int> leaves = made.leaves, expected = right.leaves;
  if (any_order) {
    std::sort(leaves.begin(), leaves.end(), std::greater<>{});  // the order of the elements: leaves count down
    std::sort(expected.begin(), expected.end(), std::greater<>{});
  }
  if (leaves == expected) return;
  auto const times = [](std::vector<int> const& all, int leaf) { return std::count(all.begin(), all.end(), leaf); };
  wrong.other_array = right.array;
  auto const report = [&](fault what, int leaf) {
    wrong.what = what;
    wrong.other_index = right.origin - leaf;
    add(wrong);
  };
  for (int const leaf : expected)
    if (times(leaves, leaf) < 1) return report(fault::lacks_element, leaf);
  for (int const leaf : leaves)
    if (times(leaves, leaf) > times(expected, leaf)) return report(fault::extra_element, leaf);
  std::size_t const place = static_cast<std::size_t>(
      std::mismatch(leaves.begin(), leaves.end(), expected.begin(), expected.end()).first - leaves.begin());
  report(fault::out_of_order, leaves[place]);
}

}  // namespace tally::model
