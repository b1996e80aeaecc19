#include <fmt/format.h>
#include <getopt.h>
#include <hwy/highway.h>
#include <hwy/targets.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <regex>

#include "data_set.hpp"
#include "exact.hpp"
#include "modules.hpp"
#include "report.hpp"
#include "run_cell.hpp"
#include "tally_contenders.hpp"

namespace {

using namespace tally::bench;

struct settings {
  bool quick = false;
  bool list = false;
  bool all_contenders = false;
  std::string filter;
  std::string instructions;
  std::string json;
  std::string plots;
  std::string numpy;
  std::string commit;
};

struct extent {
  std::vector<element> types;
  std::vector<int> powers;
};

using enum element;
extent const full_extent{{f32, f64, i32, i64, i16, i8}, {10, 12, 14, 16, 18, 20, 22, 24, 26, 28}};
extent const quick_extent{{f32, i64}, {10, 14, 18, 22, 25}};

/// In cache up to half of the last cache: a larger working set does not stay there from one call to the next.
placement place_of(cell const& c, machine const& where)
{
  std::size_t const cache = std::max(where.l3_bytes, where.l2_bytes);
  return c.bytes() <= cache / 2 ? placement::cache : placement::memory;
}

/// Every cell of a run. Those of one type are consecutive, since they share a data set. Sizes too large for the memory
/// are left out.
std::vector<cell> all_cells(settings const& s, machine const& where)
{
  extent const& e = s.quick ? quick_extent : full_extent;
  std::regex const filter(s.filter);
  std::size_t const memory = available_memory();
  std::vector<cell> cells;
  using enum operation;
  for (element const type : e.types)
    for (operation const what : {inclusive_scan, exclusive_scan, reduce_sum, reduce_max})
      for (int const power : e.powers) {
        cell c{what, type, power, placement::memory, {}};
        c.data = place_of(c, where);
        if (!std::regex_search(name_of(c), filter)) continue;
        if (2 * c.n() * size_of(type) > memory / 10 * 8) {
          std::cerr << name_of(c) << ": left out, memory does not suffice\n";
          continue;
        }
        cells.push_back(c);
      }
  return cells;
}

/// Elements of a data set in which rotation leaves nothing in cache: eight times the last cache, or the largest size.
std::size_t elements_for(std::vector<cell> const& cells, element type, machine const& where)
{
  std::size_t elements = 0;
  for (cell const& c : cells)
    if (c.type == type) elements = std::max(elements, c.n());
  std::size_t const rotation = 8 * std::max(where.l3_bytes, where.l2_bytes) / size_of(type);
  while (elements < rotation) elements *= 2;
  return elements;
}

void measure(std::vector<cell>& cells, std::vector<contender> const& contenders, settings const& s,
             machine const& where)
{
  auto const start = std::chrono::steady_clock::now();
  bool const terminal = isatty(STDERR_FILENO) == 1;
  std::size_t done = 0;
  for (auto first = cells.begin(); first != cells.end();) {
    element const type = first->type;
    if (!terminal) std::fprintf(stderr, "%s ...\n", name_of(type));
    data_set const data(type, elements_for(cells, type, where));
    exact const results(data);
    for (; first != cells.end() && first->type == type; ++first) {
      ++done;
      if (terminal) std::fprintf(stderr, "\r%3zu of %zu  %-32s", done, cells.size(), name_of(*first).c_str());
      run_cell(*first, contenders, data, results, s.quick ? quick_effort : full_effort);
    }
  }
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::fprintf(stderr, "%s%zu cells in %.0f s%30s\n", terminal ? "\r" : "", cells.size(), seconds, "");
}

/// Restricts Tally to `widest`, as --instructions does the peers: Highway uses no wider set.
void restrict_highway(std::string const& widest)
{
#if defined(__x86_64__)
  if (widest == "avx2") hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
  if (widest == "sse4") hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL | HWY_AVX2);
#else
  (void)widest;
#endif
}

bool any_wrong(std::vector<cell> const& cells)
{
  bool wrong = false;
  for (cell const& c : cells)
    for (measurement const& m : c.measured) {
      if (!m.check.wrong) continue;
      std::cerr << name_of(c, m) << ": WRONG result, not timed\n";
      wrong = wrong || m.part != role::peer;
    }
  return wrong;
}

