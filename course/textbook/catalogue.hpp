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

/// The number of results of a kernel of that kind for n elements.
inline std::size_t results_of(result_kind kind, std::size_t n)
{
  return is_scan(kind) ? n : kind == result_kind::histogram ? histogram_bins : 1;
}

/// The result of a run, besides the counts of the machine. A reduction has one element.
struct outcome {
  values result;
  std::string drawing = {};  ///< the bracket of a tournament, as text
};

/// A count as a formula of the course, or of its source.
struct formula {
  std::string_view text;  ///< "2n - 2 - log2 n"; empty: none is given
  std::size_t (*value)(int n) = nullptr;
};

struct kernel_entry {
  std::string_view name;   ///< "brent-kung": what the tool calls it
  std::string_view title;  ///< "Brent-Kung scan": a heading
  result_kind result;
  std::string_view header;   ///< "brent_kung.hpp", in course/include/tally/textbook; source_of(header) is its text
  std::string_view source;   ///< "Brent & Kung (1982)"
  std::string_view changes;  ///< its difference from the kernel before it on the ladder, a sentence
  int most = 0;              ///< the most elements of a run; 0: any number
  bool needs_commutative = false;
  std::optional<operation> only = {};  ///< the operation that it is made for, if it takes no other
  int threads = 0;                     ///< of a block, if several blocks share the work; 0: one block does it
  formula work, steps, barriers;

  /// Runs it on `on`, which may have an observer. Requires at least one element, and not more than `most`.
  void (*run_int)(model::machine& on, std::vector<int> const& in, selected_operator<int> op, outcome& result) = nullptr;
  /// Null for a kernel that counts integers.
  void (*run_float)(model::machine& on, std::vector<float> const& in, selected_operator<float> op,
                    outcome& result) = nullptr;
  /// Null for a kernel that needs a commutative operator, or has an operator of its own.
  void (*run_letters)(model::machine& on, std::vector<letters> const& in, outcome& result) = nullptr;
};

/// The threads of blocks that share the work: as many as on a GPU, or so few that 16 elements make several blocks. (A
/// kernel with shuffles has a whole warp at least.)
enum class blocks { full, small };

/// All kernels, in the order of the ladder: reductions, scans of a block, scans of whole arrays.
std::vector<kernel_entry> const& catalogue(blocks size = blocks::full);

/// The kernel of that name, or null.
kernel_entry const* find_kernel(std::string_view name, blocks size = blocks::full);

/// The operation a kernel runs with: the one asked for, else the kernel's own, else the sum.
operation operation_of(kernel_entry const& kernel, std::optional<operation> asked);
/// "sum", "product", "min", "max", "own".
std::string_view name_of(operation op);

/// Throws `usage_error` if a kernel cannot run with these arguments: no elements, too many, or elements of a wrong
/// kind; an operator that does not commute, or another one than its own.
void check(kernel_entry const& kernel, values const& in, std::optional<operation> op = {});

/// Checks the arguments, and runs the kernel with `operation_of(kernel, op)`; of operation::own, with `own`.
outcome run(kernel_entry const& kernel, model::machine& on, values const& in, std::optional<operation> op = {},
            own_operator const* own = nullptr);

/// The parts of the catalogue, each in a file of its own.
std::vector<kernel_entry> reductions(blocks size);
std::vector<kernel_entry> array_reductions(blocks size);
std::vector<kernel_entry> block_scans();
std::vector<kernel_entry> array_scans(blocks size);

}  // namespace tally::textbook
