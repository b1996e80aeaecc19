#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "io/input.hpp"
#include "io/reader.hpp"

namespace tally::io {

/// The content of the first row of a table.
enum class first_row {
  unsaid,  ///< names; an error if that of the column of numbers is a number, which may be data
  names,
  values,
};

/// A column as the user names it: its name in the header, or its number, the first being 1. A name goes before a
/// number. Without a header only numbers are possible.
struct csv_options {
  char delimiter = ',';
  first_row first = first_row::unsaid;
  std::vector<std::string> columns = {"1"};
  std::vector<std::string> keys = {};  ///< the columns of the group keys, if groups are wanted
  bool lines = false;                  ///< whether batches have the text of their rows
  number_reading numbers = {};
  std::vector<bool> floating = {};  ///< the columns of numbers that are known to hold doubles, from an earlier file
  int threads = 0;
};

/// Reads columns of numbers, and those of keys if wanted, from a table as in RFC 4180: fields may be quoted, a quote
/// in a quoted field is doubled, quoted fields may hold delimiters and line ends. Lines end in \n or \r\n; a byte-order
/// mark is skipped. Blanks and tabs around a number are skipped. Every row must have as many fields as the first one.
///
/// Throws data_error: no such column (the message lists the columns), two columns of that name, an empty field, a
/// column whose name is a number although `first` is `unsaid`, garbage, a row with another number of fields, a quote
/// that never ends or has text after it, a NUL byte, an empty source without the header expected. A row of more than
/// 2^20 bytes, not counting the line feed that ends it, is an error, in whatever pieces it arrives. Memory: at most 96
/// MiB, whatever the input.
std::unique_ptr<reader> read_csv(input source, csv_options const& options = {});

}  // namespace tally::io