int run(settings const& s)
{
  restrict_highway(s.instructions);
  run_context context{this_machine(), {}, s.commit, {}, s.quick ? "quick" : "full"};
  std::vector<cell> cells = all_cells(s, context.where);
  if (s.list) {
    for (cell const& c : cells) std::cout << name_of(c) << '\n';
    return 0;
  }
  if (cells.empty()) throw std::runtime_error("no cell's name contains '" + s.filter + "'; --list prints the names");
  peer_modules peers = load_peers(s.instructions);
  context.instructions = peers.instructions;
  std::vector<contender> contenders;
  add_tally(contenders);
  contenders.insert(contenders.end(), peers.all.begin(), peers.all.end());

  measure(cells, contenders, s, context.where);
  if (!s.numpy.empty()) context.numpy = merge_numpy(s.numpy, cells);

  print_context(std::cout, context);
  if (s.all_contenders) print_contenders(std::cout, cells);
  print_table(std::cout, cells);
  print_targets(std::cout, context, cells);
  if (!s.json.empty()) write_json(s.json, context, cells);
  if (!s.plots.empty()) write_plots(s.plots, context, cells);
  return any_wrong(cells) ? 1 : 0;
}

constexpr char usage[] = R"(Usage: tally_bench [OPTION...]

Times Tally, its peers and the machine's limits side by side. scripts/bench builds and runs it.

  --quick              Two types, five sizes, fewer rounds: under a minute
  --list               Print the names of the cells and stop
  --all-contenders     Print every contender of every cell, not only the best peer
  --filter REGEX       Only cells whose name contains this regular expression, as in '^scan/plus/f32'
  --instructions NAME  The widest instruction set for Tally, peers and limits: avx512, avx2 or sse4
  --json FILE          Write everything to this file
  --plots FOLDER       Write gnuplot programs to this folder
  --numpy FILE         Add the figures of bench/numpy_peer.py from this file
  --commit COMMIT      The commit that was measured, for the record
  --help               Print this and stop
)";

/// Ends the program after --help, and after a word that is no option.
settings parse(int count, char** words)
{
  settings s;
  option const options[] = {{"quick", no_argument, nullptr, 'q'},
                            {"list", no_argument, nullptr, 'l'},
                            {"all-contenders", no_argument, nullptr, 'a'},
                            {"filter", required_argument, nullptr, 'f'},
                            {"instructions", required_argument, nullptr, 'i'},
                            {"json", required_argument, nullptr, 'j'},
                            {"plots", required_argument, nullptr, 'p'},
                            {"numpy", required_argument, nullptr, 'n'},
                            {"commit", required_argument, nullptr, 'c'},
                            {"help", no_argument, nullptr, 'h'},
                            {}};
  auto const refuse = [](std::string const& reason) {
    std::cerr << reason << "See tally_bench --help.\n";
    std::exit(2);
  };
  for (int found = 0; (found = getopt_long(count, words, "", options, nullptr)) != -1;) {
    switch (found) {
      case 'q': s.quick = true; break;
      case 'l': s.list = true; break;
      case 'a': s.all_contenders = true; break;
      case 'f': s.filter = optarg; break;
      case 'i': s.instructions = optarg; break;
      case 'j': s.json = optarg; break;
      case 'p': s.plots = optarg; break;
      case 'n': s.numpy = optarg; break;
      case 'c': s.commit = optarg; break;
      case 'h': std::cout << usage; std::exit(0);
      default: refuse("");  // getopt_long has said why
    }
  }
  if (optind < count) refuse("tally_bench: nothing is expected after the options\n");
  std::string const& widest = s.instructions;
  if (!widest.empty() && widest != "avx512" && widest != "avx2" && widest != "sse4")
    refuse("tally_bench: --instructions: there is no '" + widest + "'; choose one of avx512, avx2, sse4\n");
  return s;
}

}  // namespace

int main(int count, char** arguments)
try {
  return run(parse(count, arguments));
} catch (std::exception const& problem) {
  std::cerr << "tally_bench: " << problem.what() << '\n';
  return 1;
}
