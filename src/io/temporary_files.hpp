#pragma once

#include <string>

namespace tally::io {

/// Files that vanish if SIGINT, SIGTERM or SIGHUP ends the process (where the process has left those at their
/// defaults). At most 16 at a time; more are not registered.
void remove_on_signal(std::string const& path);
void keep_on_signal(std::string const& path);

}  // namespace tally::io
