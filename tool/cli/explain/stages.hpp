#pragma once

#include <string>
#include <vector>

#include "draw/recording.hpp"

namespace tally::cli {

/// What all blocks of a launch do in their phases of one number; or, where they only copy, in several.
struct stage {
  std::vector<std::size_t> phases;  ///< of the recording
  bool combines = false;
  int launch = -1;  ///< -1: the host
  std::string kernel;
  int blocks = 0, threads = 0;    ///< threads of a block
  int active = 0;                 ///< in all blocks, the most of a phase
  int first_step = 0, steps = 0;  ///< counted over the run
  model::shared_counts shared;
  model::warp_counts warps;
  model::global_counts global;
};

std::vector<stage> stages_of(draw::recording const& run);

/// What a stage moves that combines nothing.
struct copied {
  std::vector<std::string> ways;  ///< "in -> x", "identity -> x", each once
  bool straight = true;           ///< every element to the same place of another array
  bool shuffles = false;
};
copied copies_of(draw::recording const& run, stage const& of);

/// What a stage that combines moves besides: "x[1] <- x[3]", "x[3] <- 0".
std::vector<std::string> moves_of(draw::recording const& run, stage const& of);

}  // namespace tally::cli
