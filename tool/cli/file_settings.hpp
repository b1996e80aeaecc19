#pragma once

#include <string>
#include <vector>

#include "io/input.hpp"
#include "page.hpp"
#include "parser.hpp"

namespace tally::cli {

/// How files are opened.
struct file_settings {
  bool as_they_stand = false;  ///< compressed bytes are not decompressed

  io::unpacking unpacking() const
  {
    return as_they_stand ? io::unpacking::none : io::unpacking::by_first_bytes;
  }
  /// "-" is standard input, everything else a file. Throws file_error.
  io::input open(std::string const& file) const { return io::input::named(file, unpacking()); }
};

/// The options of `file_settings`, for the pages of commands that read files.
std::vector<option_page> file_options();
void bind_files(parser& options, file_settings& files);

}  // namespace tally::cli
