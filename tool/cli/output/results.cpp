#include <memory>
#include <span>
#include <string>

#include "commands/commands.hpp"
#include "sorting/value_store.hpp"

namespace tally::cli {

accumulators make_accumulators(command_settings const& settings, std::optional<io::element_type> type)
{
  accumulators all;
  all.reserve(settings.operations.size());
  std::shared_ptr<sorted_values> in_order;  // one for all operations
  for (operation const op : settings.operations) {
    if ((needs_order(op) || needs_all(op)) && !in_order && settings.store)
      in_order = std::make_shared<sorted_values>(settings.store);
    all.push_back(make_accumulator({.op = op,
                                    .type = type,
                                    .init = settings.init,
                                    .threads = settings.threads,
                                    .window = settings.window,
                                    .weighted = !settings.input.weights.empty(),
                                    .in_order = in_order,
                                    .unit = unit_of(settings.input.numbers.rule)}));
  }
  return all;
}

result in_form(result const& value, operation op, io::number_form form)
{
  io::number_form const of_result = form_of(op, form);
  if (of_result.unit == io::number_unit::one) return value;
  int128 const* const units = std::get_if<int128>(&value);  // else there are no values
  return units ? result_of(*units, of_result) : value;
}

std::vector<result> results_of(accumulators const& all)
{
  std::vector<result> results;
  results.reserve(all.size());
  for (auto const& one : all) results.push_back(one->value());
  return results;
}

io::values_view as_type(result const& value, io::element_type type, operation op, value_buffer& room)
{
  try {
    return std::visit(
        [&]<class T>(T const& x) -> io::values_view {
          if constexpr (std::is_same_v<T, io::quantity>)
            throw error("the " + name_of(op) + " has a unit, which arrays do not have");
          else
            return converted(std::span<T const>(&x, 1), type, room);
        },
        value);
  } catch (value_problem const& problem) {
    throw error("the " + name_of(op) + " is " + problem.found() + ", expected " + problem.expected());
  }
}

}  // namespace tally::cli
