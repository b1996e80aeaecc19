#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tally/model/machine.hpp"
#include "textbook/elements.hpp"

/// Every kernel of the textbook, as the tool, the documents and the tests run it.
namespace tally::textbook {

enum class result_kind { reduction, inclusive_scan, exclusive_scan };

/// What a run leaves behind besides what the machine has counted. Of a reduction one element.
struct outcome {
  values result;
};

/// A count that the course, or its source, gives as a formula.
struct formula {
  std::string_view text;  ///< "2n - 2 - log2 n"; empty: none is given
  std::size_t (*value)(int n) = nullptr;
};

struct kernel_entry {
  std::string_view name;   ///< "brent-kung": what the tool calls it
  std::string_view title;  ///< "Brent-Kung scan": a heading
  result_kind result;
  std::string_view header;   ///< "brent_kung.hpp", in include/tally/textbook; its text: source_of(header), sources.hpp
  std::string_view source;   ///< "Brent & Kung (1982)"
  std::string_view changes;  ///< what it changes from the one before it on the ladder, a sentence
  int most = 0;              ///< elements that one run takes; 0: any number
  bool needs_commutative = false;
  formula work, steps, barriers;

  /// Runs it on `on`, which may have an observer. Requires at least one element, and not more than `most`.
  void (*run_int)(model::machine& on, std::vector<int> const& in, operation op, outcome& result) = nullptr;
  void (*run_float)(model::machine& on, std::vector<float> const& in, operation op, outcome& result) = nullptr;
  /// Null where the operator must be commutative.
  void (*run_letters)(model::machine& on, std::vector<letters> const& in, outcome& result) = nullptr;
};

/// All of them, in the order of the ladder: reductions, scans of a block, scans of whole arrays.
std::vector<kernel_entry> const& catalogue();

/// The one of that name, or null.
kernel_entry const* find_kernel(std::string_view name);

/// Throws `usage_error` where a kernel does not take what it is given: no elements, or too many, or an operator that does not commute.
void check(kernel_entry const& kernel, values const& in);

/// Runs it, if check() lets it.
outcome run(kernel_entry const& kernel, model::machine& on, values const& in, operation op = operation::sum);

/// The parts of the catalogue, each in a file of its own.
std::vector<kernel_entry> reductions();
std::vector<kernel_entry> block_scans();
std::vector<kernel_entry> array_scans();

}  // namespace tally::textbook
