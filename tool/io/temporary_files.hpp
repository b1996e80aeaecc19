#pragma once

#include <string>

namespace tally::io {

/// Files that vanish if a signal ends the process that is no fault of the program: SIGINT, SIGTERM, SIGHUP, SIGQUIT,
/// SIGXCPU, SIGALRM, SIGUSR1 or SIGUSR2 (where the process has left those at their defaults). At most 16 at a time;
/// more are not registered.
void remove_on_signal(std::string const& path);
void keep_on_signal(std::string const& path);

}  // namespace tally::io
