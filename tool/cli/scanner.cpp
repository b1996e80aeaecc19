#include "scanner.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "groups.hpp"
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

/// Gathers the values of each group, scans them at once, and puts the results back into their rows.
class by_groups final : public scanner {
public:
  by_groups(command_settings const& settings, operation op, std::optional<io::element_type> type)
      : settings_(only(settings, op)),
        type_(type)
  {
  }

  void prepare(io::batch const& batch) override
  {
    for (group_table::part const& part : groups_.sort(batch)) {
      make_states();
      states_[part.group]->prepare(gathered(batch.values(), part.rows, values_));
    }
  }

  io::values_view scan(io::batch const& batch) override
  {
    bool first = true;
    for (group_table::part const& part : groups_.sort(batch)) {
      make_states();
      io::values_view const values = gathered(batch.values(), part.rows, values_);
      try {
        states_[part.group]->scan(values, settings_.kind, results_);
      } catch (value_problem const& problem) {
        throw value_problem(part.rows[problem.index()], problem.found(), problem.expected());
      }
      put(results_.view(), part.rows, batch.rows, first);
      first = false;
    }
    return out_.view();
  }

private:
  void make_states()
  {
    while (states_.size() < groups_.size()) states_.push_back(make_state(settings_, type_));
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
  std::vector<std::unique_ptr<accumulator>> states_;
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
