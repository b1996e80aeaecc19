#pragma once

#include "explain/explanation.hpp"

namespace tally::cli {

/// The laws that an operator of the reader's own keeps and breaks, on small numbers and these elements.
own_laws laws_of(textbook::own_operator const& op, textbook::values const& elements);

/// Judges the operator of a run, if it is one of the reader's own.
void judge(explanation& run);

}  // namespace tally::cli
