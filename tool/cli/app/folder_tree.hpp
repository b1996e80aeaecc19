#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// A directory and everything below it, as a tree.
namespace tally::cli {

struct folder_tree {
  std::vector<std::uint32_t> parents;  ///< of directories and files; the root, which is the first, is its own
  std::vector<std::string> names;      ///< without the folder they are in; the root's is its path
  std::vector<std::uint64_t> bytes;    ///< of the node alone; 0 for a second name of a file
  std::vector<bool> is_folder;

  std::string path(std::uint32_t node) const;
};

enum class bytes_of { content, disk };

/// Reads a directory and all below it, in the order of names, without following links. Bytes are lengths, or the space
/// used on the disk.
///
/// Throws    io::file_error if there is no such directory or one cannot be read.
folder_tree read_folders(std::string const& directory, bytes_of what);

}  // namespace tally::cli
