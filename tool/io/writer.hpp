#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "io/axis/layout.hpp"
#include "io/element_type.hpp"
#include "io/files/output.hpp"
#include "io/numbers/style.hpp"

namespace tally::io {

/// A destination of numbers that arrive in pieces of any size.
class writer {
public:
  virtual ~writer() = default;
  writer(writer const&) = delete;
  writer& operator=(writer const&) = delete;

  /// Appends values, which need not outlive the call. Throws broken_pipe, disk_full, file_error.
  virtual void write(values_view const& values) = 0;
  /// The form of the integers that follow. Only text has forms: a binary file of decimals does not exist.
  virtual void set_form(number_form) {}
  /// Writes buffered output, for a reader that waits.
  virtual void flush() = 0;
  /// Ends and commits the output. Without it no file is left behind. Throws as write does.
  virtual void finish() = 0;

protected:
  writer() = default;
};

struct text_writer_options {
  char line_end = '\n';
  number_style style = {};
  int threads = 0;  ///< that format; 0 lets the library choose. They never change the output.
};

/// One value a line, in the style of the options. Without one: integers in full; floating-point values with the fewest
/// digits that read back to the same bits (of float for float32), inf, -inf, nan; negative zero is -0.0. The values
/// written may change type from call to call.
class text_writer final : public writer {
public:
  explicit text_writer(output to, text_writer_options const& options = {});
  ~text_writer() override;

  void write(values_view const& values) override;
  void set_form(number_form form) override;
  /// Appends text as it is: a header, a comment.
  void write_text(std::string_view text);
  void flush() override;
  void finish() override;

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A .npy file of one axis. If it goes to a pipe, its values wait in a nameless temporary file until their number is
/// known. Requires of write: values of `type`. int128 throws data_error: the format has no such type.
std::unique_ptr<writer> write_npy(output to, element_type type);

/// The same with a shape known beforehand; a pipe gets the values at once. Requires: exactly that many values are
/// written.
std::unique_ptr<writer> write_npy(output to, element_type type, std::vector<std::uint64_t> const& shape,
                                  bool fortran_order = false);

/// The bytes of the values, in this machine's order. int128 as 16 bytes.
std::unique_ptr<writer> write_raw(output to, element_type type);

/// Writes an array block by block: the result of a scan along an axis, in the shape and order of its input.
class axis_writer {
public:
  /// An array of `type` as large as `layout` says. `in_order`: blocks come as they follow each other in the file; a
  /// pipe gets them at once. Throws data_error for int128; file_error.
  axis_writer(output to, axis_layout const& layout, element_type type, bool in_order);
  ~axis_writer();
  axis_writer(axis_writer&&) noexcept;

  /// Requires: values of `type`, with the last part of the layout running fastest.
  void write(axis_place const& place, values_view const& values);
  void finish();

private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tally::io
