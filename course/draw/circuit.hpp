#pragma once

#include <string>
#include <vector>

#include "draw/recording.hpp"

namespace tally::draw {

/// A run as a diagram: the elements stand side by side in columns, time goes down in rows, and every application of the
/// operator is a node with an arrow from each operand. Arrows follow the values that moved on the machine, not what a
/// kernel is thought to do.
struct circuit {
  enum class kind {
    input,
    combined,  ///< by the operator
    moved,     ///< to another element
    constant   ///< an identity
  };
  struct node {
    kind what;
    int row, column;
    int value;  ///< of the recording
    std::string text;
    element at;      ///< where it is made or goes to
    int thread;      ///< that does it; -1 of inputs
    int block;       ///< -1 of inputs, and of what the host does
    bool is_result;  ///< whether it stays in `out` at the end
  };
  enum class role {
    left,
    right,
    moved,
    index  ///< says which element is combined: what a histogram counts
  };
  struct arrow {
    int from, to;  ///< nodes
    role as;
  };
  struct row {
    std::string kernel;
    int launch;          ///< -1 of inputs, and of the host
    std::size_t phase;   ///< the first of the recording that has nodes in it; of no meaning for inputs
    int step;            ///< counted from 1 over the rows in which something is combined; 0 of others
    int stride;          ///< how far apart the operands are, if all are alike; else 0
    std::string label;   ///< "step 2", "shift", "identity"
    std::string detail;  ///< "stride 4"
  };

  /// Where the nodes of a block stand in a launch.
  struct area {
    int launch, block;
    int first_row, last_row;
    int first_column, last_column;
  };

  int columns = 0;
  std::vector<row> rows;
  std::vector<node> nodes;
  std::vector<arrow> arrows;
  std::vector<area> blocks;         ///< side by side, launch by launch; none where every launch has one block
  std::vector<std::string> result;  ///< of each column what is in `out` at the end, empty if nothing is
};

/// The diagram of a run. No two of its nodes are in the same row and column.
circuit circuit_of(recording const& run);

}  // namespace tally::draw
