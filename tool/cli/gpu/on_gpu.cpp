#include "gpu/on_gpu.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "gpu/eligible.hpp"
#include "gpu/gathered_values.hpp"
#include "input/progress.hpp"
#include "io/errors.hpp"

namespace tally::cli {

namespace {

constexpr char wide_values[] = "the CPU does it all: an integer has more than 64 bits";

bool is_for_gpu(command_settings const& settings, operation op, std::optional<io::element_type> type)
{
  return !gpu_refuses(op, type, settings.init);
}

/// An empty sequence, with memory for as many values as are known to come.
gathered_values nothing_yet(command_settings const& settings, std::optional<io::element_type> type, gpu& device)
{
  std::vector<operation> operations;
  for (operation const op : settings.operations)
    if (is_for_gpu(settings, op, type)) operations.push_back(op);
  gathered_values values(device, operations, type, settings.init);
  if (std::optional<std::uint64_t> const total = total_values(settings.input))
    values.reserve(static_cast<std::size_t>(*total));
  return values;
}

/// Whether the CPU's accumulator must take the values because it has the message for a value that is wrong.
bool is_wrong(operation op, std::optional<io::element_type> type, io::values_view const& values)
{
  return !type && kind_of(op) == operation_kind::bitwise && !io::is_integer(io::type_of(values));
}

/// Gathers the input, and gives it to the accumulators of the operations that the CPU does. Stops at the end, or at a
/// batch that the GPU cannot take and returns that batch, valid until the source gives the next.
std::optional<io::batch> gather(command_settings const& settings, source& from, gathered_values& values,
                                accumulators const& all)
{
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  io::batch batch;
  while (from.next(batch)) {
    if (io::size_of(batch.values()) == 0) continue;
    bool taken = false;
    located(from, batch, [&] {
      for (std::size_t k = 0; k < all.size(); ++k) {
        operation const op = settings.operations[k];
        if (!is_for_gpu(settings, op, from.type()) || is_wrong(op, from.type(), batch.values()))
          all[k]->reduce(batch.values());
      }
      taken = values.take(batch.values());
    });
    if (!taken) return batch;
    meter.update(from.so_far());
  }
  return std::nullopt;
}

/// Calls use(piece) with the gathered values; a value that it cannot take becomes an error with its place.
template <class Use>
void for_pieces(command_settings const& settings, gathered_values& values, Use use)
{
  for (std::size_t first = 0; first < values.size();) {
    io::values_view const piece = values.piece(first);
    try {
      use(piece);
    } catch (value_problem const& problem) {
      throw io::data_error(location_in(settings.input, settings.threads, first + problem.index()), problem.found(),
                           problem.expected());
    }
    first += io::size_of(piece);
  }
}

/// The batches of a source from the beginning, after some were gathered: those, the one that was not taken, and the
/// rest.
class batches_again final : public batches {
public:
  batches_again(command_settings const& settings, gathered_values& values, std::optional<io::batch> refused,
                source& rest)
      : settings_(settings),
        rest_(rest),
        values_(values),
        refused_(refused)
  {
  }

  bool next(io::batch& into) override
  {
    first_ = next_;
    if (next_ < values_.size()) {
      column_ = {values_.piece(next_), {}};
      into = io::batch_of(column_);
      next_ += into.rows;
      return true;
    }
    from_rest_ = true;
    if (!refused_) return rest_.next(into);
    into = *refused_;
    refused_.reset();
    return true;
  }

  bool waiting() const override { return next_ == values_.size() && !refused_ && rest_.waiting(); }
  io::progress so_far() const override { return rest_.so_far(); }
  io::location locate(std::size_t row, std::size_t column) const override
  {
    return from_rest_ ? rest_.locate(row, column) : location_in(settings_.input, settings_.threads, first_ + row);
  }

private:
  command_settings const& settings_;
  source& rest_;
  gathered_values& values_;
  std::optional<io::batch> refused_;
  io::column column_;  // of the last batch
  std::size_t first_ = 0;
  std::size_t next_ = 0;
  bool from_rest_ = false;
};

}  // namespace

void note(std::string const& text)
{
  std::fputs(("tally: " + text + '\n').c_str(), stderr);
}

void note_that_sums_may_be_wide(operation op)
{
  note("the CPU does " + name_of(op) + ": sums of these integers may need more than 64 bits");
}

std::unique_ptr<gpu> gpu_for(command_settings const& settings, std::optional<io::element_type> type)
{
  if (settings.on == processor::cpu) return nullptr;
  if (!settings.input.keys.empty()) {
    note("the CPU does it: a GPU is of no use to --by");
    return nullptr;
  }
  if (settings.window > 0) {
    note("the CPU does it: a GPU is of no use to --window");
    return nullptr;
  }
  bool const some = std::any_of(settings.operations.begin(), settings.operations.end(),
                                [&](operation op) { return is_for_gpu(settings, op, type); });
  gpu_search search;
  if (some) search = find_gpu();
  if (some && !search.found) {
    note("the CPU does it: no GPU answers (" + search.why_not + ')');
    return nullptr;
  }
  for (std::string const& each : refusals(settings.operations, type, settings.init)) note(each);
  return std::move(search.found);
}

std::vector<result> reduce_on_gpu(command_settings const& settings, source& from, accumulators const& all, gpu& device)
{
  gathered_values values = nothing_yet(settings, from.type(), device);
  std::optional<io::batch> const refused = gather(settings, from, values, all);
  auto const hand_over = [&](accumulator& to) {
    for_pieces(settings, values, [&](io::values_view const& piece) { to.reduce(piece); });
  };
  if (refused) {
    note(wide_values);
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!is_for_gpu(settings, settings.operations[k], from.type())) continue;
      hand_over(*all[k]);
      located(from, *refused, [&] { all[k]->reduce(refused->values()); });
    }
    reduce_all(settings, from, {&all, 1});
    return results_of(all);
  }
  std::vector<result> results;
  for (std::size_t k = 0; k < all.size(); ++k) {
    operation const op = settings.operations[k];
    std::optional<result> found;
    if (is_for_gpu(settings, op, from.type()) && values.size() > 0) {
      found = values.reduce(op);
      if (!found) {
        note_that_sums_may_be_wide(op);
        hand_over(*all[k]);
      }
    }
    results.push_back(found ? *found : all[k]->value());
  }
  return results;
}

void scan_on_gpu(command_settings const& settings, source& from, gpu& device, io::output to)
{
  operation const op = settings.operations[0];
  gathered_values values = nothing_yet(settings, from.type(), device);
  std::optional<io::batch> const refused = gather(settings, from, values, make_accumulators(settings, from.type()));
  bool const scanned = !refused && values.size() > 0 && values.scan(op, settings.kind);
  if (!scanned) {
    if (refused)
      note(wide_values);
    else if (values.size() > 0)
      note_that_sums_may_be_wide(op);
    batches_again again(settings, values, refused, from);
    return scan_all(settings, again, from.type(), std::move(to));
  }
  io::element_type const type = result_type(op, from.type());
  bool const binary = is_binary(settings.output.format);
  auto const writer = make_scan_writer(settings, std::move(to), type);
  value_buffer room;
  for_pieces(settings, values,
             [&](io::values_view const& results) { writer->write(binary ? converted(results, type, room) : results); });
  writer->finish();
}

}  // namespace tally::cli
