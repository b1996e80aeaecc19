#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backwards.hpp"
#include "commands.hpp"
#include "gpu/on_gpu.hpp"
#include "held_rows.hpp"
#include "io/output.hpp"
#include "io/writer.hpp"
#include "present_rows.hpp"
#include "progress.hpp"
#include "scan_table.hpp"
#include "scanner.hpp"
#include "source.hpp"

namespace tally::cli {

namespace {

/// Whether an operation's first result needs all values. Then the rows are held, and seen twice.
bool needs_all(command_settings const& settings)
{
  return std::ranges::any_of(settings.operations, [](operation op) { return needs_all(op); });
}

}  // namespace

void scan_all(command_settings const& settings, batches& from, std::optional<io::element_type> type, io::output to)
{
  std::unique_ptr<scanner> const scanner = make_scanner(settings, settings.operations[0], type);
  io::element_type const to_type = result_type(settings.operations[0], type);
  bool const binary = is_binary(settings.output.format);
  std::unique_ptr<io::writer> writer = make_scan_writer(settings, std::move(to), to_type);
  if (settings.reversed) writer = write_backwards(std::move(writer));
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  value_buffer room;
  io::batch batch;
  present_rows present;
  if (needs_all(settings)) {
    while (from.next(batch)) {
      if (io::batch const valued = present.of(batch); valued.rows > 0) scanner->prepare(valued);
    }
    from.rewind();
  }
  while (from.next(batch)) {
    io::batch const valued = present.of(batch);
    if (valued.rows == 0) continue;
    located(from, batch, [&] {
      io::values_view const results = scanner->scan(valued);
      writer->set_form(form_of(settings.operations[0], valued.columns[0].form));
      writer->write(binary ? converted(results, to_type, room) : results);
    });
    if (from.waiting()) writer->flush();
    meter.update(from.so_far());
  }
  writer->finish();
}

namespace {

/// `source` is where `from` has its batches from.
void scan_rows(command_settings const& settings, source const& source, batches& from)
{
  scan_table all(settings, source.head(), source.type(), io::output::named(settings.output.file));
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  if (needs_all(settings)) {
    for (io::batch batch; from.next(batch);) all.prepare(batch);
    from.rewind();
  }
  for (io::batch batch; from.next(batch); meter.update(from.so_far())) {
    all.write(batch, from, settings.reversed ? nullptr : source.head());
    if (from.waiting()) all.flush();
  }
  all.finish();
}

}  // namespace

void run_scan(std::vector<std::string> const& words)
{
  command_settings const settings = parse_scan(words);
  if (goes_along_axis(settings)) return scan_along_axis(settings);
  source from(settings.input, settings.threads);
  make_accumulators(settings, from.type());  // throws for a wrong command line before there is any output
  bool const rows = has_rows(settings, from.head());
  if (from.column_names().size() > 1 && (is_binary(settings.output.format) || settings.output.plot))
    throw command_line_error("several columns have named results: as text, a table or JSON, without --plot");
  if (rows && settings.on == processor::gpu) note("the CPU does it: a GPU scans one column by one operation");
  if (needs_all(settings)) {
    if (!rows) gpu_for(settings, from.type());  // prints that the GPU is of no use here
    std::unique_ptr<batches> backwards;
    if (settings.reversed) backwards = std::make_unique<held_backwards>(settings, from);
    held_rows all(settings, backwards ? *backwards : from);
    if (rows) return scan_rows(settings, from, all);
    return scan_all(settings, all, from.type(), io::output::named(settings.output.file));
  }
  if (rows && !settings.reversed) return scan_rows(settings, from, from);
  if (settings.reversed) {
    if (settings.on == processor::gpu && !rows)
      note("the CPU does it: --reverse is of use to a GPU along an axis, or of a single .npy file");
    held_backwards all(settings, from);
    if (rows) return scan_rows(settings, from, all);
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
