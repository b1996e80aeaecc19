#include "src/c/histograms.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/c/arguments.hpp"
#include "src/c/ranks/arguments.hpp"
#include "src/c/ranks/calls.hpp"

namespace tally::c {

void histogram_on_ranks(char const* function, ranks const& on, tally_array const* values, double lower, double upper,
                        tally_array const* edges, tally_array const* counts, tally_options const* options)
{
  ranks_backend::call_name name(function);
  session by(on.ranks(), name);
  array result, sums;
  by.attempt([&] {
    result = checked(counts, "counts");
    check_one_axis(result, "counts");
    check_type(result, TALLY_INT64, "counts");
    sums = uninitialized(result.shape, result.type, result.bytes);
    tally_array const own{sums.data, {TALLY_CPU, 0}, 1, TALLY_INT64, counts->shape, nullptr, 0};
    if (edges != nullptr)
      histogram_of_edges(values, nullptr, edges, &own, options);
    else
      histogram(values, nullptr, lower, upper, &own, options);
    name = ranks_backend::call_name(function, " of ", static_cast<std::uint64_t>(result.shape[0]), " bins from ",
                                    std::bit_cast<std::uint64_t>(lower), " to ", std::bit_cast<std::uint64_t>(upper));
  });
  by.meet({});
  by.by().add_up(reinterpret_cast<std::uint64_t*>(sums.data), static_cast<std::size_t>(result.shape[0]));
  copy_bytes(sums, result);
}

}  // namespace tally::c
