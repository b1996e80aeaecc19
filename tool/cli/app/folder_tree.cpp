#include "app/folder_tree.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "io/errors.hpp"

namespace tally::cli {

namespace {

std::vector<std::string> names_in(std::string const& directory)
{
  std::unique_ptr<DIR, int (*)(DIR*)> const open(::opendir(directory.c_str()), &::closedir);
  if (open == nullptr) io::throw_file_error(directory, "cannot read", errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    dirent const* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    std::string_view const name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) io::throw_file_error(directory, "cannot read", errno);
  std::sort(names.begin(), names.end());
  return names;
}

std::string joined(std::string const& directory, std::string const& name)
{
  return directory.ends_with('/') ? directory + name : directory + '/' + name;
}

}  // namespace

std::string folder_tree::path(std::uint32_t node) const
{
  return node == parents[node] ? names[node] : joined(path(parents[node]), names[node]);
}

folder_tree read_folders(std::string const& directory, bytes_of what)
{
  folder_tree all;
  std::set<std::pair<dev_t, ino_t>> counted;  // files with several names
  auto const add = [&](std::string const& path, std::string name, std::uint32_t parent) {
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0) io::throw_file_error(path, "cannot read", errno);
    bool const folder = S_ISDIR(status.st_mode);
    bool const first = folder || status.st_nlink < 2 || counted.emplace(status.st_dev, status.st_ino).second;
    auto const bytes = static_cast<std::uint64_t>(what == bytes_of::content ? status.st_size : status.st_blocks * 512);
    all.parents.push_back(parent);
    all.names.push_back(std::move(name));
    all.bytes.push_back(first ? bytes : 0);
    all.is_folder.push_back(folder);
  };
  add(directory, directory, 0);
  if (!all.is_folder[0]) io::throw_file_error(directory, "cannot read", ENOTDIR);
  // Folders are read in the order in which they were added: breadth first.
  for (std::uint32_t node = 0; node < all.parents.size(); ++node) {
    if (!all.is_folder[node]) continue;
    std::string const path = all.path(node);
    for (std::string& name : names_in(path)) {
      std::string const below = joined(path, name);
      add(below, std::move(name), node);
    }
  }
  return all;
}

}  // namespace tally::cli
