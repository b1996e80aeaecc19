#include "src/c/cuda/ranks_floats.hpp"

namespace tally::c {

void along_of_float(execution_of_rank const& on, along_on_gpus const& call, bool& has_met)
{
  along_of<float>(on, call, has_met);
}

}  // namespace tally::c
