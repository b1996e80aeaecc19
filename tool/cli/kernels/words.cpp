#include "kernels/words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tally::cli {

std::string wrapped(std::string const& text)
{
  std::string out, line;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t const end = std::min(text.find(' ', begin), text.size());
    if (!line.empty() && line.size() + 1 + end - begin > line_width) {
      out += line + '\n';
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line.append(text, begin, end - begin);
    begin = end + 1;
  }
  return out + line + '\n';
}

std::string list(std::vector<crossover> const& all)
{
  std::vector<crossover> sorted = all;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](crossover const& a, crossover const& b) { return a.from < b.from; });
  std::string out;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    out += sorted[k].lean->name;
    bool const last = k + 1 == sorted.size();
    if (!last && sorted[k + 1].from == sorted[k].from)
      out += ", ";
    else
      out += fmt::format(" from p = {} on{}", sorted[k].from, last ? "" : "; ");
  }
  return out;
}

std::string list(std::vector<left_out_kernel> const& all)
{
  if (all.empty()) return {};
  std::size_t longest = 0;
  for (left_out_kernel const& each : all) longest = std::max(longest, each.kernel->name.size());
  std::string out = "Left out:\n";
  for (left_out_kernel const& each : all) out += fmt::format("{:<{}}  {}\n", each.kernel->name, longest, each.reason);
  return out;
}

json json_of(std::vector<crossover> const& all)
{
  json list = json::array();
  for (crossover const& each : all)
    list.append({{"lean", each.lean->name}, {"shallow", each.shallow->name}, {"from", each.from}});
  return list;
}

json json_of(std::vector<left_out_kernel> const& all)
{
  json list = json::array();
  for (left_out_kernel const& each : all) list.append({{"kernel", each.kernel->name}, {"reason", each.reason}});
  return list;
}

}  // namespace tally::cli
