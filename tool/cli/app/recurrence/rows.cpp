#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tally/algorithms/recurrence.hpp>

#include "app/recurrence/filter.hpp"
#include "app/recurrence/settings.hpp"
#include "input/source.hpp"
#include "io/errors.hpp"
#include "io/files/output.hpp"
#include "output/report.hpp"
#include "table/table_writer.hpp"
#include "values.hpp"

namespace tally::cli {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// The rows that have a value in every column.
struct present_values {
  std::vector<std::vector<double>> columns;
  std::vector<std::uint32_t> groups;   ///< of the rows; empty without keys
  std::vector<std::string> keys;       ///< of the groups, in the order in which they appear
  std::vector<std::string> key_names;  ///< of the columns
};

/// Appends the rows of batches.
class row_reader {
public:
  explicit row_reader(present_values& to) : to_(to) {}

  void append(io::batch const& batch)
  {
    to_.columns.resize(batch.columns.size());
    bool const whole = batch.is_whole();
    if (!whole) find_present(batch);
    for (std::size_t c = 0; c < batch.columns.size(); ++c) {
      std::span<double const> const values = as_doubles(batch.columns[c].values, room_);
      std::vector<double>& all = to_.columns[c];
      if (whole) {
        all.insert(all.end(), values.begin(), values.end());
        continue;
      }
      for (std::size_t k = 0; k < values.size(); ++k)
        if (values_in_[batch.columns[c].row_of(k)] == batch.columns.size()) all.push_back(values[k]);
    }
    if (batch.groups.empty()) return;
    own_.assign(batch.group_names.size(), none);
    for (std::size_t row = 0; row < batch.rows; ++row)
      if (whole || values_in_[row] == batch.columns.size())
        to_.groups.push_back(number_of(batch.groups[row], batch.group_names));
  }

private:
  void find_present(io::batch const& batch)
  {
    values_in_.assign(batch.rows, 0);
    for (io::column const& each : batch.columns)
      for (std::size_t k = 0; k < io::size_of(each.values); ++k) ++values_in_[each.row_of(k)];
  }
  std::uint32_t number_of(std::uint32_t group, std::span<std::string_view const> names)
  {
    if (own_[group] != none) return own_[group];
    auto const [at, is_new] =
        numbers_.try_emplace(std::string(names[group]), static_cast<std::uint32_t>(to_.keys.size()));
    if (is_new) to_.keys.emplace_back(names[group]);
    return own_[group] = at->second;
  }

  present_values& to_;
  value_buffer room_;
  std::vector<std::size_t> values_in_;  // each row of the batch
  std::vector<std::uint32_t> own_;      // numbers of the groups of the batch
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// The columns as they are named: a and b, or that of a signal, and behind them that of the states before.
present_values read_rows(recurrence_settings const& settings)
{
  input_settings input = settings.input;
  if (!settings.a.empty()) input.columns = {settings.a, settings.b};
  if (!settings.initial_from.empty()) input.columns.push_back(settings.initial_from);
  input.several_columns = input.columns.size() > 1;
  source from(input, 0);
  present_values all;
  if (std::size_t const named = input.columns.size(); named > 1) {
    all.columns.resize(named);
    if (std::size_t const found = from.column_names().size(); found != named)
      throw command_line_error("--a, --b, --column and --initial-from name " + std::to_string(found) +
                               " columns; each names one");
  }
  if (!input.keys.empty()) all.key_names = from.key_names();
  row_reader reader(all);
  for (io::batch batch; from.next(batch);) reader.append(batch);
  all.columns.resize(std::max<std::size_t>(input.columns.size(), 1));
  if (input.columns.size() > 1 || !settings.coefficients.empty()) return all;
  // Pairs of numbers.
  std::vector<double> const pairs = std::move(all.columns[0]);
  if (pairs.size() % 2 != 0)
    throw io::data_error({name_of(input.files[0])}, std::to_string(pairs.size()) + " values", "pairs of a and b");
  all.columns.assign(2, std::vector<double>(pairs.size() / 2));
  for (std::size_t k = 0; k < pairs.size(); ++k) all.columns[k % 2][k / 2] = pairs[k];
  return all;
}

/// Rows of one group one behind the other, the groups in the order in which they appear.
struct grouped_rows {
  std::vector<std::size_t> offsets;
  std::vector<std::size_t> places;  ///< of the rows; empty if they are sorted already

