#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/sections.hpp"
#include "textbook/entry.hpp"

namespace tally::textbook {

namespace {

int log2_up(int n)
{
  int steps = 0;
  for (int p = 1; p < n; p *= 2) ++steps;
  return steps;
}

std::size_t hillis_steele_work(int n)
{
  std::size_t work = 0;
  for (int s = 1; s < n; s *= 2) work += static_cast<std::size_t>(n - s);
  return work;
}

}  // namespace

std::vector<kernel_entry> block_scans()
{
  return {
      entry<on_one_block<scan_of_sections<hillis_steele>>>(
          {.name = "hillis-steele",
           .title = "Hillis-Steele scan",
           .result = result_kind::inclusive_scan,
           .header = "hillis_steele.hpp",
           .source = "Hillis & Steele (1986)",
           .changes = "Sums of 2, 4, 8 elements are shared instead of added up by every thread anew.",
           .most = 1024,
           .work = {"n log2 n - (n - 1)", hillis_steele_work},
           .steps = {"log2 n", [](int n) { return static_cast<std::size_t>(log2_up(n)); }},
           .barriers = {"2 log2 n + 2", [](int n) { return static_cast<std::size_t>(2 * log2_up(n) + 2); }}}),
  };
}

}  // namespace tally::textbook
