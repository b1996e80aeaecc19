#pragma once

#include <functional>
#include <optional>

namespace tally::textbook {

/// The identity of an operator of the reader's own, if it is 0, 1, -1 or an infinity, as far as some numbers show.
std::optional<double> usual_identity(std::function<double(double, double)> const& combine);

}  // namespace tally::textbook
