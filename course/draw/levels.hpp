#pragma once

#include "draw/circuit.hpp"

/// Circuits that are too wide to be drawn with their values, in two levels of detail.
namespace tally::draw {

/// The circuit with `width` neighbouring columns in one, and `height` rows of a launch. Nodes that come together become
/// one, which is an operation if one of them is, and whose text is their number. Arrows between the same two nodes
/// become one; those within a row are left out. It has no results, and the areas of blocks only where no two of them
/// come together.
circuit coarse(circuit const& of, int width, int height = 1);

/// The first `columns` columns, with the rows that have nodes there, and the arrows between these.
circuit first_columns(circuit const& of, int columns);

}  // namespace tally::draw
