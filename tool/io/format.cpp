#include "io/format.hpp"

#include <algorithm>
#include <string>

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

}  // namespace tally::io
