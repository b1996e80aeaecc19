#include "settings/files.hpp"

#include <algorithm>
#include <filesystem>
#include <new>

#include <glob.h>

#include "io/errors.hpp"

namespace tally::cli {

std::vector<option_page> file_options()
{
  return {{"--no-decompress", "",
           "Read the bytes of files as they stand. Without this option input that gzip, bzip2, xz or zstd compressed, "
           "which its first bytes say and never its name, is decompressed as it is read, and a zip archive is its only "
           "member."},
          {"--follow", "",
           "At the end of FILE wait for more, as `tail -f` does, until it is removed. A scan writes its results as "
           "they come. For a single file, of text or a table."}};
}

void bind_files(parser& options, file_settings& files)
{
  options.flag("--no-decompress", files.as_they_stand);
  options.flag("--follow", files.follow);
}

void check_files(file_settings const& how, std::vector<std::string> const& files)
{
  if (how.follow && (files.size() != 1 || files[0] == "-"))
    throw command_line_error("--follow is for a single file: a pipe lasts as long as its writer");
}

namespace {

/// Adds the files of a folder, in order.
void add_folder(std::vector<std::string>& to, std::string const& folder)
{
  std::vector<std::string> names;
  for (auto const& each : std::filesystem::directory_iterator(folder)) {
    std::string const name = each.path().filename();
    if (!name.starts_with('.') && !each.is_directory()) names.push_back(each.path());
  }
  if (names.empty()) throw io::data_error({folder}, "a folder without files", "files");
  std::sort(names.begin(), names.end());
  to.insert(to.end(), names.begin(), names.end());
}

/// Adds the names that a pattern matches. Whether there is any.
bool add_matches(std::vector<std::string>& to, std::string const& pattern)
{
  glob_t matches = {};
  int const failure = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches);
  std::vector<std::string> names(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  globfree(&matches);
  if (failure == GLOB_NOSPACE) throw std::bad_alloc();
  std::sort(names.begin(), names.end());
  for (std::string const& name : names) {
    if (std::filesystem::is_directory(name))
      add_folder(to, name);
    else
      to.push_back(name);
  }
  return !names.empty();
}

}  // namespace

std::vector<std::string> expanded(std::vector<std::string> const& words)
{
  std::vector<std::string> files;
  for (std::string const& word : words) {
    std::error_code problem;
    auto const kind = std::filesystem::status(word, problem).type();
    if (kind == std::filesystem::file_type::directory)
      add_folder(files, word);
    else if (kind != std::filesystem::file_type::not_found || word.find_first_of("*?[") == word.npos)
      files.push_back(word);
    else if (!add_matches(files, word))
      throw io::data_error({word}, "no such file", "files that match it");
  }
  return files;
}

}  // namespace tally::cli
