#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "io/reader.hpp"
#include "settings.hpp"

namespace tally::cli {

/// All input files as one sequence of numbers of one kind: of one type, or of text.
class source {
public:
  /// Opens the first file and reads until its first values are there. Throws what readers throw.
  source(input_settings const& settings, int threads);
  ~source();

  /// The type of all values; nothing for text, whose integers turn into doubles at the first value that is none.
  std::optional<io::element_type> type() const { return type_; }

  /// The next values, of `type()` if there is one; at most `slice` of them, so that what is made of them stays in
  /// cache.
  bool next(io::batch& into);
  /// Whether `next` would have to wait.
  bool waiting() const;
  io::progress so_far() const;
  /// Where value `index` of the batch last given stands.
  io::location locate(std::size_t index) const;

  static constexpr std::size_t slice = std::size_t{1} << 18;  // 1 MiB of float: whole spans of every type up to 8 bytes

private:
  void open_next();
  bool fetch();
  void find_type();
  [[noreturn]] void wrong_type(io::element_type found) const;

  input_settings settings_;
  int threads_;
  std::size_t opened_ = 0;
  std::unique_ptr<io::reader> reader_;
  std::optional<io::element_type> type_;
  bool floating_seen_ = false;
  std::uint64_t bytes_before_ = 0;
  std::optional<std::uint64_t> bytes_total_;

  io::batch batch_;
  std::size_t taken_ = 0;     // of batch_
  std::size_t given_at_ = 0;  // where in batch_ the slice last given begins
  value_buffer converted_;
};

/// The bytes of all files, where they are known.
std::optional<std::uint64_t> total_size(std::vector<std::string> const& files);

}  // namespace tally::cli
