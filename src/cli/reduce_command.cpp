#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "groups.hpp"
#include "io/output.hpp"
#include "io/writer.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "source.hpp"

namespace tally::cli {

namespace {

/// Calls `use`; a value that it cannot take becomes an error that says where it stands. `place` gives a value's index
/// in the batch.
template <class Use, class Place>
void located(source const& from, Use use, Place place)
{
  try {
    use();
  } catch (value_problem const& problem) {
    throw io::data_error(from.locate(place(problem.index())), problem.found(), problem.expected());
  }
}

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
  group_table groups;
  std::vector<accumulators> all;
  value_buffer gathered_values;
  io::batch batch;
  while (from.next(batch)) {
    for (group_table::part const& part : groups.sort(batch)) {
      while (all.size() < groups.size()) all.push_back(make_accumulators(settings, from.type()));
      io::values_view const values = gathered(batch.values, part.rows, gathered_values);
      located(
          from,
          [&] {
            for (auto const& one : all[part.group]) one->reduce(values);
          },
          [&](std::size_t k) { return part.rows[k]; });
    }
    meter.update(from.so_far());
  }
  write_text(settings, report(settings, groups, all));
}

}  // namespace

void run_reduce(std::vector<std::string> const& words)
{
  command_settings const settings = parse_reduce(words);
  if (goes_along_axis(settings)) return reduce_along_axis(settings);
  if (settings.input.key) return reduce_groups(settings);
  source from(settings.input, settings.threads);
  accumulators const all = make_accumulators(settings, from.type());
  {
    progress_meter meter(!settings.output.quiet, settings.output.file == "-");
    io::batch batch;
    while (from.next(batch)) {
      located(
          from,
          [&] {
            for (auto const& one : all) one->reduce(batch.values);
          },
          [](std::size_t k) { return k; });
      meter.update(from.so_far());
    }
  }
  bool const text = settings.output.format == output_format::text || settings.output.format == output_format::json;
  if (text)
    write_text(settings, report(settings, all));
  else
    write_result(settings, from.type(), all[0]->value());
}

}  // namespace tally::cli
