#include "help/pages/pages.hpp"

namespace tally::cli {

command_page const& bench_page()
{
  static command_page const page = {
      .name = "bench",
      .summary = "measure this machine and the speed of Tally beside its limits",
      .usage = "tally bench [OPTION...]",
      .description =
          {"Measures the speed of copying and reading memory, then of inclusive scans and sums by Tally and by the "
           "standard library (`std::inclusive_scan`, `std::reduce`), for a few sizes and types, in a few seconds. "
           "Speeds are medians of several rounds, in GB/s. A scan reads and writes each byte once, a sum reads it "
           "once. The share is Tally's speed divided by the machine's limit for the same number of bytes: copying for "
           "a scan, reading for a sum.",
           "Tally is called without an execution argument, as in most programs, so the library chooses the threads.",
           "With a GPU there is a second table, of scans and sums by Tally on numbers in the GPU's memory, up to 1 "
           "GiB. Their limits are `cudaMemcpy` from device to device, and a kernel that only reads."},
      .options = {{"Output", {{"--json", "", "Print JSON for scripts instead of a table."}}},
                  {"Running",
                   {{"--threads", "N",
                     "Call with `tally::cpu{.threads = N}`, and measure the limits on N threads. Otherwise calls are "
                     "plain, and the limits use all threads allowed to the process."},
                    {"-h,--help", "", "Show this help."}}}},
      .sections = {{"Notes",
                    {"Other work on the machine changes every figure. For small sizes the limit is that of the caches; "
                     "a share above 1 there means that the work took less time than a plain copy by the same number of "
                     "threads."}}},
      .examples = {{"The table:", "tally bench"}, {"One thread, for a script:", "tally bench --threads 1 --json"}}};
  return page;
}

}  // namespace tally::cli
