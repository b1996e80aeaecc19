#include "pages/pages.hpp"

namespace tally::cli {

command_page const& bench_page()
{
  static command_page const page = {
      .name = "bench",
      .summary = "measure this machine, and how near to its limits Tally comes",
      .usage = "tally bench [OPTION...]",
      .description =
          {
              "Measures how fast this machine copies and reads memory, then inclusive scans and sums by Tally and by "
              "the standard library (`std::inclusive_scan`, `std::reduce`), for a few sizes and types, in turns; takes "
              "a few seconds. Speeds are the medians of several rounds, in GB/s: a scan's bytes are counted once read "
              "and once written, a sum's once read. The share is that of the machine's limit for the same number of "
              "bytes: copying for a scan, reading for a sum.",
              "Tally is called as most programs call it, without an execution argument, and so the library chooses the "
              "threads.",
              "Where a GPU answers there is a second table, of scans and sums by Tally on numbers in the GPU's memory, "
              "up to 1 GiB. Their limits are `cudaMemcpy` from device to device, and a kernel that only reads.",
          },
      .options =
          {
              {"Output", {{"--json", "", "Print JSON for scripts instead of a table."}}},
              {"Running",
               {
                   {"--threads", "N",
                    "Call with `tally::cpu{.threads = N}`, and measure the limits on N threads; otherwise calls are "
                    "plain, and limits have as many threads as the process may."},
                   {"-h,--help", "", "Show this help."},
               }},
          },
      .sections =
          {{"Notes",
            {
                "Other work on the machine shows up in every figure. In cache the limit is that of the caches; a share "
                "above 1 there means that the work was done in less time than a plain copy by the same number of "
                "threads takes.",
            }}},
      .examples = {{"The table:", "tally bench"}, {"One thread, for a script:", "tally bench --threads 1 --json"}},
  };
  return page;
}

}  // namespace tally::cli
