#pragma once

#include <charconv>
#include <cstddef>
#include <string>

#include "tally/config.hpp"
#include "tally/error.hpp"

namespace tally::detail::histogram {

/// Returns a number as an error message shows it: with the fewest digits that denote it.
inline std::string shortest_text(double value)
{
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// Numbers the slots of a histogram: those of the bins, and behind them three for the values that belong to no bin.
class bin_slots {
public:
  /// The greatest number of bins: a slot is a signed integer of 32 bits.
  static constexpr std::size_t most = (std::size_t{1} << 31) - 4;

  TALLY_HD std::size_t count() const { return count_; }
  TALLY_HD std::size_t below() const { return count_; }
  TALLY_HD std::size_t above() const { return count_ + 1; }
  TALLY_HD std::size_t not_a_number() const { return count_ + 2; }
  TALLY_HD std::size_t slots() const { return count_ + 3; }

protected:
  explicit bin_slots(std::size_t count) : count_(count)
  {
    if (count == 0 || count > most)
      throw usage_error("tally: a histogram of " + std::to_string(count) + " bins; it has 1 to " +
                        std::to_string(most));
  }

  std::size_t count_;
};

/// Gives the CPU's kernel the private numbers of even_bins (host.hpp).
struct even_bins_access;

}  // namespace tally::detail::histogram
