#include "io/arrays/raw_reader.hpp"

#include <utility>

#include "io/arrays/binary_reader.hpp"

namespace tally::io {

std::unique_ptr<reader> read_raw(input source, element_type type, std::endian order)
{
  stored_elements elements;
  elements.type = type;
  elements.order = order;
  return std::make_unique<binary_reader>(std::move(source), elements, 0, std::nullopt);
}

}  // namespace tally::io
