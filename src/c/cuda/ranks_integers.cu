#include <cstdint>

#include "src/c/cuda/chosen_operator.hpp"
#include "src/c/cuda/ranks.hpp"
#include "src/c/cuda/ranks_along.hpp"

namespace tally::c {

void along_of_integers(execution_of_rank const& on, along_on_gpus const& call, bool& has_met)
{
  run_along<std::uint64_t, std::uint64_t>(on, call, has_met,
                                          chosen_operator<std::uint64_t>::of(call.op, call.type.code == TALLY_INT));
}

}  // namespace tally::c
