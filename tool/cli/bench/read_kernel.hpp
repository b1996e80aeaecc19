#pragma once

#include <cstddef>

struct CUstream_st;

namespace tally::timing {

/// Reads `bytes` bytes of a GPU's memory, a multiple of 16, with `blocks` blocks: the limit of a reduction there. It
/// stores nothing; `never` is where the 16 bytes would go if the exclusive-or of the words were a certain constant.
void read_on_gpu(void const* in, std::size_t bytes, void* never, int blocks, CUstream_st* stream);

}  // namespace tally::timing
