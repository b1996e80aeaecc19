#include "src/c/ranks/run.hpp"
#include "src/c/slot.hpp"

namespace tally::c {

ranks_operation on_ranks_of_caller(operation const& found)
{
  switch (found.bytes) {
    case 8: return code_of<slot<8>, combine<8>>();
    case 16: return code_of<slot<16>, combine<16>>();
    case 64: return code_of<slot<64>, combine<64>>();
    case 256: return code_of<slot<256>, combine<256>>();
    default: return {};
  }
}

}  // namespace tally::c
