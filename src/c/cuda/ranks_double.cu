#include "src/c/cuda/ranks_floats.hpp"

namespace tally::c {

void along_of_double(execution_of_rank const& on, along_on_gpus const& call, bool& has_met)
{
  along_of<double>(on, call, has_met);
}

}  // namespace tally::c
