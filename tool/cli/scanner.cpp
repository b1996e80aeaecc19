#include "scanner.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "commands.hpp"
#include "groups.hpp"
#include "groups/column_states.hpp"
#include "values.hpp"

namespace tally::cli {

namespace {

/// The settings of a scan by `op` alone.
command_settings only(command_settings const& settings, operation op)
{
  command_settings one = settings;
  one.operations = {op};
  return one;
}

std::unique_ptr<accumulator> make_state(command_settings const& settings, std::optional<io::element_type> type)
{
  return std::move(make_accumulators(settings, type)[0]);
}

class one_sequence final : public scanner {
public:
  one_sequence(command_settings const& settings, operation op, std::optional<io::element_type> type)
      : kind_(settings.kind),
        state_(make_state(only(settings, op), type))
  {
  }

  void prepare(io::batch const& batch) override { state_->prepare(batch.values()); }

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

/// Sequences of their own for groups. Where a state takes one value after the other the rows go in their order; else the
/// values of each group are gathered, scanned at once, and the results put back into their rows.
class by_groups final : public scanner {
public:
  by_groups(command_settings const& settings, operation op, std::optional<io::element_type> type)
      : settings_(only(settings, op)),
        type_(type),
        states_(settings_, type)
  {
  }

  void prepare(io::batch const& batch) override
  {
    for (group_table::part const& part : groups_.sort(batch)) {
      while (prepared_.size() < groups_.size()) prepared_.push_back(make_state(settings_, type_));
      prepared_[part.group]->prepare(gathered(batch.values(), part.rows, values_));
    }
  }

  io::values_view scan(io::batch const& batch) override
  {
    if (states_.scans_one_by_one() && batch.rows > 0)
      return std::visit([&](auto in) { return scan_rows(in, groups_.number(batch)); }, batch.values());
    bool first = true;
    for (group_table::part const& part : groups_.sort(batch)) {
      io::values_view const values = gathered(batch.values(), part.rows, values_);
      try {
        if (needs_all(settings_.operations[0]))
          prepared_[part.group]->scan(values, settings_.kind, results_);
        else
          states_.scan(state_of(part.group), values, memory_, results_);
      } catch (value_problem const& problem) {
        throw value_problem(part.rows[problem.index()], problem.found(), problem.expected());
      }
      put(results_.view(), part.rows, batch.rows, first);
      first = false;
    }
    return out_.view();
  }

private:
  std::byte* state_of(std::uint32_t group)
  {
    constexpr std::size_t together = 1024;
    while (blocks_.size() * together <= group)
      blocks_.push_back(std::make_unique<std::byte[]>(together * states_.bytes()));  // zeros
    return blocks_[group / together].get() + group % together * states_.bytes();
  }

  template <class T>
  io::values_view scan_rows(std::span<T const> in, std::span<std::uint32_t const> groups)
  {
    std::size_t row = 0;
    auto const next = [&] { return states_.next(state_of(groups[row]), in[row], memory_); };
    try {
      result const first = next();
      return std::visit(
          [&]<class R>(R const& found) -> io::values_view {
            R* const to = out_.resize<R>(in.size());
            to[0] = found;
            for (row = 1; row < in.size(); ++row) to[row] = std::get<R>(next());
            if constexpr (std::is_same_v<R, int128>) return narrowed({to, in.size()}, wide_);
            return out_.view();
          },
          first);
    } catch (value_problem const& problem) {
      throw value_problem(row, problem.found(), problem.expected());
    }
  }

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

  command_settings settings_;
  std::optional<io::element_type> type_;
  group_table groups_;
  column_states states_;
  state_memory memory_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;     // of states
  std::vector<std::unique_ptr<accumulator>> prepared_;  // of groups, for an operation that needs all values
  value_buffer values_;
  value_buffer results_;
  value_buffer out_;
  value_buffer wide_;
};

}  // namespace

std::unique_ptr<scanner> make_scanner(command_settings const& settings, operation op,
                                      std::optional<io::element_type> type)
{
  if (!settings.input.keys.empty()) return std::make_unique<by_groups>(settings, op, type);
  return std::make_unique<one_sequence>(settings, op, type);
}

}  // namespace tally::cli
