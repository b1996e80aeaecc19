#pragma once

#include <cstring>
#include <string>

#include "tally.h"
#include "tally/error.hpp"

namespace tally::c {

/// The options of a call. A struct of an older program is shorter; what it does not have is 0. What a newer one has
/// more has to be 0.
inline tally_options options_of(tally_options const* given, std::uint32_t known_flags)
{
  tally_options result{};
  if (given == nullptr) return result;
  if (given->size < sizeof given->size)
    throw usage_error("options->size is " + std::to_string(given->size) + "; it is sizeof(tally_options), " +
                      std::to_string(sizeof result));
  std::memcpy(&result, given, given->size < sizeof result ? given->size : sizeof result);
  auto const* const bytes = reinterpret_cast<char const*>(given);
  for (std::size_t k = sizeof result; k < given->size; ++k)
    if (bytes[k] != 0)
      throw usage_error("options has " + std::to_string(given->size) + " bytes, and this library, of version " +
                        std::to_string(TALLY_VERSION) + ", knows " + std::to_string(sizeof result) +
                        ": those beyond have to be 0");
  if ((result.flags & ~known_flags) != 0)
    throw usage_error("options->flags is " + std::to_string(result.flags) + "; this call knows " +
                      std::to_string(known_flags));
  if (result.threads < 0)
    throw usage_error("options->threads is " + std::to_string(result.threads) +
                      "; it is 0, any number, or at most so many");
  return result;
}

}  // namespace tally::c
