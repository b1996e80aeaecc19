#include "soak/family.hpp"

#include "soak/application.hpp"
#include "soak/scan.hpp"

namespace tally::soak {

namespace {

outcome of_all_types(choices& of, std::string const& family)
{
  std::string const types = of.word("types", {"words", "words", "bytes", "floats", "own"});
  if (types == "words") return words_try(of, family);
  if (types == "bytes") return bytes_try(of, family);
  if (types == "floats") return floats_try(of, family);
  return own_operators_try(of, family);
}

}  // namespace

std::vector<family> const& families()
{
  static std::vector<family> const all{
      {"scan", [](choices& of) { return of_all_types(of, "scan"); }},
      {"reduce", [](choices& of) { return of_all_types(of, "reduce"); }},
      {"running", [](choices& of) { return of_all_types(of, "running"); }},
      {"along", along_try},
      {"compact", compact_try},
      {"run_lengths", run_lengths_try},
      {"histogram", histogram_try},
      {"by_key", by_key_try},
      {"by_flag", by_flag_try},
      {"by_offset", by_offset_try},
      {"radix_sort", radix_sort_try},
      {"quicksort", quicksort_try},
      {"compare", compare_try},
      {"allocate", allocate_try},
      {"lexer", lexer_try},
      {"tree", tree_try},
      {"recurrence", recurrence_try},
      {"recurrences", recurrences_try},
      {"recursive_filter", recursive_filter_try},
      {"polynomial", polynomial_try},
      {"integrate", integrate_try},
      {"distribution", distribution_try},
  };
  return all;
}

}  // namespace tally::soak
