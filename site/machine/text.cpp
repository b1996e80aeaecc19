#include "text.hpp"

#include <utility>

namespace tally::site {

namespace {
std::string from_page, to_page;
}

std::string const& given_text()
{
  return from_page;
}

void give(std::string text)
{
  to_page = std::move(text);
}

extern "C" {

[[clang::export_name("room_for_text")]] char* room_for_text(unsigned size)
{
  from_page.resize(size);
  return from_page.data();
}

[[clang::export_name("text")]] char const* text()
{
  return to_page.data();
}

[[clang::export_name("text_size")]] unsigned text_size()
{
  return static_cast<unsigned>(to_page.size());
}
}

}  // namespace tally::site
