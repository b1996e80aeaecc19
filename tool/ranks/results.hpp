#pragma once

#include <optional>

#include "io/files/memory_file.hpp"
#include "ranks/part.hpp"

namespace tally::cli {

/// The result of an operation on all parts, the same on every rank. Throws `not_divided` on all ranks.
result reduce_parts(command_settings const& settings, operation op, part const& own, network& by, steps& all);

/// Writes the results of a scan at the values of this rank's part, as the settings say: the bytes that follow those of
/// earlier ranks. Throws `not_divided` on all ranks.
void scan_parts(command_settings const& settings, part const& own, network& by, steps& all, io::memory_file& to);

}  // namespace tally::cli
