#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "cell.hpp"
#include "machine.hpp"

/// Reports of the measured cells: a table, JSON, plots, and the comparison with the project's targets.
namespace tally::bench {

struct run_context {
  machine where;
  std::string instructions;  ///< of peers and limits
  std::string commit;
  std::string numpy;   ///< version, or empty
  std::string effort;  ///< "full" or "quick"
};

void print_context(std::ostream& to, run_context const& context);

/// A block for each operation and type, in it a line for each cell and thread count.
void print_table(std::ostream& to, std::vector<cell> const& cells);

/// Every contender of every cell.
void print_contenders(std::ostream& to, std::vector<cell> const& cells);

/// Each target with its worst cell. Returns how many were missed.
int print_targets(std::ostream& to, run_context const& context, std::vector<cell> const& cells);

void write_json(std::filesystem::path const& file, run_context const& context, std::vector<cell> const& cells);

/// Gnuplot programs with their data in them: one an operation (`inclusive_scan.gnuplot` ...) with a panel a type and
/// thread count, and `comparison.gnuplot`, the picture for readers in a hurry. Each writes an SVG file beside itself.
void write_plots(std::filesystem::path const& folder, run_context const& context, std::vector<cell> const& cells);

/// Adds NumPy's figures, as bench/numpy_peer.py wrote them, to the cells that they belong to. Returns its version.
std::string merge_numpy(std::filesystem::path const& file, std::vector<cell>& cells);

}  // namespace tally::bench
