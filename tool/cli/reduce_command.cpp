#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "gpu/on_gpu.hpp"
#include "group_results.hpp"
#include "groups.hpp"
#include "io/output.hpp"
#include "io/writer.hpp"
#include "present_rows.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "source.hpp"

namespace tally::cli {

namespace {

void write_result(command_settings const& settings, std::optional<io::element_type> type, result const& value)
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

void write_text(command_settings const& settings, std::string const& text)
{
  io::output to = io::output::named(settings.output.file);
  to.write(text.data(), text.size());
  to.commit();
}

void reduce_groups(command_settings const& settings)
{
  source from(settings.input, settings.threads);
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  std::vector<std::string> const names = from.column_names();
  group_table groups;
  std::vector<group_results> all;
  for (std::size_t c = 0; c < names.size(); ++c) all.emplace_back(settings, from.type());
  value_buffer gathered_values;
  io::batch batch;
  present_rows present;
  while (from.next(batch)) {
    if (!batch.is_whole()) groups.sort(batch);  // numbers the groups by their first rows, with a value or without
    for (std::size_t c = 0; c < names.size(); ++c) {
      io::batch const valued = present.of(batch, c);
      for (group_table::part const& part : groups.sort(valued)) {
        io::values_view const values = gathered(valued.values(), part.rows, gathered_values);
        located(from, c, [&] { all[c].reduce(part.group, values); },
                [&](std::size_t k) { return batch.columns[c].row_of(part.rows[k]); });
      }
    }
    meter.update(from.so_far());
  }
  std::vector<std::vector<result>> results;
  for (group_results& column : all) results.push_back(column.take(groups.size()));
  std::size_t const each = settings.operations.size();
  group_report to(settings, names, from.key_names());
  std::vector<result> row;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    row.clear();
    for (auto const& column : results)
      std::ranges::copy(std::span(column).subspan(g * each, each), std::back_inserter(row));
    to.group(groups.key(g), row);
  }
  to.finish();
}

}  // namespace

void reduce_all(command_settings const& settings, source& from, std::span<accumulators const> columns)
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
  std::vector<std::string> const names = from.column_names();
  std::vector<accumulators> all;
  for (std::size_t c = 0; c < names.size(); ++c) all.push_back(make_accumulators(settings, from.type()));
  if (names.size() > 1 && is_binary(settings.output.format))
    throw command_line_error("several columns have named results: as text, a table or JSON");
  if (names.size() > 1 && settings.on == processor::gpu) note("the CPU does it: a GPU is of no use to several columns");
  std::vector<result> results;
  if (std::unique_ptr<gpu> const device = names.size() > 1 ? nullptr : gpu_for(settings, from.type())) {
    results = reduce_on_gpu(settings, from, all[0], *device);
  } else {
    reduce_all(settings, from, all);
    for (accumulators const& column : all) std::ranges::move(results_of(column), std::back_inserter(results));
  }
  if (is_binary(settings.output.format))
    write_result(settings, from.type(), results[0]);
  else
    write_text(settings, names.size() > 1 ? report(settings, names, results) : report(settings, results));
}

}  // namespace tally::cli
