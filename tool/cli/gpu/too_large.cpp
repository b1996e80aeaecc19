#include <fmt/format.h>

#include "gpu/gpu.hpp"

namespace tally::cli {

namespace {

std::string gigabytes(std::size_t bytes)
{
  double const size = static_cast<double>(bytes);
  return size < 1e8 ? fmt::format("{:.1f} MB", size * 1e-6) : fmt::format("{:.1f} GB", size * 1e-9);
}

}  // namespace

void too_large_for_gpu(std::size_t needed_bytes, std::size_t free_bytes)
{
  throw error(
      fmt::format("the values need {} of the GPU's memory, of which {} are free (--on cpu takes input of any size)",
                  gigabytes(needed_bytes), gigabytes(free_bytes)));
}

}  // namespace tally::cli
