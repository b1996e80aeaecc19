#include "soak/scan.hpp"

namespace tally::soak {

outcome bytes_try(choices& of, std::string const& family)
{
  std::string const type = of.word("type", {"u8", "i8", "u16", "i16"});
  if (type == "u8") return integer_try<std::uint8_t>(of, family, "std::uint8_t");
  if (type == "i8") return integer_try<std::int8_t>(of, family, "std::int8_t");
  if (type == "u16") return integer_try<std::uint16_t>(of, family, "std::uint16_t");
  return integer_try<std::int16_t>(of, family, "std::int16_t");
}

}  // namespace tally::soak
