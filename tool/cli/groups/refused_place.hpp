#pragma once

#include "groups/partition.hpp"
#include "io/errors.hpp"
#include "settings/settings.hpp"

namespace tally::cli {

/// The place of a value of a row that waited in a file: the input is read once more.
io::location place_of(command_settings const& settings, refused_value const& refused);

}  // namespace tally::cli
