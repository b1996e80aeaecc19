#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "compare/comparison.hpp"
#include "help/pages/pages.hpp"
#include "io/files/output.hpp"
#include "settings/parser.hpp"
#include "textbook/gpu.hpp"

namespace tally::cli {

namespace {

struct compare_settings {
  int n = 1024;
  std::optional<kernel_operation> op;
  std::optional<std::size_t> sorted_by;
  bool json = false, gpu = false;
  std::vector<std::string> kernels;
};

compare_settings parse_compare(std::vector<std::string> const& words)
{
  compare_settings settings;
  parser options(compare_page());
  options.arguments("KERNEL...", settings.kernels);
  options.number("--n", settings.n, 1, most_elements);
  options.choice("--op", settings.op);
  options.choice("--sort", settings.sorted_by);
  options.flag("--json", settings.json);
  options.flag("--gpu", settings.gpu);
  options.parse(words);
  check_letters(settings.n, settings.op.value_or(kernel_operation::sum));
  return settings;
}

comparison compare(compare_settings const& settings)
{
  comparison all;
  all.n = settings.n;
  all.op = settings.op;
  for (textbook::kernel_entry const* kernel : kernels_named(settings.kernels)) {
    if (auto const reason = why_not(*kernel, settings.n, settings.op)) {
      all.left_out.push_back({kernel, *reason});
      continue;
    }
    compared_kernel& one = all.kernels.emplace_back(compared_kernel{measure(*kernel, settings.n, settings.op), {}});
    for (std::size_t const p : processors) one.times.push_back(one.figures.operations.schedule(p));
  }
  if (settings.gpu) {
    if (std::string const reason = textbook::why_no_gpu(); reason.empty())
      add_gpu(all);
    else
      std::fputs(("tally: no GPU to compare on: " + reason + '\n').c_str(), stderr);
  }
  if (settings.sorted_by) sort(all, *settings.sorted_by);
  return all;
}

}  // namespace

void run_compare(std::vector<std::string> const& words)
{
  compare_settings const settings = parse_compare(words);
  comparison const all = compare(settings);
  std::string const text = settings.json ? json_text(all) : table(all);
  io::write_whole(io::output::standard_output(), text);
}

}  // namespace tally::cli