  std::size_t groups() const { return offsets.size() - 1; }
};

grouped_rows group(present_values const& all)
{
  if (all.key_names.empty()) return {{0, all.columns[0].size()}, {}};
  grouped_rows to;
  to.offsets.assign(all.keys.size() + 1, 0);
  for (std::uint32_t const each : all.groups) ++to.offsets[each + 1];
  std::partial_sum(to.offsets.begin(), to.offsets.end(), to.offsets.begin());
  if (std::ranges::is_sorted(all.groups)) return to;
  std::vector<std::size_t> next(to.offsets.begin(), to.offsets.end() - 1);
  for (std::uint32_t const each : all.groups) to.places.push_back(next[each]++);
  return to;
}

void sort(std::vector<double>& column, std::vector<std::size_t> const& places)
{
  if (places.empty()) return;
  std::vector<double> sorted(column.size());
  for (std::size_t row = 0; row < column.size(); ++row) sorted[places[row]] = column[row];
  column = std::move(sorted);
}

/// The states of y[k] = a[k]*y[k-1] + b[k] take the place of b, the last ones that of the states before.
void recur(recurrence_settings const& settings, std::vector<double> const& a, std::vector<double>& b,
           std::vector<std::size_t> const& offsets, std::vector<double>& states)
{
  std::vector<double> const before = states;
  auto const run = [&](auto const& all_a, auto const& all_b, auto& out) {
    linear_recurrence(cpu{}, all_a, all_b, out, each(before), last_to(states));
  };
  auto const factors = segments(a, offsets);
  if (offsets.size() == 2) {  // one sequence, which all threads share
    auto const one_a = along(0, a);
    auto const one_b = along(0, b);
    if (settings.reversed) {
      auto const from_back = reversed(one_b);
      run(reversed(one_a), from_back, from_back);
    } else {
      run(one_a, one_b, one_b);
    }
  } else if (settings.reversed) {
    run(reversed(factors), b, b);
  } else {
    run(factors, b, b);
  }
}

/// The outputs of filters take the place of their signals, the last states that of the states before.
void filter(recurrence_settings const& settings, std::vector<double>& signals, std::vector<std::size_t> const& offsets,
            std::vector<double>& states)
{
  with_order(settings.order(), [&](auto order) {
    auto const feedback = array_of<order.value, double>(settings.coefficients);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      auto const state = std::span(states).subspan(s * order.value, order.value);
      std::span<double> const signal(signals.data() + offsets[s], offsets[s + 1] - offsets[s]);
      filter_line<order.value>(feedback, signal, settings.reversed, state);
    }
  });
}

void write_last_states(recurrence_settings const& settings, present_values const& all,
                       std::vector<double> const& states)
{
  std::vector<table_column> columns = key_columns(all.key_names);
  for (std::size_t k = 0; k < settings.order(); ++k) columns.push_back({"y", true});
  table_writer to(io::output::named(settings.output), make_row_format({}, std::move(columns), false));
  std::vector<cell> row;
  for (std::size_t s = 0; s < states.size() / settings.order(); ++s) {
    row.clear();
    if (!all.key_names.empty()) append_key(row, all.keys[s], all.key_names.size());
    for (std::size_t k = 0; k < settings.order(); ++k) row.emplace_back(result(states[s * settings.order() + k]));
    to.row(row);
  }
  to.finish();
}

}  // namespace

void recur_in_rows(recurrence_settings const& settings)
{
  present_values all = read_rows(settings);
  grouped_rows const by = group(all);
  for (std::vector<double>& each : all.columns) sort(each, by.places);
  std::vector<double> states;
  if (settings.initial_from.empty()) {
    std::vector<double> const before = settings.state_before();
    for (std::size_t s = 0; s < by.groups(); ++s) states.insert(states.end(), before.begin(), before.end());
  } else {
    for (std::size_t s = 0; s < by.groups(); ++s) {
      bool const empty = by.offsets[s] == by.offsets[s + 1];  // without --by and without rows
      states.push_back(empty ? 0 : all.columns.back()[settings.reversed ? by.offsets[s + 1] - 1 : by.offsets[s]]);
    }
  }
  std::vector<double>& y = all.columns[settings.coefficients.empty() ? 1 : 0];
  if (settings.coefficients.empty())
    recur(settings, all.columns[0], y, by.offsets, states);
  else
    filter(settings, y, by.offsets, states);
  if (settings.last) return write_last_states(settings, all, states);
  if (by.places.empty()) return write_text(settings.output, lines(y));
  std::vector<double> in_rows(y.size());
  for (std::size_t row = 0; row < y.size(); ++row) in_rows[row] = y[by.places[row]];
  write_text(settings.output, lines(in_rows));
}

}  // namespace tally::cli
