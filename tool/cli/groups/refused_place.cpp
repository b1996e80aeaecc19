#include "groups/refused_place.hpp"

#include <optional>

#include "input/pairs.hpp"
#include "input/source.hpp"

namespace tally::cli {

io::location place_of(command_settings const& settings, refused_value const& refused)
{
  return found_again(settings.input, settings.threads, [&](source& again) -> std::optional<io::location> {
    std::optional<pairs> both;
    if (takes_pairs(settings)) both.emplace(again);
    batches& rows = both ? static_cast<batches&>(*both) : again;
    std::uint64_t before = 0;
    std::size_t index = refused.problem.index();
    for (io::batch batch; rows.next(batch); before += batch.rows) {
      io::column const& column = batch.columns[refused.column];
      for (std::size_t k = 0; k < io::size_of(column.values); ++k) {
        std::size_t const row = column.row_of(k);
        if (before + row < refused.first_row || batch.group_names[batch.groups[row]] != refused.key) continue;
        if (index-- == 0) return rows.locate(row, refused.column);
      }
    }
    return std::nullopt;
  });
}

}  // namespace tally::cli
