#include "app/application.hpp"

namespace tally::cli {

std::vector<application> const& applications()
{
  static std::vector<application> const all = {
      histogram_application(),
      quicksort_application(),
      sort_application(),
  };
  return all;
}

std::vector<command_page const*> const& application_pages()
{
  static std::vector<command_page const*> const pages = [] {
    std::vector<command_page const*> all;
    for (application const& each : applications()) all.push_back(&each.page);
    return all;
  }();
  return pages;
}

}  // namespace tally::cli
