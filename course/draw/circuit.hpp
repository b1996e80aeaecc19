#pragma once

#include <string>
#include <vector>

#include "draw/recording.hpp"

namespace tally::draw {

/// A run as a diagram. The elements are columns side by side, time goes down in rows, and every application of the
/// operator is a node with an arrow from each operand. Arrows show the values that moved on the machine, not the
/// intention of the kernel.
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
    element at;      ///< where it is made, or moved to
    int thread;      ///< the thread that makes it; -1 for inputs
    int block;       ///< -1 for inputs, and nodes of the host
    bool is_result;  ///< whether it is in `out` at the end
  };
  enum class role {
    left,
    right,
    moved,
    index  ///< selects the element that is combined: the input of a histogram
  };
  struct arrow {
    int from, to;  ///< nodes
    role as;
  };
  struct row {
    std::string kernel;
    int launch;          ///< -1 for inputs, and the host
    std::size_t phase;   ///< the first phase of the recording with nodes in the row; meaningless for inputs
    int step;            ///< counts from 1 the rows in which values are combined; 0 for others
    int stride;          ///< the distance of the operands, if it is the same for all; else 0
    std::string label;   ///< "step 2", "shift", "identity"
    std::string detail;  ///< "stride 4"
  };

  /// The columns of a block in a launch.
  struct area {
    int launch, block;
    int first_row, last_row;
    int first_column, last_column;
  };

  int columns = 0;
  std::vector<row> rows;
  std::vector<node> nodes;
  std::vector<arrow> arrows;
  std::vector<area> blocks;         ///< launch by launch, from left to right; none if every launch has one block
  std::vector<std::string> result;  ///< for each column the element of `out` at the end, empty if there is none
};

/// The diagram of a run. No two of its nodes are in the same row and column.
circuit circuit_of(recording const& run);

}  // namespace tally::draw
