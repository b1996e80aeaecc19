#pragma once

#include <string>
#include <vector>

#include "help/page.hpp"
#include "io/files/input.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

/// How files are opened.
struct file_settings {
  bool as_they_stand = false;  ///< compressed bytes are not decompressed
  bool follow = false;         ///< the end of the file is where it is removed

  io::unpacking unpacking() const { return as_they_stand ? io::unpacking::none : io::unpacking::by_first_bytes; }
  /// "-" is standard input, everything else a file. Throws file_error.
  io::input open(std::string const& file) const
  {
    return follow ? io::input::followed(file) : io::input::named(file, unpacking());
  }
};

/// The options of `file_settings`, for the pages of commands that read files.
std::vector<option_page> file_options();
void bind_files(parser& options, file_settings& files);
/// Throws command_line_error if --follow does not fit the files.
void check_files(file_settings const& how, std::vector<std::string> const& files);

/// The files that words stand for. A word that names a folder stands for the files in it, but hidden ones and folders,
/// in the order of bytes. A word that names nothing and has one of *?[ stands for all names that it matches as in a
/// shell, in that order. Every other word stands for itself. Throws data_error if there is no such file.
std::vector<std::string> expanded(std::vector<std::string> const& words);

}  // namespace tally::cli
