#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/named.hpp"
#include "tally/model/dag.hpp"
#include "tally/model/report.hpp"

namespace tally::cli {

/// A kernel that has run on the model machine.
struct kernel_figures {
  textbook::kernel_entry const* kernel;
  model::report counts;
  model::dag operations;
};

/// Runs a kernel on `kernel_input(kernel, n, op)` with `kernel_operation_of(kernel, op)`, and checks its result against
/// a plain loop. Throws `error` if the result is wrong or the machine finds a fault.
kernel_figures measure(textbook::kernel_entry const& kernel, int n, std::optional<kernel_operation> op = {});

/// The result of a kernel of that kind by a plain loop, from the left: the right one if the operator is associative.
/// Requires at least one element.
textbook::values expected_result(textbook::values const& in, textbook::result_kind kind, textbook::operation op,
                                 textbook::own_operator const* own = nullptr);

/// A kernel that does not take that many elements or the operation, and the reason.
struct left_out_kernel {
  textbook::kernel_entry const* kernel;
  std::string reason;
};

/// The reason why a kernel does not take n elements and `op`, in a few words; nothing if it does.
std::optional<std::string> why_not(textbook::kernel_entry const& kernel, int n, std::optional<kernel_operation> op);

/// "reduction", "inclusive", "exclusive", "histogram".
std::string_view name_of(textbook::result_kind kind);

/// The number p of processors on which `shallow` takes less time than `lean`, but not on p - 1. Nothing if `shallow` is
/// ahead on one processor already, or never. Both schedules are greedy. O(work) for each of the log p numbers tried.
std::optional<std::size_t> ahead_from(model::dag const& lean, model::dag const& shallow);

/// The number of processors from which a scan of less depth is faster than one of less work.
struct crossover {
  textbook::kernel_entry const* lean;     ///< has less work
  textbook::kernel_entry const* shallow;  ///< has less depth, and is ahead from `from` processors on
  std::size_t from;
  std::size_t time;  ///< of the shallow one on `from` processors
};
/// The crossovers of the scan of least depth (of several the first on the ladder) with the others, in the order of the
/// ladder.
std::vector<crossover> crossovers(std::vector<kernel_figures const*> const& all);

}  // namespace tally::cli
