#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "compare/comparison.hpp"
#include "kernels/words.hpp"
#include "output/json.hpp"

namespace tally::cli {

namespace {

std::string cell_of(compared_kernel const& kernel, std::size_t column)
{
  if (column == 0) return std::string(kernel.figures.kernel->name);
  if (column == 1) return std::string(name_of(kernel.figures.kernel->result));
  return std::to_string(comparison_columns()[column].value(kernel));
}

/// The table, words left-aligned and numbers right-aligned, with two blanks between columns, or one if the lines are
/// too long.
std::string rows(comparison const& all)
{
  std::vector<comparison_column> const& columns = comparison_columns();
  std::vector<std::vector<std::string>> lines(all.kernels.size() + 2);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    lines[0].emplace_back(columns[c].upper);
    lines[1].emplace_back(columns[c].lower);
    for (std::size_t k = 0; k < all.kernels.size(); ++k) lines[k + 2].push_back(cell_of(all.kernels[k], c));
  }
  std::vector<std::size_t> widths(columns.size());
  for (auto const& line : lines)
    for (std::size_t c = 0; c < columns.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  std::size_t const least = std::accumulate(widths.begin(), widths.end(), columns.size() - 1);
  std::string const gap(least + columns.size() - 1 <= line_width ? 2 : 1, ' ');
  std::string out;
  for (auto const& line : lines) {
    std::string text;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) text += gap;
      bool const words = columns[c].value == nullptr;
      text += words ? fmt::format("{:<{}}", line[c], widths[c]) : fmt::format("{:>{}}", line[c], widths[c]);
    }
    out.append(text, 0, text.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

/// A scan with less work than another and yet, by its bank conflicts alone, more wavefronts: the most striking such
/// pair.
struct contrast {
  compared_kernel const *less_work = nullptr, *fewer_wavefronts = nullptr;
};

contrast most_striking(comparison const& all)
{
  contrast found;
  double best = 1;
  for (compared_kernel const& a : all.kernels) {
    for (compared_kernel const& b : all.kernels) {
      if (!is_scan(a.figures.kernel->result)) continue;
      if (!is_scan(b.figures.kernel->result)) continue;
      auto const work = [](compared_kernel const& of) { return static_cast<double>(of.figures.operations.work()); };
      auto const passes = [](compared_kernel const& of) {
        return static_cast<double>(of.figures.counts.shared.wavefronts);
      };
      bool const conflicts = static_cast<double>(a.figures.counts.shared.ideal) < passes(b);
      if (passes(a) <= passes(b) || passes(b) == 0 || work(a) >= work(b) || !conflicts) continue;
      double const strength = work(b) / work(a) * passes(a) / passes(b);
      if (strength > best) {
        best = strength;
        found = {&a, &b};
      }
    }
  }
  return found;
}

std::vector<crossover> crossovers(comparison const& all)
{
  std::vector<kernel_figures const*> figures;
  for (compared_kernel const& each : all.kernels) figures.push_back(&each.figures);
  return crossovers(figures);
}

/// The turns that atomic additions take, of each kernel that has some.
std::string reading_of_atomics(comparison const& all)
{
  std::string out;
  for (compared_kernel const& each : all.kernels) {
    model::atomic_counts const& atomics = each.figures.counts.atomics;
    if (each.figures.kernel->result != textbook::result_kind::histogram) continue;
    out += out.empty() ? "Lanes of a warp that add to one word take turns: " : "; ";
    out += each.figures.kernel->name;
    out += atomics.changes == 0 ? " has no atomic additions"
                                : fmt::format(" has {} atomic additions, by {} warp{} in {} turns", atomics.changes,
                                              atomics.requests, atomics.requests == 1 ? "" : "s", atomics.turns);
  }
  return out.empty() ? out : wrapped(out + ".");
}

/// Sentences on what the figures say about work and time.
std::string reading(comparison const& all)
{
  std::string out;
  kernel_operation const op = all.op.value_or(kernel_operation::sum);
  for (compared_kernel const& each : all.kernels)
    if (kernel_operation const own = kernel_operation_of(*each.figures.kernel, all.op); own != op)
      out += fmt::format("The {} is by {}, for which it is made.\n", each.figures.kernel->name, name_of(own));
  if (std::vector<crossover> const found = crossovers(all); !found.empty())
    out += wrapped(fmt::format(
        "Few processors take as long as there is work, many as long as the depth. So less work is not always "
        "less time: {} has the least depth of these scans; it is ahead of {}.",
        found.front().shallow->name, list(found)));
  if (contrast const found = most_striking(all); found.less_work != nullptr) {
    model::shared_counts const& shared = found.less_work->figures.counts.shared;
    out += wrapped(fmt::format("Nor are all operations equally dear: {} does {} of them and {} {}, but takes {} "
                               "wavefronts where that takes {}; "
                               "if no two words met in one bank it would take {}.",
                               found.less_work->figures.kernel->name, found.less_work->figures.operations.work(),
                               found.fewer_wavefronts->figures.kernel->name,
                               found.fewer_wavefronts->figures.operations.work(), shared.wavefronts,
                               found.fewer_wavefronts->figures.counts.shared.wavefronts, shared.ideal));
  }
  return out + reading_of_atomics(all);
}

void add_formula(json& to, std::string const& name, textbook::formula const& of, int n)
{
  to.add(name + "_formula", of.text);
  if (of.value != nullptr) to.add(name + "_by_formula", of.value(n));
}

json json_of(compared_kernel const& kernel, comparison const& all)
{
  textbook::kernel_entry const& entry = *kernel.figures.kernel;
  model::report const& counts = kernel.figures.counts;
  json record = {{"kernel", entry.name},
                 {"title", entry.title},
                 {"result", name_of(entry.result)},
                 {"op", name_of(kernel_operation_of(entry, all.op))},
                 {"work", kernel.figures.operations.work()},
                 {"depth", kernel.figures.operations.depth()}};
  for (std::size_t k = 0; k < kernel.times.size(); ++k)
    record.add("T_" + std::to_string(processors[k]), kernel.times[k]);
  record.add("launches", counts.launches);
  record.add("steps", counts.steps);
  record.add("barriers", counts.barriers);
  record.add("wavefronts", counts.shared.wavefronts);
  record.add("ideal", counts.shared.ideal);
  record.add("degree", counts.shared.worst_degree);
  record.add("warp-steps", counts.warps.steps);
  record.add("divergent", counts.warps.divergent);
  record.add("active_lanes", counts.warps.active_lanes);
  record.add("sectors_read", counts.global.sectors_read);
  record.add("sectors_written", counts.global.sectors_written);
  record.add("atomics", counts.atomics.changes);
  record.add("atomic_turns", counts.atomics.turns);
  if (kernel.microseconds) {
    record.add("microseconds", json::three_decimals(*kernel.microseconds));
    record.add("expected_microseconds", json::three_decimals(expected_microseconds(counts)));
  }
  add_formula(record, "work", entry.work, all.n);
  add_formula(record, "steps", entry.steps, all.n);
  add_formula(record, "barriers", entry.barriers, all.n);
  return record;
}

}  // namespace

std::string table(comparison const& all)
{
  kernel_operation const op = all.op.value_or(kernel_operation::sum);
  std::string out = fmt::format(
      "{} element{}, {} by {}, on the model machine. T_p: the time of p processors, an application of op taking 1.\n\n",
      all.n, all.n == 1 ? "" : "s", op == kernel_operation::join ? "letters" : "integers", name_of(op));
  if (!all.kernels.empty()) out += rows(all);
  if (!all.kernels.empty() && !all.left_out.empty()) out += '\n';
  out += list(all.left_out);
  std::string const words = reading(all);
  if (!words.empty()) out += '\n' + words;
  return all.gpu.empty() ? out : out + '\n' + gpu_table(all);
}

std::string json_text(comparison const& all)
{
  json record = {{"n", all.n}, {"op", name_of(all.op.value_or(kernel_operation::sum))}};
  if (!all.gpu.empty()) record.add("gpu", all.gpu);
  json kernels = json::array();
  for (compared_kernel const& each : all.kernels) kernels.append(json_of(each, all));
  record.add("kernels", kernels);
  record.add("left_out", json_of(all.left_out));
  record.add("crossovers", json_of(crossovers(all)));
  return record.line();
}

}  // namespace tally::cli
