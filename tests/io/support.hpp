#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "io/files/input.hpp"
#include "io/numbers/number.hpp"
#include "io/reader.hpp"

namespace tally::io::testing {

/// A folder that the test removes at its end.
class scratch_folder {
public:
  scratch_folder()
  {
    std::string name = (std::filesystem::temp_directory_path() / "tally_io_test.XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no scratch folder");
    path_ = name;
  }
  ~scratch_folder() { std::filesystem::remove_all(path_); }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;

  std::string path(std::string const& name) const { return (path_ / name).string(); }
  std::string write(std::string const& name, std::string_view bytes) const
  {
    std::filesystem::remove(path(name));  // to write over it takes a flush to the disk
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string read(std::string const& name) const
  {
    std::ostringstream bytes;
    bytes << std::ifstream(path(name), std::ios::binary).rdbuf();
    return bytes.str();
  }
  std::size_t count() const
  {
    auto const files = std::filesystem::directory_iterator(path_);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

private:
  std::filesystem::path path_;
};

/// A pipe into which another thread writes parts, with a pause after each.
class slow_pipe {
public:
  explicit slow_pipe(std::vector<std::string> parts)
  {
    if (pipe(ends_) != 0) throw std::runtime_error("no pipe");
    writer_ = std::thread([this, parts = std::move(parts)] {
      for (std::string const& part : parts) {
        for (std::size_t done = 0; done < part.size();) {
          ssize_t const n = write(ends_[1], part.data() + done, part.size() - done);
          if (n <= 0) break;
          done += static_cast<std::size_t>(n);
        }
        if (parts.size() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      close(ends_[1]);
    });
  }
  ~slow_pipe()
  {
    // Lets the writer end if the reader has given up.
    char rest[4096];
    while (read(ends_[0], rest, sizeof rest) > 0) continue;
    writer_.join();
    close(ends_[0]);
  }
  input source() const { return input::descriptor(ends_[0], "pipe"); }

private:
  int ends_[2];
  std::thread writer_;
};

/// A text in pieces of one size.
inline std::vector<std::string> pieces_of(std::string const& text, std::size_t size)
{
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size(); at += size) pieces.push_back(text.substr(at, size));
  return pieces;
}

/// The bytes of values, each one reversed if they are wanted in the other byte order.
template <class T>
std::string bytes(std::vector<T> const& values, bool swapped = false)
{
  std::string result;
  for (T const& value : values) {
    std::string one(reinterpret_cast<char const*>(&value), sizeof value);
    if (swapped) std::reverse(one.begin(), one.end());
    result += one;
  }
  return result;
}

/// Everything that a reader gives: a word for each value, "i:7" or "d:<bits>", its key, and the message of the
/// exception that ended it.
struct everything {
  std::vector<std::string> values;
  std::vector<number_form> forms;  ///< of each value that is not of number_unit::one
  std::vector<std::string> keys;
  std::string error;

  friend bool operator==(everything const&, everything const&) = default;
  friend std::ostream& operator<<(std::ostream& to, everything const& from)
  {
    for (std::size_t i = 0; i < from.values.size() && i < 50; ++i)
      to << from.values[i] << (i < from.keys.size() ? " " + from.keys[i] : "") << ", ";
    return to << "error '" << from.error << "'";
  }
};

inline std::string word(int128 value)
{
  return "i:" + to_text(value);
}
inline std::string word(float value)
{
  return value != value ? "f:nan" : "f:" + to_text(value) + "/" + std::to_string(std::bit_cast<std::uint32_t>(value));
}
inline std::string word(double value)
{
  return value != value ? "d:nan" : "d:" + to_text(value) + "/" + std::to_string(std::bit_cast<std::uint64_t>(value));
}
template <std::integral T>
std::string word(T value)
{
  return "i:" + to_text(value);
}

template <class MakeReader>
everything read_all(MakeReader make)
{
  everything result;
  try {
    std::unique_ptr<reader> const from = make();
    batch next;
    while (from->next(next)) {
      std::visit(
          [&](auto const& span) {
            for (auto const value : span) result.values.push_back(word(value));
          },
          next.values());
      if (next.columns[0].form.unit != number_unit::one)
        result.forms.resize(result.values.size(), next.columns[0].form);
      for (std::uint32_t const group : next.groups) result.keys.emplace_back(next.group_names[group]);
    }
  } catch (tally::error const& failure) {
    result.error = failure.what();
  }
  return result;
}

/// All rows that a reader gives, each a line of its cells, its key and its text with bars between; a missing cell is
/// "-". The last line is the message of the exception that ended it, if any.
template <class MakeReader>
std::vector<std::string> read_rows(MakeReader make)
{
  std::vector<std::string> all;
  try {
    std::unique_ptr<reader> const from = make();
    batch next;
    while (from->next(next)) {
      std::vector<std::string> rows(next.rows);
      for (column const& each : next.columns) {
        std::vector<std::string> cells(next.rows, "-");
        std::visit(
            [&](auto const& span) {
              for (std::size_t k = 0; k < span.size(); ++k) cells[each.row_of(k)] = word(span[k]);
            },
            each.values);
        for (std::size_t row = 0; row < next.rows; ++row) rows[row] += (rows[row].empty() ? "" : "|") + cells[row];
      }
      for (std::size_t row = 0; row < next.groups.size(); ++row)
        (rows[row] += '|') += next.group_names[next.groups[row]];
      for (std::size_t row = 0; row < next.lines.size(); ++row) (rows[row] += '|') += next.lines[row];
      all.insert(all.end(), rows.begin(), rows.end());
    }
  } catch (tally::error const& failure) {
    all.emplace_back(failure.what());
  }
  return all;
}

}  // namespace tally::io::testing
