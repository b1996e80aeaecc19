#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "draw/recording.hpp"
#include "textbook/sources.hpp"

namespace tally::draw {

/// The content of a page.
struct played {
  std::string_view title;
  std::string_view run;  ///< JSON, as `tally explain --json` prints it
  std::vector<textbook::source> sources;
};

/// A page that plays a run forward and back, with the mouse and the keys: the circuit, the arrays, the source, the
/// counts. It stands alone: style, script and data are in it, and it loads nothing.
///
/// Requires  `run` is JSON. Title and sources may be any text: none of it becomes markup.
std::string draw_html(played const& what);

/// The headers of the textbook that the run executed, in the order in which it first did.
std::vector<textbook::source> sources_of(recording const& run);

/// The page with @title@, @run@ and @sources@ in place of these (page.html, and the files of the player).
std::string_view page_template();

}  // namespace tally::draw
