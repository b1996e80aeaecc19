#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "gpu/on_gpu.hpp"
#include "input/backwards.hpp"
#include "input/held_rows.hpp"
#include "input/pairs.hpp"
#include "input/present_rows.hpp"
#include "input/progress.hpp"
#include "input/source.hpp"
#include "io/files/output.hpp"
#include "io/writer.hpp"
#include "scans/scanner.hpp"
#include "scans/table.hpp"

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
  bool const of_pairs = takes_pairs(settings);
  value_buffer room, once;
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
      io::values_view results = scanner->scan(valued);
      writer->set_form(form_of(settings.operations[0], valued.columns[0].form));
      if (of_pairs) results = one_of_each(results, once);
      writer->write(binary ? converted(results, to_type, room) : results);
    });
    if (from.waiting()) writer->flush();
    meter.update(from.so_far());
  }
  writer->finish();
}

namespace {

/// `source` is where `from` has its batches from, and `head` names their columns.
void scan_rows(command_settings const& settings, source const& source, io::table_head const* head, batches& from)
{
  scan_table all(settings, head, source.type(), io::output::named(settings.output.file));
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
  bool const of_pairs = takes_pairs(settings);
  std::optional<io::table_head> named;  // the source's own goes with the file
  if (of_pairs)
    named = head_of_pairs(settings, from.head());
  else if (from.head() != nullptr)
    named = *from.head();
  io::table_head const* const head = named ? &*named : nullptr;
  bool const rows = has_rows(settings, head);
  if (head != nullptr && head->columns.size() > 1 && (is_binary(settings.output.format) || settings.output.plot))
    throw command_line_error("several columns have named results: as text, a table or JSON, without --plot");
  if ((rows || of_pairs) && settings.on == processor::gpu)
    note("the CPU does it: a GPU scans one column by one operation");
  auto const scan = [&](batches& all) {
    if (rows) return scan_rows(settings, from, head, all);
    scan_all(settings, all, from.type(), io::output::named(settings.output.file));
  };
  if (needs_all(settings)) {
    if (!rows) gpu_for(settings, from.type());  // prints that the GPU is of no use here
    std::unique_ptr<batches> backwards;
    if (settings.reversed) backwards = std::make_unique<held_backwards>(settings, from);
    held_rows all(settings, backwards ? *backwards : from);
    return scan(all);
  }
  if (settings.reversed) {
    if (settings.on == processor::gpu && !rows && !of_pairs)
      note("the CPU does it: --reverse is of use to a GPU along an axis, or of a single .npy file");
    held_backwards all(settings, from);
    if (!of_pairs) return scan(all);
    pairs both(all);
    return scan(both);
  }
  if (of_pairs) {
    pairs both(from);
    return scan(both);
  }
  if (rows) return scan(from);
  std::unique_ptr<gpu> const device = gpu_for(settings, from.type());
  io::output to = io::output::named(settings.output.file);
  if (device)
    scan_on_gpu(settings, from, *device, std::move(to));
  else
    scan_all(settings, from, from.type(), std::move(to));
}

}  // namespace tally::cli
