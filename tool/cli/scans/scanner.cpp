#include "scans/scanner.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "commands/commands.hpp"
#include "groups/group_table.hpp"
#include "groups/states/column_states.hpp"
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

/// Sequences of their own for groups. The rows of a batch are sorted by groups.
///
/// An accumulator takes up to 2 KiB, and is quick with many values at once. So groups that begin with many rows in a
/// batch have one each, up to a number of them, and the others have small states.
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
      if (part.group == own_.size()) own_.push_back(make_state(settings_, type_));
      own_[part.group]->prepare(gathered(batch.values(), part.rows, values_));
    }
  }

  io::values_view scan(io::batch const& batch) override
  {
    bool first = true;
    for (group_table::part const& part : groups_.sort(batch)) {
      bool const is_long = part.rows.size() >= long_part && long_groups_ < most_long_groups;
      if (part.group == own_.size()) {  // a new one
        own_.push_back(is_long ? make_state(settings_, type_) : nullptr);
        long_groups_ += is_long;
      }
      std::size_t at = 0;
      try {
        if (own_[part.group] == nullptr && states_.scans_one_by_one()) {
          std::byte* const state = state_of(part.group);
          std::visit(
              [&](auto in) {
                for (; at < part.rows.size(); ++at, first = false)
                  put(states_.next(state, in[part.rows[at]], memory_), part.rows[at], batch.rows, first);
              },
              batch.values());
          continue;
        }
        io::values_view const values = gathered(batch.values(), part.rows, values_);
        if (own_[part.group] != nullptr)
          own_[part.group]->scan(values, settings_.kind, results_);
        else
          states_.scan(state_of(part.group), values, memory_, results_);
      } catch (value_problem const& problem) {
        throw value_problem(part.rows[at + problem.index()], problem.found(), problem.expected());
      }
      put(results_.view(), part.rows, batch.rows, first);
      first = false;
    }
    return out_.view();
  }

private:
  static constexpr std::size_t long_part = 32;
  static constexpr std::size_t most_long_groups = std::size_t{1} << 14;  // 32 MiB

  std::byte* state_of(std::uint32_t group)
  {
    constexpr std::size_t together = 1024;
    while (blocks_.size() * together <= group)
      blocks_.push_back(std::make_unique<std::byte[]>(together * states_.bytes()));  // zeros
    return blocks_[group / together].get() + group % together * states_.bytes();
  }

  /// A group's integers come as int64 or, if it needs that, int128; one group of int128 makes the whole batch int128.
  void put(io::values_view results, std::span<std::uint32_t const> rows, std::size_t size, bool first)
  {
    if (first) std::memset(out_.resize(io::type_of(results), size), 0, size * io::byte_size(io::type_of(results)));
    if (io::type_of(results) != io::type_of(out_.view())) {
      widen();
      results = converted(results, io::element_type::int128, wide_);
    }
    scatter(results, rows, out_);
  }

  /// The same for one result, of which a state gives no quantities.
  void put(result const& found, std::uint32_t row, std::size_t size, bool first)
  {
    if (double const* const real = std::get_if<double>(&found)) return put_as(*real, row, size, first);
    int128 const integer = std::get<int128>(found);
    if (integer == static_cast<std::int64_t>(integer))
      put_as(static_cast<std::int64_t>(integer), row, size, first);
    else
      put_as(integer, row, size, first);
  }

  template <class T>
  void put_as(T value, std::uint32_t row, std::size_t size, bool first)
  {
    if (first) std::memset(out_.resize<T>(size), 0, size * sizeof(T));
    if constexpr (!std::is_floating_point_v<T>) {
      if (io::type_of(out_.view()) != io::element_type_of<T>) {
        widen();
        const_cast<int128*>(std::get<std::span<int128 const>>(out_.view()).data())[row] = value;
        return;
      }
    }
    const_cast<T*>(std::get<std::span<T const>>(out_.view()).data())[row] = value;
  }

  /// Turns the results so far into int128.
  void widen()
  {
    if (io::type_of(out_.view()) == io::element_type::int128) return;
    converted(out_.view(), io::element_type::int128, wide_);
    std::swap(out_, wide_);
  }

  command_settings settings_;
  std::optional<io::element_type> type_;
  group_table groups_;
  std::vector<std::unique_ptr<accumulator>> own_;  // of groups that have one
  std::size_t long_groups_ = 0;
  column_states states_;
  state_memory memory_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;  // of states
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
