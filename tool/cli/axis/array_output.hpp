#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "io/axis/layout.hpp"
#include "io/element_type.hpp"
#include "io/files/spool.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "settings/settings.hpp"

namespace tally::cli {

/// The destination of an array of results: a .npy file, or its values in C order; as text a line for each row, and an
/// empty line between matrices. Values that come in another order wait in a temporary file.
class array_output {
public:
  /// The results of a scan, which have the shape of its input. `in_order`: blocks come as they follow each other in the
  /// file. Throws `command_line_error` if the format has no arrays of several axes.
  array_output(command_settings const& settings, io::axis_layout const& layout, io::element_type type, bool in_order);
  /// The results of a reduction, in the order of the file.
  array_output(command_settings const& settings, std::vector<std::uint64_t> shape, bool fortran_order,
               io::element_type type);

  /// Whether values are written in the type of the array; else in any.
  bool binary() const { return spool_ != nullptr || settings_.output.format == output_format::npy || raw(); }

  void write(io::axis_place const& place, io::values_view const& values);
  void write(io::values_view const& values) { writer_->write(values); }
  void finish();

private:
  bool raw() const { return settings_.output.format == output_format::raw; }
  bool is_rows() const { return shape_.size() > 1; }
  void check_format() const;
  void print(io::reader& values);

  command_settings const& settings_;
  std::vector<std::uint64_t> shape_;
  io::element_type type_;
  std::unique_ptr<io::spool> spool_;           // null if nothing has to wait
  std::unique_ptr<io::writer> writer_;         // of values in order
  std::unique_ptr<io::axis_writer> in_place_;  // else
};

}  // namespace tally::cli
