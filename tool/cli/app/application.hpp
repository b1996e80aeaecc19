#pragma once

#include <vector>

#include "help/page.hpp"

/// The applications that `tally app NAME` runs. Each has its page and `run` in a file of this folder.
namespace tally::cli {

command allocate_application();
command cdf_application();
command compact_application();
command compare_application();
command cut_application();
command group_application();
command histogram_application();
command integral_application();
command lex_application();
command pi_application();
command polynomial_application();
command quicksort_application();
command recurrence_application();
command sort_application();
command tree_application();

/// All of them, in the order in which help lists them.
std::vector<command> const& applications();
std::vector<command_page const*> const& application_pages();

}  // namespace tally::cli
