#include "app/application.hpp"

namespace tally::cli {

std::vector<command> const& applications()
{
  static std::vector<command> const all = {
      allocate_application(),   cdf_application(),   compact_application(),    compare_application(),
      cut_application(),        group_application(), histogram_application(),  integral_application(),
      lex_application(),        pi_application(),    polynomial_application(), quicksort_application(),
      recurrence_application(), sort_application(),  tree_application(),
  };
  return all;
}

std::vector<command_page const*> const& application_pages()
{
  static std::vector<command_page const*> const pages = [] {
    std::vector<command_page const*> all;
    for (command const& each : applications()) all.push_back(&each.page);
    return all;
  }();
  return pages;
}

}  // namespace tally::cli
