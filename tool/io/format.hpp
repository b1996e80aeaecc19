#pragma once

#include <optional>
#include <string_view>

namespace tally::io {

enum class file_format { text, csv, tsv, npy, raw };

/// The format of a file's ending: .csv, .tsv and .tab, .npy, .bin and .raw; text for .txt, .dat and no ending; nothing
/// for others. Upper and lower case are the same.
std::optional<file_format> format_of_name(std::string_view path);

}  // namespace tally::io
