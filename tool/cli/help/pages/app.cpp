#include <string_view>
#include <vector>

#include "app/application.hpp"
#include "help/pages/pages.hpp"

namespace tally::cli {

command_page const& app_page()
{
  static command_page const page = [] {
    std::vector<choice> names;
    for (command_page const* each : application_pages()) names.push_back({last_name(*each), ""});
    return command_page{
        .name = "app",
        .summary = "applications of reduce and scan: sorting, compaction, histograms, recurrences, trees ...",
        .usage = "tally app NAME [OPTION...]",
        .description = {"Runs an application: an algorithm built on Tally's own reduce and scan, on real input. `tally "
                        "app NAME --help` tells everything about one."},
        .options = {{"Options",
                     {
                         {"NAME", "", "The application.", completes::choices, std::move(names)},
                         {"-h,--help", "", "Show this help."},
                     }}},
        .sections = {exit_section()},
        .examples = {{"The list of applications:", "tally app --help"}},
    };
  }();
  return page;
}

}  // namespace tally::cli
