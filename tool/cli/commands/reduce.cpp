#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "gpu/on_gpu.hpp"
#include "groups/reduction.hpp"
#include "input/pairs.hpp"
#include "input/progress.hpp"
#include "input/source.hpp"
#include "io/files/output.hpp"
#include "io/writer.hpp"
#include "output/report.hpp"

namespace tally::cli {

namespace {

/// The names of the columns that have results.
std::vector<std::string> value_names(command_settings const& settings, source const& from)
{
  return takes_pairs(settings) ? head_of_pairs(settings, from.head()).columns : from.column_names();
}

void reduce_groups(command_settings const& settings)
{
  input_settings input = settings.input;
  input.distinct_keys = false;
  source from(input, settings.threads);
  make_accumulators(settings, from.type());  // throws for a wrong command line before anything is read
  std::vector<std::string> const names = value_names(settings, from);
  std::optional<pairs> both;
  if (takes_pairs(settings)) both.emplace(from);
  batches& rows = both ? static_cast<batches&>(*both) : from;
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  std::unique_ptr<group_reduction> groups;
  io::batch batch;
  auto const complain = [&](std::optional<failed_value> const& failed) {
    if (failed) located(from, failed->column, [&] { throw failed->problem; }, [&](std::size_t) { return failed->row; });
  };
  while (rows.next(batch)) {
    if (!groups) groups = std::make_unique<group_reduction>(settings, from.type(), batch.columns.size());
    complain(groups->take(batch));
    meter.update(from.so_far());
  }
  std::vector<io::number_form> forms;
  for (std::size_t c = 0; c < names.size(); ++c) forms.push_back(from.form(c));
  group_report to(settings, names, from.key_names(), std::move(forms));
  if (groups) groups->finish(to);
  to.finish();
}

}  // namespace

void write_array_result(command_settings const& settings, std::optional<io::element_type> type, result const& value)
{
  operation const op = settings.operations[0];
  io::element_type const to_type = result_type(op, type);
  value_buffer room;
  io::values_view const one = as_type(value, to_type, op, room);
  io::output to = io::output::named(settings.output.file);
  auto const writer = settings.output.format == output_format::npy ? io::write_npy(std::move(to), to_type, {})
                                                                   : io::write_raw(std::move(to), to_type);
  writer->write(one);
  writer->finish();
}

void reduce_all(command_settings const& settings, batches& from, std::span<accumulators const> columns)
{
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  io::batch batch;
  while (from.next(batch)) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      io::column const& column = batch.columns[c];
      auto const use = [&] {
        for (auto const& one : columns[c]) one->reduce(column.values);
      };
      located(from, c, use, [&](std::size_t index) { return column.row_of(index); });
    }
    meter.update(from.so_far());
  }
}

void run_reduce(std::vector<std::string> const& words)
{
  command_settings const settings = parse_reduce(words);
  if (goes_along_axis(settings)) return reduce_along_axis(settings);
  if (!settings.input.keys.empty()) {
    gpu_for(settings, {});  // prints that the GPU is of no use here
    return reduce_groups(settings);
  }
  source from(settings.input, settings.threads);
  std::vector<std::string> const names = value_names(settings, from);
  bool const of_pairs = takes_pairs(settings);
  bool const one_column = names.size() == 1 && !of_pairs;
  std::vector<accumulators> all;
  for (std::size_t c = 0; c < names.size(); ++c) all.push_back(make_accumulators(settings, from.type()));
  if (names.size() > 1 && is_binary(settings.output.format))
    throw command_line_error("several columns have named results: as text, a table or JSON");
  if (!one_column && settings.on == processor::gpu) note("the CPU does it: a GPU is of no use to several columns");
  std::vector<result> results;
  if (std::unique_ptr<gpu> const device = one_column ? gpu_for(settings, from.type()) : nullptr) {
    results = reduce_on_gpu(settings, from, all[0], *device);
  } else {
    std::optional<pairs> both;
    if (of_pairs) both.emplace(from);
    reduce_all(settings, both ? static_cast<batches&>(*both) : from, all);
    for (std::size_t c = 0; c < all.size(); ++c) {
      std::vector<result> const of_column = results_of(all[c]);
      for (std::size_t k = 0; k < of_column.size(); ++k)
        results.push_back(in_form(of_column[k], settings.operations[k], from.form(c)));
    }
  }
  if (is_binary(settings.output.format))
    write_array_result(settings, from.type(), results[0]);
  else
    io::write_whole(io::output::named(settings.output.file),
                    names.size() > 1 ? report(settings, names, results) : report(settings, results));
}

}  // namespace tally::cli
