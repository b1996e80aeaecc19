#include "axis/along_axes.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "accumulators/exact.hpp"
#include "commands/commands.hpp"
#include "gpu/on_gpu.hpp"
#include "input/progress.hpp"
#include "input/source.hpp"
#include "io/errors.hpp"
#include "io/files/input.hpp"
#include "io/threads/ordered_tasks.hpp"

namespace tally::cli {

namespace {

constexpr std::size_t on_their_way = std::size_t{160} << 20;  // bytes of blocks at most

void const* data_of(io::values_view const& values)
{
  return std::visit([](auto in) { return static_cast<void const*>(in.data()); }, values);
}

}  // namespace

along_axes::along_axes(command_settings const& settings, bool scans, io::axis_limits limits)
    : settings_(settings),
      scans_(scans),
      op_(settings.operations[0]),
      reader_(settings.input.opening.open(settings.input.files[0]), settings.input.axes),
      type_(settings.input.type.value_or(layout().header.type)),
      result_type_(result_type(op_, type_)),
      calls_(settings.window > 0
                 ? std::nullopt
                 : call_operation::find(op_, type_, settings.init, scans ? settings.kind : scan_kind::inclusive)),
      one_thread_(make_cpu_processor(1)),
      all_threads_(make_cpu_processor(settings.threads))
{
  make_accumulators(settings, type_);  // throws for a wrong command line before there is any output
  if (calls_) carries_ = make_line_carries(*calls_);
  io::element_type const computed = calls_ ? calls_->type() : result_type_;
  limits.element = std::max({io::byte_size(layout().header.type), io::byte_size(type_), io::byte_size(computed)});
  if (calls_) limits.stretch = line_carries::stretch(computed);
  limits.reversed = scans && settings.reversed;
  plan_ = &reader_.plan(limits);
  block_bytes_ = static_cast<std::size_t>(plan_->largest()) * limits.element;
  if (block_bytes_ > limits.held)
    throw io::data_error({settings.input.files[0]},
                         "axes that do not lie as one, with " + std::to_string(layout().length()) + " values together",
                         "at most " + std::to_string(limits.held) + " bytes of them, which are held in memory");
}

result along_axes::of_nothing() const
{
  return make_accumulators(settings_, type_)[0]->value();
}

void along_axes::run(std::function<void(task const&)> const& write)
{
  progress_meter meter(!settings_.output.quiet, settings_.output.file == "-");
  io::ordered_tasks<task> tasks(settings_.threads,
                                {[this](task& into) { return reader_.next(into.block); },
                                 [this](task& into) { work(into); }, [this] { return reader_.ready(); }},
                                std::max<std::size_t>(2, on_their_way / (3 * std::max<std::size_t>(block_bytes_, 1))));
  while (task* const next = tasks.next()) {
    finish(*next);
    if (scans_ || next->lines.ends()) {
      try {
        write(*next);
      } catch (value_problem const& problem) {
        if (!scans_) wrong_value(problem, next->lines.first() + problem.index(), std::nullopt);
        auto const [line, position] = next->lines.at(problem.index());
        wrong_value(problem, line, position);
      }
    }
    meter.update(reader_.so_far(next->block));
  }
}

void along_axes::wrong_value(value_problem const& problem, std::uint64_t line,
                             std::optional<std::uint64_t> position) const
{
  std::string where;
  if (position) where = " at position " + std::to_string(*position);
  if (!settings_.input.axes.empty()) where += " in line " + std::to_string(line) + " of the axis";
  throw io::data_error({settings_.input.files[0]}, problem.found() + where, problem.expected());
}

/// On any thread.
void along_axes::work(task& one) const
{
  reader_.load(one.block);
  one.lines = block_lines(layout(), one.block.place, scans_ && settings_.reversed);
  one.operands = {};
  one.results = {};
  try {
    one.values = read_as(one.block.values, type_, one.typed);
  } catch (value_problem const& problem) {
    auto const [line, position] = one.lines.at(problem.index());
    wrong_value(problem, line, position);
  }
  bool by_calls = calls_.has_value();
  if (by_calls && calls_->sums_integers()) {
    one.magnitude = largest_magnitude(one.values);
    by_calls = !plan_->whole() || calls_->fits(one.lines.length(), one.magnitude);
  }
  if (by_calls) one.operands = calls_->operands(one.values, one.prepared);
  if (!plan_->whole()) {
    if (by_calls && !on_device_) total(one, *one_thread_);
  } else if (!by_calls) {
    by_accumulators(one);
  } else if (!on_device_) {
    compute(one, *one_thread_);
  }
}

/// In order.
void along_axes::finish(task& one)
{
  bool const by_calls = io::size_of(one.operands) > 0;
  if (plan_->whole()) {
    if (by_calls && on_device_) compute(one, *on_device_);
    if (!by_calls && calls_) note_wide_sums();
    return;
  }
  if (one.lines.begins() && calls_) carries_->restart(one.lines.count());
  if (one.lines.begins() && !calls_) {
    accumulators_.clear();
    while (accumulators_.size() < one.lines.count())
      accumulators_.push_back(std::move(make_accumulators(settings_, type_)[0]));
  }
  if (!calls_) {
    if (scans_) one.made.resize(result_type_, io::size_of(one.values));
    for (std::size_t k = 0; k < one.lines.count(); ++k) advance(one, k, *accumulators_[k]);
    if (scans_) one.results = one.made.view();
    std::vector<result> results;
    if (!scans_ && one.lines.ends())
      for (auto const& each : accumulators_) results.push_back(each->value());
    return collect(one, results);
  }
  bool fits = true;
  if (calls_->sums_integers()) {
    std::visit(
        [&](auto sums) {
          for (auto const sum : sums)
            fits = fits && calls_->fits(static_cast<int128>(sum), one.lines.length(), one.magnitude);
        },
        carries_->last());
  }
  if (!fits) {
    note_wide_sums();
    go_on_exactly(one);
  } else {
    if (on_device_) total(one, *on_device_);
    if (scans_)
      scan_stretches(one);
    else
      carries_->push(data_of(one.totals.view()), io::size_of(one.totals.view()) / one.lines.count(), nullptr, nullptr);
  }
  if (!scans_ && one.lines.ends()) take_results(one, carries_->last());
}

/// Whole lines by calls. Operands lie in a buffer of the task, where results take their place.
void along_axes::compute(task& one, sequence_processor& on) const
{
  sequences const of = one.lines.whole();
  initial_values const init = {calls_->start(), false};
  void* const memory = const_cast<void*>(data_of(one.operands));
  if (scans_) {
    on.scan(calls_->by(), calls_->type(), settings_.kind, of, memory, init, memory);
    return take_results(one, one.operands);
  }
  on.reduce(calls_->by(), calls_->type(), of, memory, init, one.totals.resize(calls_->type(), one.lines.count()));
  take_results(one, one.totals.view());
}

/// The totals of the stretches of lines.
void along_axes::total(task& one, sequence_processor& on) const
{
  std::size_t const element = io::byte_size(calls_->type());
  auto const all = one.lines.stretches_of(line_carries::stretch(calls_->type()));
  std::size_t n = 0;
  for (stretches const& each : all) n += each.of.count();
  auto* to = static_cast<std::byte*>(one.totals.resize(calls_->type(), n));
  auto const* from = static_cast<std::byte const*>(data_of(one.operands));
  for (stretches const& each : all) {
    on.reduce(calls_->by(), calls_->type(), each.of, from + each.begin * element, {calls_->neutral(), false}, to);
    to += each.of.count() * element;
  }
}

void along_axes::scan_stretches(task& one)
{
  std::size_t const element = io::byte_size(calls_->type());
  std::size_t const n = io::size_of(one.totals.view());
  auto* starts = static_cast<std::byte*>(starts_.resize(calls_->type(), n));
  auto* before = static_cast<std::byte*>(before_.resize(calls_->type(), n));
  carries_->push(data_of(one.totals.view()), n / one.lines.count(), starts, before);
  auto* const memory = static_cast<std::byte*>(const_cast<void*>(data_of(one.operands)));
  sequence_processor& on = on_device_ ? *on_device_ : *all_threads_;
  for (stretches const& each : one.lines.stretches_of(line_carries::stretch(calls_->type()))) {
    std::byte* const at = memory + each.begin * element;
    on.scan(calls_->by(), calls_->type(), settings_.kind, each.of, at, {starts, true}, at);
    starts += each.of.count() * element;
    for (std::size_t s = 0; s < each.of.count(); ++s, before += element) {
      // The first result of a stretch is the last one before it, not its carry.
      if (settings_.kind == scan_kind::exclusive)
        std::memcpy(at + each.place_of(s) * static_cast<std::ptrdiff_t>(element), before, element);
    }
  }
  take_results(one, one.operands);
}

/// Results of calls as results of the operation.
void along_axes::take_results(task& one, io::values_view const& results) const
{
  one.results = results;
  if (!calls_->averages()) return;
  std::span<double const> const sums = as_doubles(results, scratch());
  double* const to = one.made.resize<double>(sums.size());
  auto const length = static_cast<double>(layout().length());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    double values = length;
    if (scans_) {
      std::uint64_t const position = one.lines.at(k).second;
      values = settings_.reversed ? length - static_cast<double>(position) : static_cast<double>(position + 1);
    }
    to[k] = sums[k] / values;
  }
  one.results = one.made.view();
}

