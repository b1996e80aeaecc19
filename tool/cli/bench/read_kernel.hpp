#pragma once

#include <cstddef>

struct CUstream_st;

namespace tally::cli {

/// Reads n bytes in a GPU's memory, a multiple of 16, by so many blocks: what a reduction there cannot beat. Writes 16
/// bytes to `never` if it finds what is not there.
void read_on_gpu(void const* in, std::size_t n, void* never, int blocks, CUstream_st* stream);

}  // namespace tally::cli
