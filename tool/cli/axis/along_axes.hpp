#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "axis/block_lines.hpp"
#include "axis/calls.hpp"
#include "axis/sequences.hpp"
#include "gpu/gpu.hpp"
#include "io/axis/reader.hpp"
#include "settings/settings.hpp"
#include "values.hpp"

namespace tally::cli {

/// A reduction or a scan of an array along axes, by blocks of bounded size.
///
/// Threads read and compute blocks of whole lines on their own. Lines that come in stretches need those before them:
/// threads total the stretches, and the rest is done in order. So is all that a GPU does. Calls of the library do what
/// they can (`call_operation`), accumulators the rest.
class along_axes {
public:
  /// A block on its way.
  struct task {
    io::axis_block block;
    block_lines lines;
    io::values_view values;    ///< in the type of --type
    io::values_view operands;  ///< of calls; empty if accumulators do the block
    int128 magnitude = 0;      ///< of integers that are added
    io::values_view results;   ///< of a scan, in the places of the values; of a reduction, one a line

    value_buffer typed, prepared, totals, made;
  };

  /// `limits` gives the sizes of blocks; the rest of it follows from the settings. Throws `command_line_error`,
  /// data_error.
  along_axes(command_settings const& settings, bool scans, io::axis_limits limits = {});

  io::axis_layout const& layout() const { return reader_.layout(); }
  io::element_type type() const { return type_; }
  io::element_type results_type() const { return result_type_; }
  /// Whether blocks of results are consecutive in the file.
  bool in_order() const { return plan_->in_order(); }

  /// Lets a GPU do the calls. It outlives this.
  void use(gpu& device) { on_device_ = device.sequences(); }

  /// Calls write(task) for each block with its results, in order; for lines that come in stretches and are reduced,
  /// with their last one. A `value_problem` of `write` is that of a result.
  void run(std::function<void(task const&)> const& write);

  /// The result of a line without values.
  result of_nothing() const;

private:
  void work(task& one) const;
  void finish(task& one);
  void compute(task& one, sequence_processor& on) const;
  void total(task& one, sequence_processor& on) const;
  void scan_stretches(task& one);
  void take_results(task& one, io::values_view const& results) const;
  void by_accumulators(task& one) const;
  void advance(task& one, std::size_t k, accumulator& state) const;
  void go_on_exactly(task& one);
  void collect(task& one, std::vector<result> const& results) const;
  void note_wide_sums();
  [[noreturn]] void wrong_value(value_problem const& problem, std::uint64_t line,
                                std::optional<std::uint64_t> position) const;

  command_settings const& settings_;
  bool scans_;
  operation op_;
  io::axis_reader reader_;
  io::element_type type_;
  io::element_type result_type_;
  std::optional<call_operation> calls_;
  std::unique_ptr<sequence_processor> one_thread_, all_threads_;
  std::unique_ptr<sequence_processor> on_device_;  // null if the CPU does it
  io::axis_plan const* plan_ = nullptr;
  std::size_t block_bytes_ = 0;
  bool noted_ = false;

  // The lines that come in stretches.
  std::unique_ptr<line_carries> carries_;
  std::vector<std::unique_ptr<accumulator>> accumulators_;
  value_buffer starts_, before_;
};

}  // namespace tally::cli
