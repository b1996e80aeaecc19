#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tally/model.hpp"
#include "textbook/elements.hpp"

/// Every kernel of the textbook, as the tool, the documents and the tests run it.
namespace tally::textbook {

enum class result_kind { reduction, inclusive_scan, exclusive_scan, histogram };

inline bool is_scan(result_kind kind)
{
  return kind == result_kind::inclusive_scan || kind == result_kind::exclusive_scan;
}

/// How many elements a kernel of that kind leaves of n.
inline std::size_t results_of(result_kind kind, std::size_t n)
{
  return is_scan(kind) ? n : kind == result_kind::histogram ? histogram_bins : 1;
}

/// What a run leaves behind besides what the machine has counted. Of a reduction one element.
struct outcome {
  values result;
  std::string drawing = {};  ///< of a tournament its bracket, as text
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
  std::string_view
      header;  ///< "brent_kung.hpp", in course/include/tally/textbook; its text: source_of(header), sources.hpp
  std::string_view source;   ///< "Brent & Kung (1982)"
  std::string_view changes;  ///< what it changes from the one before it on the ladder, a sentence
  int most = 0;              ///< elements that one run takes; 0: any number
  bool needs_commutative = false;
  std::optional<operation> only = {};  ///< what it is made for, if it takes no other
  int threads = 0;                     ///< of a block, where several blocks share the work; 0: one block does it
  formula work, steps, barriers;

  /// Runs it on `on`, which may have an observer. Requires at least one element, and not more than `most`.
  void (*run_int)(model::machine& on, std::vector<int> const& in, operation op, outcome& result) = nullptr;
  /// Null where integers are counted.
  void (*run_float)(model::machine& on, std::vector<float> const& in, operation op, outcome& result) = nullptr;
  /// Null where the operator must be commutative, or is another one.
  void (*run_letters)(model::machine& on, std::vector<letters> const& in, outcome& result) = nullptr;
};

/// How many threads the blocks have that share the work: as many as on a GPU, or so few that several blocks are seen
/// with 16 elements. (Where lanes give each other their registers, a whole warp.)
enum class blocks { full, small };

/// All of them, in the order of the ladder: reductions, scans of a block, scans of whole arrays.
std::vector<kernel_entry> const& catalogue(blocks size = blocks::full);

/// The one of that name, or null.
kernel_entry const* find_kernel(std::string_view name, blocks size = blocks::full);

/// What a kernel runs by: what is asked for; if nothing is, what it is made for, or the sum.
operation operation_of(kernel_entry const& kernel, std::optional<operation> asked);
/// "sum", "product", "min", "max".
std::string_view name_of(operation op);

/// Throws `usage_error` where a kernel does not take what it is given: no elements, or too many, or of a kind that it
/// is not for, or an operator that does not commute, or another than its own.
void check(kernel_entry const& kernel, values const& in, std::optional<operation> op = {});

/// Runs it by `operation_of(kernel, op)`, if check() lets it.
outcome run(kernel_entry const& kernel, model::machine& on, values const& in, std::optional<operation> op = {});

/// The parts of the catalogue, each in a file of its own.
std::vector<kernel_entry> reductions(blocks size);
std::vector<kernel_entry> array_reductions(blocks size);
std::vector<kernel_entry> block_scans();
std::vector<kernel_entry> array_scans(blocks size);

}  // namespace tally::textbook
