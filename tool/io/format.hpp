#pragma once

#include <optional>
#include <string_view>

namespace tally::io {

enum class file_format { text, csv, tsv, npy, raw };

/// The format that a file's ending stands for: .csv, .tsv and .tab, .npy, .bin and .raw; text for .txt, .dat and none;
/// nothing for others. The case of letters does not matter.
std::optional<file_format> format_of_name(std::string_view path);

/// The format that a user names: text, csv, tsv, npy, raw.
std::optional<file_format> format_named(std::string_view name);

}  // namespace tally::io
