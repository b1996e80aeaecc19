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
  group_table groups;
  group_results all(settings, from.type());
  value_buffer gathered_values;
  io::batch batch;
  while (from.next(batch)) {
    for (group_table::part const& part : groups.sort(batch)) {
      io::values_view const values = gathered(batch.values(), part.rows, gathered_values);
      located(from, 0, [&] { all.reduce(part.group, values); }, [&](std::size_t k) { return part.rows[k]; });
    }
    meter.update(from.so_far());
  }
  std::vector<result> const results = all.take();
  std::size_t const each = settings.operations.size();
  group_report to(settings);
  for (std::size_t g = 0; g < groups.size(); ++g) to.group(groups.key(g), std::span(results).subspan(g * each, each));
  to.finish();
}

}  // namespace

void reduce_all(command_settings const& settings, source& from, accumulators const& all)
{
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  io::batch batch;
  while (from.next(batch)) {
    located(from, batch, [&] {
      for (auto const& one : all) one->reduce(batch.values());
    });
    meter.update(from.so_far());
  }
}

void run_reduce(std::vector<std::string> const& words)
{
  command_settings const settings = parse_reduce(words);
  if (goes_along_axis(settings)) return reduce_along_axis(settings);
  if (settings.input.key) {
    gpu_for(settings, {});  // prints that the GPU is of no use here
    return reduce_groups(settings);
  }
  source from(settings.input, settings.threads);
  accumulators const all = make_accumulators(settings, from.type());
  std::vector<result> results;
  if (std::unique_ptr<gpu> const device = gpu_for(settings, from.type())) {
    results = reduce_on_gpu(settings, from, all, *device);
  } else {
    reduce_all(settings, from, all);
    results = results_of(all);
  }
  if (is_binary(settings.output.format))
    write_result(settings, from.type(), results[0]);
  else
    write_text(settings, report(settings, results));
}

}  // namespace tally::cli
