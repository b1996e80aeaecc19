#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accumulator.hpp"
#include "groups.hpp"
#include "settings.hpp"

/// What a reduction prints, as text or JSON.
namespace tally::cli {

/// One sequence under every operation of the settings.
using accumulators = std::vector<std::unique_ptr<accumulator>>;

/// The results of one sequence.
std::string report(command_settings const& settings, accumulators const& all);

/// The results of groups, in the order of their first rows.
std::string report(command_settings const& settings, group_table const& groups, std::vector<accumulators> const& all);

}  // namespace tally::cli
