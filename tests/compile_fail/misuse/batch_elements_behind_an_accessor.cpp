// error: tally: the elements of an array are read in memory, and not through an accessor
#include <cstddef>

#include "tally/batches.hpp"

struct twice {
#ifdef RIGHT
  using reference = float&;
#else
  using reference = float;  // such as a std::mdspan with an accessor of its own
#endif
  float* data;
  std::size_t rank() const { return 1; }
  std::size_t extent(std::size_t) const { return 8; }
  std::ptrdiff_t stride(std::size_t) const { return 1; }
  float* data_handle() const { return data; }
};

void sum(twice x, float* out)
{
  tally::reduce(tally::along(0, x), out);
}
