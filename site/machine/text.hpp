#pragma once

#include <string>

/// Text between the page and the module, in the module's memory.
namespace tally::site {

/// Text from the page: it asks for room, and fills it before the call that reads it.
std::string const& given_text();
/// The result of a call, which the page reads before the next call.
void give(std::string text);

}  // namespace tally::site
