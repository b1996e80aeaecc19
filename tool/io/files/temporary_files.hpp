#pragma once

#include <string>

namespace tally::io {

/// Files that are removed if a signal from outside ends the process: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU,
/// SIGALRM, SIGUSR1 or SIGUSR2, as far as the process has left these at their defaults. At most 16 files at a time;
/// more are not registered.
void remove_on_signal(std::string const& path);
void keep_on_signal(std::string const& path);

}  // namespace tally::io
