#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "draw/recording.hpp"

namespace tally::cli {

/// Phases of the same number in all blocks of a launch; or several numbers in a row in which the blocks only copy.
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

/// The moves of a stage that combines nothing.
struct copied {
  std::vector<std::string> ways;  ///< "in -> x", "identity -> x", each once
  bool straight = true;           ///< every element to the same place of another array
  bool shuffles = false;
};
copied copies_of(draw::recording const& run, stage const& of);

/// The moves of a stage that also combines.
struct moves {
  std::vector<std::string> texts;         ///< "x[1] <- x[3]", "x[3] <- 0"
  std::set<std::pair<int, int>> targets;  ///< array and index
};
moves moves_of(draw::recording const& run, stage const& of);

}  // namespace tally::cli
