#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "report.hpp"

namespace tally::bench {
namespace {

bool has_error(element type)
{
  return type == element::f32 || type == element::f64;
}

/// "WRONG"; "exact" where there can be no error; else the largest relative error, with an exclamation mark if the sum
/// has stalled.
std::string error_text(cell const& c, measurement const& m)
{
  if (m.check.wrong) return "WRONG";
  if (!has_error(c.type) || c.what == operation::reduce_max) return "exact";
  return fmt::format("{:.0e}{}", m.check.relative_error, m.check.stalled() ? "!" : "");
}

void print_line(std::ostream& to, cell const& c, int threads)
{
  standing const s = stand(c, threads);
  auto const speed = [&](measurement const* m) {
    return m ? fmt::format("{:.1f}", c.gigabytes_per_second(*m)) : std::string("-");
  };
  auto const ratio = [](double r) { return r > 0 ? fmt::format("{:.2f}", r) : std::string("-"); };
  auto const error = [&](measurement const* m) { return m ? error_text(c, *m) : std::string("-"); };
  std::string const power = fmt::format("2^{}", c.power);
  fmt::print(to, "{:<5}{:<8}{:<5}{:>8}  {:<8}{:>8}{:>7}   {:<28}{:>8}  {:<8}{:>6}\n", power, name_of(c.data),
             threads == 1 ? "1" : "all", speed(s.tally), error(s.tally), speed(s.limit), ratio(s.of_limit()),
             s.peer ? s.peer->name : "-", speed(s.peer), error(s.peer), ratio(s.of_peer()));
}

}  // namespace

void print_context(std::ostream& to, run_context const& context)
{
  machine const& m = context.where;
  fmt::print(to, "{}, {} threads, L2 {} KiB a core, L3 {} MiB, memory {:.0f} GiB; {}\n", m.processor, m.threads,
             m.l2_bytes >> 10, m.l3_bytes >> 20, static_cast<double>(m.memory_bytes) / (1 << 30), m.architecture);
  fmt::print(to, "{}; oneTBB {}; NumPy {}; peers compiled for {}; commit {}; {}; {} run\n", m.compiler, m.onetbb,
             context.numpy.empty() ? "not there" : context.numpy, context.instructions,
             context.commit.empty() ? "unknown" : context.commit, m.date, context.effort);
}

void print_table(std::ostream& to, std::vector<cell> const& cells)
{
  cell const* before = nullptr;
  for (cell const& c : cells) {
    if (!before || before->what != c.what || before->type != c.type) {
      fmt::print(to, "\n{}, {}: GB/s, {} an element\n", title_of(c.what), name_of(c.type),
                 c.is_scan() ? "one read and one write" : "one read");
      fmt::print(to, "{:<5}{:<8}{:<5}{:>8}  {:<8}{:>8}{:>7}   {:<28}{:>8}  {:<8}{:>6}\n", "n", "data in", "thr.",
                 "Tally", "error", "limit", "ratio", "best peer", "GB/s", "error", "ratio");
    }
    print_line(to, c, 1);
    print_line(to, c, all_threads);
    before = &c;
  }
  fmt::print(to,
             "\nerror: the largest relative error of any element; ! a sum that has stopped growing (0.1% and more)\n");
}

void print_contenders(std::ostream& to, std::vector<cell> const& cells)
{
  for (cell const& c : cells) {
    fmt::print(to, "\n{} ({})\n", name_of(c), name_of(c.data));
    std::vector<measurement const*> order;
    for (measurement const& m : c.measured) order.push_back(&m);
    std::stable_sort(order.begin(), order.end(), [](measurement const* a, measurement const* b) {
      if (a->seconds.empty() || b->seconds.empty()) return !a->seconds.empty() && b->seconds.empty();
      return a->median() < b->median();
    });
    for (measurement const* m : order) {
      std::string const who = fmt::format("{}{}", m->name, m->threads == 1 ? "" : ", all threads");
      if (m->seconds.empty()) {
        fmt::print(to, "  {:<42}{:>8}  {:<8}{}\n", who, "-", error_text(c, *m), name_of(m->part));
        continue;
      }
      auto const [least, most] = std::minmax_element(m->seconds.begin(), m->seconds.end());
      double const bytes = static_cast<double>(c.bytes()) * 1e-9;
      bool const limit = m->part == role::copy_limit || m->part == role::read_limit;
      fmt::print(to, "  {:<42}{:>8.1f}  {:<8}{:<11} {:.1f} to {:.1f} in {} rounds{}\n", who, bytes / m->median(),
                 limit ? "" : error_text(c, *m), name_of(m->part), bytes / *most, bytes / *least, m->seconds.size(),
                 m->other_process ? ", in a process of its own" : "");
    }
  }
}

}  // namespace tally::bench
