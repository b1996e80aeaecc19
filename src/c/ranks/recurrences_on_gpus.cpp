#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/c/failure.hpp"
#include "src/c/ranks/arguments.hpp"
#include "src/c/ranks/gpu_call.hpp"
#include "src/c/ranks/on_gpus.hpp"
#include "src/c/recurrence.hpp"
#include "tally/detail/ranks/batches.hpp"

namespace tally::c {

void run_recurrence_on_gpus(char const* function, tally_ranks& all, tally_array const* a, tally_array const* b,
                            std::int32_t axis, tally_array const* out, tally_options const* options)
{
  ranks_backend::call_name name(function);
  session by(all.all.ranks(), name);
  recurrence_arguments arguments;
  recurrences_on_gpus given;
  attempt(by, [&] {
    arguments = checked_recurrence(a, b, axis, out, options);
    check_gpu(all, arguments.b, "b");
    if ((arguments.options.flags & TALLY_REVERSE) != 0)
      throw not_supported("TALLY_REVERSE on ranks: it needs ranks in the other order, each with its part turned round");
    given.type = arguments.type;
    given.sequences = 1;
    for (std::size_t d = 0; d < arguments.across.size(); ++d)
      given.sequences *= static_cast<std::size_t>(arguments.across[d]);
    coefficients const c = in_type_of_states(arguments);
    given.call = {
        ranks_backend::numbered_layout(function, c.along(arguments.axis), arguments.across, c.across(arguments.axis)),
        c.a.data,
        c.b.data,
        c.out.data,
        c.before.data,
        c.before_for_each,
        c.last.data,
        false,
        arguments.gpu};
    name = ranks_backend::call_name(function, " on GPUs of ", given.sequences, " sequences of ",
                                    std::string_view(shown(arguments.type)));
  });
  if (given.sequences == 0) {
    by.meet({});
    return;
  }
  given.name = name.text();
  run(by, [&](outcome_on_gpus& outcome) { return functions_of_ranks().recur(*all.gpu, given, outcome); });
}

}  // namespace tally::c
