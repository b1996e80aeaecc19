#pragma once

#include <map>
#include <string>
#include <vector>

#include "draw/recording.hpp"
#include "explain/stages.hpp"
#include "explain/terminal.hpp"

namespace tally::cli {

/// The column in which texts begin, behind the names of steps and arrays.
inline constexpr std::size_t gutter = 11;

/// The arrays that are printed.
enum class shown { none, global, all };

/// The arrays of a run as lines for a terminal, stage by stage.
class shown_arrays {
public:
  shown_arrays(draw::recording const& run, terminal const& to);

  /// The present content of an array.
  std::string lines(int array) const { return lines(run_.array_of(array).name, texts_of(array), {}); }
  /// The arrays and registers of `which` after the stage, if it writes to them, with the changed elements marked.
  std::string after(stage const& of, shown which);

private:
  using texts = std::vector<std::string>;

  texts const& texts_of(int array) const;
  std::string registers(stage const& of) const;
  /// The elements up to the last one set; those of `marked` have changed.
  std::string lines(std::string const& name, texts const& elements, std::vector<bool> const& marked) const;

  draw::recording const& run_;
  terminal const& to_;
  std::size_t widest_ = 1;          // of all texts of the run: columns stay where they are
  std::size_t label_ = gutter - 2;  // for the longest name
  std::map<int, texts> now_;        // those that have been written to
};

}  // namespace tally::cli
