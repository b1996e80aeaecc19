#include "soak/scan.hpp"

namespace tally::soak {

outcome words_try(choices& of, std::string const& family)
{
  std::string const type = of.word("type", {"i32", "u32", "i64", "u64"});
  if (type == "i32") return integer_try<std::int32_t>(of, family, "std::int32_t");
  if (type == "u32") return integer_try<std::uint32_t>(of, family, "std::uint32_t");
  if (type == "i64") return integer_try<std::int64_t>(of, family, "std::int64_t");
  return integer_try<std::uint64_t>(of, family, "std::uint64_t");
}

}  // namespace tally::soak
