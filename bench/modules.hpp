#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contender.hpp"

namespace tally::bench {

/// The peers and limits, compiled for the widest instruction set that this processor has and that `widest` allows
/// ("avx512", "avx2", "sse4"; empty for no restriction). Vector loops and limits are there for the next narrower set
/// too, under a name that says so: wider is not always faster (a Zen 4 core reads memory 8% faster by 256 bits than by
/// 512). Throws std::runtime_error if there is no module for this processor.
struct peer_modules {
  std::string instructions;  ///< of the module in use
  std::vector<contender> all;
};
peer_modules load_peers(std::string_view widest);

}  // namespace tally::bench
