#include <cstdint>

#include "src/c/cuda/ranks_calls.hpp"

namespace tally::c {

void along_of_integers(execution_of_rank const& on, along_on_gpus const& call, bool& has_met)
{
  along_of<std::uint64_t>(on, call, has_met);
}
void segments_of_integers(execution_of_rank const& on, segments_on_gpus const& call)
{
  segments_of<std::uint64_t>(on, call);
}
std::size_t runs_of_integers(execution_of_rank const& on, runs_on_gpus const& call)
{
  return runs_of<std::uint64_t>(on, call);
}

}  // namespace tally::c
