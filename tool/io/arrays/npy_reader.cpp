#include "io/arrays/npy_reader.hpp"

#include <algorithm>
#include <utility>

#include "io/arrays/binary_reader.hpp"
#include "io/arrays/fortran_reader.hpp"
#include "io/errors.hpp"

namespace tally::io {

std::unique_ptr<reader> read_npy(input source)
{
  npy_header const header = read_npy_header(source);
  auto const is_long = [](std::uint64_t length) { return length > 1; };
  auto const long_axes = std::count_if(header.shape.begin(), header.shape.end(), is_long);
  if (!header.fortran_order || long_axes <= 1 || header.count() == 0) {
    std::uint64_t const count = header.count();
    return std::make_unique<binary_reader>(std::move(source), header, header.data_offset, count);
  }
  if (!source.seekable())
    throw data_error({source.name()}, source.not_seekable(), "a regular file, to read an array in Fortran order");
  return std::make_unique<fortran_reader>(std::move(source), header);
}

}  // namespace tally::io
