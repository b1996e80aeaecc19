#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "backwards.hpp"
#include "commands.hpp"
#include "gpu/on_gpu.hpp"
#include "groups.hpp"
#include "io/output.hpp"
#include "io/writer.hpp"
#include "progress.hpp"
#include "source.hpp"

namespace tally::cli {

namespace {

/// The results of a batch, in the order of its values.
class scanner {
public:
  virtual ~scanner() = default;
  /// Throws `value_problem` with the index in the batch.
  virtual io::values_view scan(io::batch const& batch) = 0;
};

class one_sequence final : public scanner {
public:
  one_sequence(command_settings const& settings, std::optional<io::element_type> type)
      : kind_(settings.kind),
        state_(std::move(make_accumulators(settings, type)[0]))
  {
  }

  io::values_view scan(io::batch const& batch) override
  {
    state_->scan(batch.values(), kind_, out_);
    return out_.view();
  }

private:
  scan_kind kind_;
  std::unique_ptr<accumulator> state_;
  value_buffer out_;
};

/// Gathers the values of each group, scans them at once, and puts the results back into their rows.
class by_groups final : public scanner {
public:
  by_groups(command_settings const& settings, std::optional<io::element_type> type) : settings_(settings), type_(type)
  {
  }

  io::values_view scan(io::batch const& batch) override
  {
    bool first = true;
    for (group_table::part const& part : groups_.sort(batch)) {
      while (states_.size() < groups_.size()) states_.push_back(std::move(make_accumulators(settings_, type_)[0]));
      io::values_view const values = gathered(batch.values(), part.rows, values_);
      try {
        states_[part.group]->scan(values, settings_.kind, results_);
      } catch (value_problem const& problem) {
        throw value_problem(part.rows[problem.index()], problem.found(), problem.expected());
      }
      put(results_.view(), part.rows, batch.rows, first);
      first = false;
    }
    return out_.view();
  }

private:
  /// A group's integers come as int64 or, if it needs that, int128; one group of int128 makes the whole batch int128.
  void put(io::values_view results, std::span<std::uint32_t const> rows, std::size_t size, bool first)
  {
    if (first) std::memset(out_.resize(io::type_of(results), size), 0, size * io::byte_size(io::type_of(results)));
    if (io::type_of(results) != io::type_of(out_.view())) {
      if (io::type_of(out_.view()) != io::element_type::int128) {
        converted(out_.view(), io::element_type::int128, wide_);
        std::swap(out_, wide_);
      }
      results = converted(results, io::element_type::int128, wide_);
    }
    scatter(results, rows, out_);
  }

  command_settings const& settings_;
  std::optional<io::element_type> type_;
  group_table groups_;
  std::vector<std::unique_ptr<accumulator>> states_;
  value_buffer values_;
  value_buffer results_;
  value_buffer out_;
  value_buffer wide_;
};

}  // namespace

void scan_all(command_settings const& settings, batches& from, std::optional<io::element_type> type, io::output to)
{
  std::unique_ptr<scanner> scanner;
  if (settings.input.key)
    scanner = std::make_unique<by_groups>(settings, type);
  else
    scanner = std::make_unique<one_sequence>(settings, type);

  io::element_type const to_type = result_type(settings.operations[0], type);
  bool const binary = is_binary(settings.output.format);
  std::unique_ptr<io::writer> writer = make_scan_writer(settings, std::move(to), to_type);
  if (settings.reversed) writer = write_backwards(std::move(writer));
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  value_buffer room;
  io::batch batch;
  while (from.next(batch)) {
    located(from, batch, [&] {
      io::values_view const results = scanner->scan(batch);
      writer->write(binary ? converted(results, to_type, room) : results);
    });
    if (from.waiting()) writer->flush();
    meter.update(from.so_far());
  }
  writer->finish();
}

void run_scan(std::vector<std::string> const& words)
{
  command_settings const settings = parse_scan(words);
  if (goes_along_axis(settings)) return scan_along_axis(settings);
  source from(settings.input, settings.threads);
  make_accumulators(settings, from.type());  // throws for a wrong command line before there is any output
  if (settings.reversed) {
    if (settings.on == processor::gpu)
      note("the CPU does it: --reverse is of use to a GPU along an axis, or of a single .npy file");
    held_backwards all(settings, from);
    return scan_all(settings, all, from.type(), io::output::named(settings.output.file));
  }
  std::unique_ptr<gpu> const device = gpu_for(settings, from.type());
  io::output to = io::output::named(settings.output.file);
  if (device)
    scan_on_gpu(settings, from, *device, std::move(to));
  else
    scan_all(settings, from, from.type(), std::move(to));
}

}  // namespace tally::cli
