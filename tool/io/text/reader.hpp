#pragma once

#include <memory>
#include <string>

#include "io/files/input.hpp"
#include "io/reader.hpp"
#include "io/tables/missing.hpp"

namespace tally::io {

struct text_options {
  number_reading numbers = {};
  /// False: numbers are separated by white space of any kind. True: each line holds one number, blanks around it
  /// allowed, and an empty line is an error.
  bool one_a_line = false;
  missing_cells missing = {};
  std::string comment = {};  ///< lines that begin with it are skipped; empty for none
  /// Threads that parse; 0 lets the library choose. Never changes what is read.
  int threads = 0;
};

/// Reads a text of numbers. A token (or a line, if each holds a number, or there may be comments) of more than 2^20
/// bytes is an error, whatever the pieces in which it arrives. Memory: at most 64 MiB for any input.
std::unique_ptr<reader> read_text(input source, text_options const& options = {});

}  // namespace tally::io
