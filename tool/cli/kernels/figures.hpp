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

/// Runs a kernel on `kernel_input(kernel, n, op)`, by `kernel_operation_of(kernel, op)`, and checks what it leaves
/// against a plain loop. Throws `error` if the result is wrong or the machine finds a fault.
kernel_figures measure(textbook::kernel_entry const& kernel, int n, std::optional<kernel_operation> op = {});

/// What a kernel of that kind is to leave behind, by a plain loop.
textbook::values expected_result(textbook::values const& in, textbook::result_kind kind, textbook::operation op);

/// A kernel that does not take so many elements, or the operator, and why.
struct left_out_kernel {
  textbook::kernel_entry const* kernel;
  std::string reason;
};

/// Why a kernel does not take n elements and `op`, in a few words; nothing if it does.
std::optional<std::string> why_not(textbook::kernel_entry const& kernel, int n, std::optional<kernel_operation> op);

/// "reduction", "inclusive", "exclusive", "histogram".
std::string_view name_of(textbook::result_kind kind);

/// From how many processors on `shallow` takes less time than `lean`: there it does, and on one less it does not.
/// Nothing where `shallow` is ahead on one already or never. Both schedules are greedy; takes O(work) for each of the
/// log p numbers of processors that it tries.
std::optional<std::size_t> ahead_from(model::dag const& lean, model::dag const& shallow);

/// Where scans of little depth pass scans of little work, as the number of processors grows.
struct crossover {
  textbook::kernel_entry const* lean;     ///< has less work
  textbook::kernel_entry const* shallow;  ///< has less depth, and is ahead from `from` processors on
  std::size_t from;
  std::size_t time;  ///< of the shallow one on `from` processors
};
/// Those of the scan of least depth, the first on the ladder of several; the others in the order of the ladder.
std::vector<crossover> crossovers(std::vector<kernel_figures const*> const& all);

}  // namespace tally::cli
