#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands.hpp"
#include "groups.hpp"
#include "settings.hpp"

/// The output of a reduction, as text or JSON.
namespace tally::cli {

/// The results of one sequence, one for each operation of the settings.
std::string report(command_settings const& settings, std::vector<result> const& results);

/// The results of groups, in the order of their first rows: those of all operations on the first, then on the second...
std::string report(command_settings const& settings, group_table const& groups, std::span<result const> results);

}  // namespace tally::cli
