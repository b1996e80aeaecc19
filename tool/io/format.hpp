#pragma once

#include <optional>
#include <string_view>

namespace tally::io {

/// `table` is csv, tsv or blanks, as the first line says.
enum class file_format { text, csv, tsv, blanks, fixed, table, npy, raw };

/// Whether files of the format are tables.
inline bool is_table(file_format format)
{
  return format >= file_format::csv && format <= file_format::table;
}

/// The format of a file's ending: .csv, .tsv and .tab, .npy, .bin and .raw; text for .txt, .dat and no ending; nothing
/// for others. Upper and lower case are the same.
std::optional<file_format> format_of_name(std::string_view path);

/// The format of an input's name, which may have the endings of compression behind its own: .csv of "sales.csv.gz". A
/// member of an archive has that of its own name, and is an array in .npz.
std::optional<file_format> format_of_input(std::string_view path);

}  // namespace tally::io
