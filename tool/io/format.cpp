#include "io/format.hpp"

#include <algorithm>
#include <string>

#include "io/compression/compression.hpp"

namespace tally::io {

std::optional<file_format> format_of_name(std::string_view path)
{
  std::string_view const file = path.substr(path.rfind('/') + 1);
  std::size_t const dot = file.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return file_format::text;
  std::string ending(file.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (ending == "csv") return file_format::csv;
  if (ending == "tsv" || ending == "tab") return file_format::tsv;
  if (ending == "npy") return file_format::npy;
  if (ending == "bin" || ending == "raw") return file_format::raw;
  if (ending == "txt" || ending == "dat") return file_format::text;
  return std::nullopt;
}

std::optional<file_format> format_of_input(std::string_view path)
{
  std::string lower(path);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (lower.ends_with(".npz") || lower.find(".npz:") != lower.npos) return file_format::npy;
  std::string_view name = without_compression_ending(lower);
  if (name.ends_with(".zip") && name.size() > 4) name.remove_suffix(4);
  return format_of_name(name);
}

}  // namespace tally::io
