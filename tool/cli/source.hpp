#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/errors.hpp"
#include "io/reader.hpp"
#include "settings.hpp"

namespace tally::cli {

/// Numbers of one kind, of one type or of text, that arrive in batches.
class batches {
public:
  virtual ~batches() = default;
  batches(batches const&) = delete;
  batches& operator=(batches const&) = delete;

  /// The next values; false at the end.
  virtual bool next(io::batch& into) = 0;
  /// Whether `next` would have to wait.
  virtual bool waiting() const = 0;
  virtual io::progress so_far() const = 0;
  /// Where value `index` of the batch last given stands.
  virtual io::location locate(std::size_t index) const = 0;

protected:
  batches() = default;
};

/// Calls `use`; a value that it cannot take becomes an error that says where it stands. `place` gives a value's index
/// in the batch.
template <class Use, class Place = std::identity>
void located(batches const& from, Use use, Place place = {})
{
  try {
    use();
  } catch (value_problem const& problem) {
    throw io::data_error(from.locate(place(problem.index())), problem.found(), problem.expected());
  }
}

/// All input files as one sequence of numbers of one kind: of one type, or of text.
class source final : public batches {
public:
  /// Opens the first file and reads until its first values are there. Throws what readers throw.
  source(input_settings const& settings, int threads);
  ~source() override;

  /// The type of all values; nothing for text, whose integers turn into doubles at the first value that is none.
  std::optional<io::element_type> type() const { return type_; }

  /// The next values, of `type()` if there is one; at most `slice` of them, so that what is made of them stays in
  /// cache.
  bool next(io::batch& into) override;
  bool waiting() const override;
  io::progress so_far() const override;
  io::location locate(std::size_t index) const override;

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

/// How many values there are, where that is known without reading them: in files of arrays and of raw values.
std::optional<std::uint64_t> total_values(input_settings const& settings);

/// The place of value number `position` of the whole input. Reads the input once more; a pipe cannot be read again, and
/// then it names the pipe alone (see `input::keep_standard_input`).
io::location location_in(input_settings const& settings, int threads, std::uint64_t position);

/// The bytes of all files, where they are known.
std::optional<std::uint64_t> total_size(std::vector<std::string> const& files);

}  // namespace tally::cli
