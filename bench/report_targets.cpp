#include <fmt/format.h>
#include <fmt/ostream.h>

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <ostream>

#include "report.hpp"

/// The targets as data: which cells, which figure of a cell, and its bound.
namespace tally::bench {
namespace {

enum class sense { at_least, at_most };

struct target {
  std::string text;
  sense direction;
  double bound;
  std::function<std::optional<double>(cell const&)> value;  // nothing if the target does not concern the cell
};

bool is_float(cell const& c)
{
  return c.type == element::f32 || c.type == element::f64;
}

bool is_narrow(cell const& c)
{
  return c.type == element::i8 || c.type == element::i16;
}

std::optional<double> positive(double ratio)
{
  return ratio > 0 ? std::optional(ratio) : std::nullopt;
}

measurement const* find(cell const& c, std::string_view name)
{
  for (measurement const& m : c.measured)
    if (m.name == name && !m.seconds.empty()) return &m;
  return nullptr;
}

/// How many times faster than std:: Tally is, both on one thread.
std::optional<double> of_standard(cell const& c)
{
  measurement const* const standard = find(c, "std");
  standing const s = stand(c, 1);
  if (!standard || !s.tally) return std::nullopt;
  return standard->median() / s.tally->median();
}

std::optional<double> ulps(cell const& c)
{
  std::optional<double> worst;
  for (int const threads : {1, all_threads})
    if (measurement const* const m = stand(c, threads).tally) worst = std::max(worst.value_or(0), m->check.ulp_error);
  return worst;
}

std::vector<target> targets(bool avx512)
{
  auto const scan_memory = [](cell const& c) { return c.is_scan() && c.data == placement::memory && !is_narrow(c); };
  auto const reduction = [](cell const& c) { return !c.is_scan(); };
  auto const when = [](auto which, auto value) {
    return [=](cell const& c) { return which(c) ? value(c) : std::nullopt; };
  };
  auto const limit = [](int threads) { return [=](cell const& c) { return positive(stand(c, threads).of_limit()); }; };
  auto const peer = [](int threads) { return [=](cell const& c) { return positive(stand(c, threads).of_peer()); }; };
  return {
      {"scan beyond cache, all threads, of the copy limit", sense::at_least, 0.90,
       when(scan_memory, limit(all_threads))},
      {"scan beyond cache, all threads, of the best peer", sense::at_least, 1.35, when(scan_memory, peer(all_threads))},
      {"scan at 2^18 and 2^22, all threads, of the best peer", sense::at_least, 1.3,
       when([](cell const& c) { return c.is_scan() && !is_narrow(c) && (c.power == 18 || c.power == 22); },
            peer(all_threads))},
      {"f32 inclusive scan at 2^10 and 2^14, one thread, of std::inclusive_scan", sense::at_least, avx512 ? 5.0 : 3.5,
       when(
           [](cell const& c) {
             return c.what == operation::inclusive_scan && c.type == element::f32 && (c.power == 10 || c.power == 14);
           },
           of_standard)},
      {"scan at 2^10 and 2^14, one thread, of the best peer", sense::at_least, 1.0,
       when([](cell const& c) { return c.is_scan() && (c.power == 10 || c.power == 14); }, peer(1))},
      {"scan, any size, all threads, of the best peer", sense::at_least, 1.0,
       when([](cell const& c) { return c.is_scan(); }, peer(all_threads))},
      {"reduce beyond cache, all threads, of the read limit", sense::at_least, 0.95,
       when([=](cell const& c) { return reduction(c) && c.data == placement::memory; }, limit(all_threads))},
      {"reduce in cache, exact operators, all threads, of the best peer", sense::at_least, 1.0,
       when(
           [=](cell const& c) {
             bool const exact_operator = !is_float(c) || c.what == operation::reduce_max;
             return reduction(c) && c.data == placement::cache && exact_operator;
           },
           peer(all_threads))},
      {"sum of floats in cache, all threads, of the best peer", sense::at_least, 0.7,
       when([](cell const& c) { return c.what == operation::reduce_sum && c.data == placement::cache && is_float(c); },
            peer(all_threads))},
      {"f32 scan, units in the last place", sense::at_most, 2.5,
       when([](cell const& c) { return c.is_scan() && c.type == element::f32; }, ulps)},
      {"f32 sum, units in the last place", sense::at_most, 1.0,
       when([](cell const& c) { return c.what == operation::reduce_sum && c.type == element::f32; }, ulps)},
  };
}

}  // namespace

int print_targets(std::ostream& to, run_context const& context, std::vector<cell> const& cells)
{
  fmt::print(to, "\n{:<74}{:>7}{:>8}  worst cell\n", "target", "bound", "worst");
  int missed = 0;
  for (target const& t : targets(context.instructions == "avx512")) {
    cell const* worst = nullptr;
    double extreme = 0;
    int seen = 0;
    int below = 0;
    for (cell const& c : cells) {
      std::optional<double> const value = t.value(c);
      if (!value) continue;
      bool const met = t.direction == sense::at_least ? *value >= t.bound : *value <= t.bound;
      bool const is_worse = t.direction == sense::at_least ? *value < extreme : *value > extreme;
      if (!worst || is_worse) {
        worst = &c;
        extreme = *value;
      }
      ++seen;
      below += met ? 0 : 1;
    }
    char const* const sign = t.direction == sense::at_least ? ">=" : "<=";
    if (!worst) {
      fmt::print(to, "{:<74}{:>2}{:>5.2f}{:>8}  no such cell in this run\n", t.text, sign, t.bound, "-");
      continue;
    }
    std::string const verdict = below == 0 ? "met" : fmt::format("missed in {} of {} cells", below, seen);
    fmt::print(to, "{:<74}{:>2}{:>5.2f}{:>8.2f}  {:<30} {}\n", t.text, sign, t.bound, extreme, name_of(*worst),
               verdict);
    missed += below == 0 ? 0 : 1;
  }
  return missed;
}

}  // namespace tally::bench
