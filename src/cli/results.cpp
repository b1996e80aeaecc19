#include <string>

#include "commands.hpp"

namespace tally::cli {

std::vector<std::unique_ptr<accumulator>> make_accumulators(command_settings const& settings,
                                                            std::optional<io::element_type> type)
{
  std::vector<std::unique_ptr<accumulator>> all;
  for (operation const op : settings.operations)
    all.push_back(make_accumulator({.op = op, .type = type, .init = settings.init, .threads = settings.threads}));
  return all;
}

io::values_view as_type(result const& value, io::element_type type, operation op, value_buffer& room)
{
  try {
    return std::visit(
        [&]<class T>(T const& x) {
          // The conversion is a view of x itself where the types agree: always copy it to the room.
          value_buffer one;
          *one.resize<T>(1) = x;
          io::values_view const made = converted(one.view(), type, room);
          if (io::type_of(one.view()) == type) *room.resize<T>(1) = x;
          return io::type_of(one.view()) == type ? room.view() : made;
        },
        value);
  } catch (value_problem const& problem) {
    throw error("the " + std::string(name_of(op)) + " is " + problem.found() + ", expected " + problem.expected());
  }
}

}  // namespace tally::cli
