#pragma once

#include <string>
#include <vector>

#include "page.hpp"

/// The applications that `tally app NAME` runs. Each has its page and `run` in a file of this folder.
namespace tally::cli {

struct application {
  command_page const& page;  ///< called "app NAME"
  void (*run)(std::vector<std::string> const& words);
};

application allocate_application();
application cdf_application();
application compact_application();
application compare_application();
application cut_application();
application group_application();
application histogram_application();
application integral_application();
application lex_application();
application pi_application();
application polynomial_application();
application quicksort_application();
application recurrence_application();
application sort_application();
application tree_application();

/// All of them, in the order in which help lists them.
std::vector<application> const& applications();
std::vector<command_page const*> const& application_pages();

}  // namespace tally::cli