/// Whole lines, one after the other.
void along_axes::by_accumulators(task& one) const
{
  std::unique_ptr<accumulator> const state =
      make_accumulator({.op = op_, .type = type_, .init = settings_.init, .threads = 1, .window = settings_.window});
  if (scans_) one.made.resize(result_type_, io::size_of(one.values));
  std::vector<result> results;
  for (std::size_t k = 0; k < one.lines.count(); ++k) {
    if (k > 0) state->restart();
    advance(one, k, *state);
    if (!scans_) results.push_back(state->value());
  }
  if (scans_) one.results = one.made.view();
  collect(one, results);
}

/// Stretches of sums of integers of which 64 bits might not hold all.
void along_axes::go_on_exactly(task& one)
{
  if (scans_) one.made.resize(calls_->averages() ? io::element_type::int64 : result_type_, io::size_of(one.values));
  std::vector<int128> sums;
  std::visit([&](auto all) { sums.assign(all.begin(), all.end()); }, carries_->last());
  for (std::size_t k = 0; k < one.lines.count(); ++k) {
    exact_accumulator<plus> state(sums[k]);
    advance(one, k, state);
    carries_->set_last(k, std::get<int128>(state.value()));
  }
  if (scans_) take_results(one, one.made.view());
}

/// Line k of a block, in pieces that stay in cache.
void along_axes::advance(task& one, std::size_t k, accumulator& state) const
{
  thread_local value_buffer piece, out, wide;
  std::size_t const length = one.lines.length();
  for (std::size_t first = 0; first < length; first += source::slice) {
    io::values_view const values =
        one.lines.gathered(one.values, k, first, std::min(source::slice, length - first), piece);
    try {
      if (!scans_) {
        state.reduce(values);
        continue;
      }
      state.scan(values, settings_.kind, out);
      one.lines.scatter(converted(out.view(), io::type_of(one.made.view()), wide), k, first, one.made);
    } catch (value_problem const& problem) {
      wrong_value(problem, one.lines.first() + k, one.lines.position(first + problem.index()));
    }
  }
}

/// Results of lines by accumulators, which are of one kind, or integers and doubles.
void along_axes::collect(task& one, std::vector<result> const& results) const
{
  if (results.empty()) return;
  bool const one_kind = std::ranges::all_of(results, [&](auto const& x) { return x.index() == results[0].index(); });
  std::visit(
      [&]<class T>(T) {
        if constexpr (!std::is_same_v<T, io::quantity>) {  // elements of arrays have no unit
          T* const to = one.totals.resize<T>(results.size());
          for (std::size_t k = 0; k < results.size(); ++k)
            to[k] = one_kind ? std::get<T>(results[k])
                             : static_cast<T>(std::visit([](auto x) { return static_cast<double>(x); }, results[k]));
        }
      },
      one_kind ? results[0] : result(0.0));
  one.results = one.totals.view();
}

void along_axes::note_wide_sums()
{
  if (on_device_ && !std::exchange(noted_, true)) note_that_sums_may_be_wide(op_);
}

}  // namespace tally::cli
