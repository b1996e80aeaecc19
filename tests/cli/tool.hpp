#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

/// Runs the built tool as a process, as a user does.
namespace tally::test {

/// Whether tests are brief: under a sanitizer the tool takes five times as long.
#ifdef TALLY_TEST_BRIEFLY
inline constexpr bool is_brief = true;
#else
inline constexpr bool is_brief = false;
#endif

using words = std::vector<std::string>;

struct outcome {
  int status = -1;  ///< as in a shell: 128 + the signal that ended it, if one did
  std::string out;
  std::string err;
  std::size_t peak_bytes = 0;  ///< the largest resident set
};

/// The surroundings of a process.
struct surroundings {
  /// Writes the tool's input to the descriptor of a pipe, on its own thread. May stop early if the tool has gone.
  std::function<void(int)> feed = [](int) {};
  /// Takes the tool's output, which is collected in `out` by default.
  std::function<void(std::string_view)> take = nullptr;
  std::string directory = ".";
};

outcome run_tool(words const& arguments, std::string_view input = {});
outcome run_tool(words const& arguments, surroundings const& around);

/// A shell command in which `tally` is the tool.
outcome run_shell(std::string const& command, std::string const& directory = ".");

/// Writes all of the text, or less if the reader has gone. Returns whether all was written.
bool feed_all(int descriptor, std::string_view text);

std::string tool_path();

/// A folder for the files of one test, which vanishes with it.
class in_folder : public ::testing::Test {
protected:
  in_folder();
  ~in_folder() override;

  /// Writes a file and gives its path.
  std::string file(std::string const& name, std::string_view content) const;
  std::string path(std::string const& name) const { return folder_ / name; }
  std::string read(std::string const& name) const;
  /// Names of all files there, sorted, separated by blanks.
  std::string listing() const;

  std::filesystem::path folder_;
};

/// The bytes of values as they lie in memory.
template <class T>
std::string bytes_of(std::vector<T> const& values)
{
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

/// The values in bytes.
template <class T>
std::vector<T> values_of(std::string_view bytes)
{
  std::vector<T> values(bytes.size() / sizeof(T));
  bytes.copy(reinterpret_cast<char*>(values.data()), values.size() * sizeof(T));
  return values;
}

/// A .npy file (version 1): `type` as "<f4", `shape` as "(3, 4)".
std::string npy(std::string const& type, std::string const& shape, std::string const& bytes,
                bool fortran_order = false);

/// The dictionary of a .npy file's header, and the bytes after the header.
struct array {
  std::string header;
  std::string bytes;
};
array parse_npy(std::string const& file);

}  // namespace tally::test
