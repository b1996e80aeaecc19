#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

/// Runs a kernel on `kernel_input(n, op)` and checks what it leaves against a plain loop. Throws `error` if the result is wrong or the machine finds a fault.
kernel_figures measure(textbook::kernel_entry const& kernel, int n, kernel_operation op);

/// Why a kernel does not take n elements and `op`, in a few words; nothing if it does.
std::optional<std::string> why_not(textbook::kernel_entry const& kernel, int n, kernel_operation op);

/// "reduction", "inclusive", "exclusive".
std::string_view name_of(textbook::result_kind kind);

/// From how many processors on `shallow` takes less time than `lean`: there it does, and on one less it does not. Nothing where `shallow` is ahead on one already or
/// never. Both schedules are greedy; takes O(work) for each of the log p numbers of processors that it tries.
std::optional<std::size_t> ahead_from(model::dag const& lean, model::dag const& shallow);

}  // namespace tally::cli
