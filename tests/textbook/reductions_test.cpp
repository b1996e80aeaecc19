// The reductions: right for any n, in order where they keep it, with the counts of their formulas and the figures of the course.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tally/error.hpp"
#include "tally/textbook/global_reduction.hpp"
#include "tally/textbook/in_order_reduction.hpp"
#include "tally/textbook/interleaved_reduction.hpp"
#include "tally/textbook/sequential_addressing_reduction.hpp"
#include "tally/textbook/sequential_reduction.hpp"
#include "tally/textbook/totals_of_sections.hpp"
#include "tally/textbook/two_launch_reduction.hpp"
#include "tally/textbook/warp_shuffle_reduction.hpp"
#include "textbook/catalogue.hpp"

namespace tally::textbook {
namespace {

constexpr operation operations[] = {operation::sum, operation::product, operation::minimum, operation::maximum};

kernel_entry const& named(std::string_view name)
{
  kernel_entry const* const found = find_kernel(name);
  if (found == nullptr) throw std::logic_error("no kernel " + std::string(name));
  return *found;
}

std::vector<kernel_entry const*> all_reductions()
{
  std::vector<kernel_entry const*> all;
  for (kernel_entry const& each : catalogue())
    if (each.result == result_kind::reduction) all.push_back(&each);
  return all;
}

bool takes(kernel_entry const& kernel, int n)
{
  return kernel.most == 0 || n <= kernel.most;
}

/// All up to 300, and around powers of two up to 2^16.
std::vector<int> sizes()
{
  std::vector<int> all(300);
  std::iota(all.begin(), all.end(), 1);
  for (int p = 512; p <= 1 << 16; p *= 2) all.insert(all.end(), {p - 1, p, p + 1});
  return all;
}

/// Distinct, of both signs, and odd, so that no product of them is zero.
std::vector<int> distinct(int n)
{
  std::vector<int> values;
  for (int k = 0; k < n; ++k) values.push_back((k * 7919 % 1000003) * 2 - 700001);
  return values;
}

std::vector<letters> alphabet(int n)
{
  std::vector<letters> values;
  for (int k = 0; k < n; ++k) values.push_back({static_cast<short>(k), static_cast<short>(k)});
  return values;
}

template <class T, class Op>
T folded(std::vector<T> const& values, Op const& op)
{
  T sum = values.front();
  for (std::size_t k = 1; k < values.size(); ++k) sum = op(sum, values[k]);
  return sum;
}

std::size_t log2_up(int n)
{
  std::size_t steps = 0;
  while ((1 << steps) < n) ++steps;
  return steps;
}

template <class T>
T only(outcome const& result)
{
  auto const& values = std::get<std::vector<T>>(result.result);
  EXPECT_EQ(values.size(), 1u);
  return values.at(0);
}

/// The counts of a run on 0, 1, .. n - 1.
struct counted {
  counted(std::string_view kernel, int n) : counted(named(kernel), n) {}
  counted(kernel_entry const& kernel, int n)
  {
    std::vector<int> in(static_cast<std::size_t>(n));
    std::iota(in.begin(), in.end(), 0);
    run(kernel, on, in);
  }
  model::machine on;
  model::report const& counts = on.counts();
};

TEST(reductions, every_operation_and_size)
{
  for (kernel_entry const* kernel : all_reductions())
    for (int const n : sizes()) {
      if (!takes(*kernel, n)) continue;
      std::vector<int> const in = distinct(n);
      for (operation const op : operations) {
        if (n > 300 && op != operation::sum) continue;
        model::machine on;
        ASSERT_EQ(only<int>(run(*kernel, on, in, op)), folded(in, chosen<int>{op})) << kernel->name << ", n = " << n;
        ASSERT_TRUE(on.counts().clean()) << kernel->name << ", n = " << n << ": " << on.counts().findings[0].text();
      }
    }
}

TEST(reductions, counts_are_those_of_the_formulas)
{
  for (kernel_entry const* kernel : all_reductions())
    for (int const n : sizes()) {
      if (!takes(*kernel, n)) continue;
      counted const run(*kernel, n);
      ASSERT_EQ(run.on.operations().work(), kernel->work.value(n)) << kernel->name << ", n = " << n;
      ASSERT_EQ(run.counts.steps, kernel->steps.value(n)) << kernel->name << ", n = " << n;
      ASSERT_EQ(run.counts.barriers, kernel->barriers.value(n)) << kernel->name << ", n = " << n;
      ASSERT_EQ(run.on.operations().work(), static_cast<std::size_t>(n - 1)) << kernel->name;
    }
}

TEST(reductions, letters_keep_their_order)
{
  for (kernel_entry const* kernel : all_reductions()) {
    if (kernel->needs_commutative) continue;
    for (int const n : sizes()) {
      if (!takes(*kernel, n) || n > 32767) continue;
      model::machine on;
      ASSERT_EQ(only<letters>(run(*kernel, on, alphabet(n))), (letters{0, static_cast<short>(n - 1)}))
          << kernel->name << ", n = " << n;
    }
  }
}

TEST(reductions, those_that_change_the_order_refuse_letters)
{
  std::vector<std::string> refusing;
  for (kernel_entry const* kernel : all_reductions()) {
    if (!kernel->needs_commutative) continue;
    refusing.emplace_back(kernel->name);
    model::machine on;
    EXPECT_THROW(run(*kernel, on, alphabet(4)), usage_error) << kernel->name;
  }
  EXPECT_EQ(refusing, (std::vector<std::string>{"sequential-addressing-reduction", "global-reduction",
                                                "first-add-on-load-reduction", "grid-stride-reduction"}));
}

/// Says of itself what is not so.
struct join_that_claims_to_commute : join {
  static constexpr bool commutative = true;
};

TEST(reductions, what_an_operator_that_only_claims_to_commute_leads_to)
{
  auto const total = [](auto kernel, int n) {
    model::machine on;
    auto const out = on.allocate<model::traced<letters>>(1, "out");
    on.launch(1, 32, kernel, on.input(alphabet(n), "in"), out, n, on.watch<letters>(join_that_claims_to_commute{}));
    return on.values(out)[0];
  };
  EXPECT_EQ(total(totals_of_sections<sequential_addressing_reduction>{}, 2), (letters{0, 1}));
  for (int const n : {3, 4, 8, 64})
    EXPECT_EQ(total(totals_of_sections<sequential_addressing_reduction>{}, n).first, letters::broken) << n;
  for (int const n : {3, 4, 8, 64})
    EXPECT_EQ(total(totals_of_sections<in_order_reduction>{}, n), (letters{0, static_cast<short>(n - 1)})) << n;
}

TEST(reductions, blocks_in_any_order)
{
  using order = model::schedule::order;
  for (kernel_entry const* kernel : all_reductions()) {
    int const n = takes(*kernel, 10000) ? 10000 : 2000;
    std::vector<int> const in = distinct(n);
    for (model::schedule const by : {model::schedule{order::descending}, model::schedule{order::shuffled, 3}}) {
      model::machine on(by);
      EXPECT_EQ(only<int>(run(*kernel, on, in)), folded(in, plus{})) << kernel->name;
    }
  }
}

TEST(sequential_reduction, from_the_identity)
{
  for (int const n : {0, 1, 5}) {
    model::machine on;
    std::vector<int> const in = distinct(n);
    auto const out = on.allocate<model::traced<int>>(1, "out");
    on.launch(1, 32, sequential_reduction_from_identity{}, on.input(in, "in"), out, n, on.watch<int>(maximum{}));
    EXPECT_EQ(on.values(out)[0], std::accumulate(in.begin(), in.end(), maximum{}.identity<int>(), maximum{}));
    EXPECT_EQ(on.operations().work(), static_cast<std::size_t>(n)) << "one more than from the first element";
    EXPECT_TRUE(on.counts().clean());
  }
}

TEST(tree_reduction, steps_of_the_course)
{
  EXPECT_EQ(counted("tree-reduction", 2).counts.steps, 1u);
  EXPECT_EQ(counted("tree-reduction", 4).counts.steps, 2u);
  EXPECT_EQ(counted("tree-reduction", 8).counts.steps, 3u);
  EXPECT_EQ(counted("tree-reduction", 1024).counts.steps, 10u);
  EXPECT_EQ(counted("sequential-reduction", 1024).counts.steps, 1023u);
}

TEST(tree_reduction, of_a_million)
{
  counted const run("tree-reduction", 1'000'000);
  model::dag const& tree = run.on.operations();
  std::vector<std::size_t> const width = tree.width();
  EXPECT_EQ(run.counts.steps, 20u);
  EXPECT_EQ(tree.depth(), 20u);
  EXPECT_EQ(tree.work(), 999'999u);
  EXPECT_EQ(*std::max_element(width.begin(), width.end()), 500'000u);
  EXPECT_EQ(width.front(), 500'000u);
  EXPECT_EQ(width.back(), 1u);
  EXPECT_EQ(tree.work() / tree.depth(), 49'999u) << "average parallelism, about 50,000";
}

TEST(tree_reduction, one_to_ten)
{
  std::vector<int> in(10);
  std::iota(in.begin(), in.end(), 1);
  for (kernel_entry const* kernel : all_reductions()) {
    model::machine on;
    EXPECT_EQ(only<int>(run(*kernel, on, in)), 55) << kernel->name;
  }
}

TEST(tree_reduction, brackets_of_decimals_differ)
{
  // ((a + b) + c) + d rounds 1 off three times; (a + b) + (c + d) does so once.
  std::vector<float> const in = {16777216.0f, 1.0f, 1.0f, 1.0f};
  model::machine one, two;
  EXPECT_EQ(only<float>(run(named("sequential-reduction"), one, in)), 16777216.0f);
  EXPECT_EQ(only<float>(run(named("tree-reduction"), two, in)), 16777218.0f);
  EXPECT_EQ(one.operations().depth(), 3u);
  EXPECT_EQ(two.operations().depth(), 2u);
}

TEST(tree_reduction, depth_of_the_data_flow)
{
  for (std::string_view const kernel :
       {"tree-reduction", "interleaved-reduction", "sequential-addressing-reduction", "in-order-reduction",
        "padded-reduction", "first-add-on-load-reduction", "warp-shuffle-reduction", "global-reduction"})
    for (int const n : {1, 2, 3, 31, 32, 33, 100, 1023, 1024})
      EXPECT_EQ(counted(kernel, n).on.operations().depth(), log2_up(n)) << kernel << ", n = " << n;
}

void expect_figures(std::string_view kernel, std::size_t wavefronts, std::size_t ideal, int degree,
                    std::size_t warp_steps, std::size_t divergent)
{
  counted const run(kernel, 2048);
  EXPECT_EQ(run.counts.shared.wavefronts, wavefronts) << kernel;
  EXPECT_EQ(run.counts.shared.ideal, ideal) << kernel;
  EXPECT_EQ(run.counts.shared.worst_degree, degree) << kernel;
  EXPECT_EQ(run.counts.warps.steps, warp_steps) << kernel;
  EXPECT_EQ(run.counts.warps.divergent, divergent) << kernel;
}

TEST(reductions_in_shared_memory, figures_of_the_course)
{
  expect_figures("interleaved-reduction", 1149, 669, 2, 223, 191);
  expect_figures("sequential-addressing-reduction", 204, 204, 1, 68, 5);
}

TEST(reductions_in_shared_memory, order_costs_conflicts_and_gaps_take_them_away)
{
  expect_figures("in-order-reduction", 1149, 204, 32, 68, 5);
  expect_figures("padded-reduction", 204, 204, 1, 68, 5);
}

/// The elements of x that are set, after each phase of a block.
class contents final : public model::observer {
public:
  void see(model::machine const& on, model::phase const&) override
  {
    for (auto const& array : on.arrays()) {
      if (array == nullptr || array->name() != "x") continue;
      std::string text;
      for (std::size_t k = 0; k < array->size() && array->is_set(k); ++k) text += array->text(k) + " ";
      seen.push_back(text);
    }
  }
  std::vector<std::string> seen;
};

TEST(sequential_addressing_reduction, the_example_of_four_threads)
{
  model::machine on;
  contents x;
  on.watch_with(&x);
  EXPECT_EQ(only<int>(run(named("sequential-addressing-reduction"), on, std::vector<int>{3, 1, 7, 0, 4, 1, 6, 3})), 25);
  std::vector<std::string> const expected = {"3 1 7 0 4 1 6 3 ", "7 2 13 3 4 1 6 3 ", "20 5 13 3 4 1 6 3 ",
                                             "25 5 13 3 4 1 6 3 ", "25 5 13 3 4 1 6 3 "};
  EXPECT_EQ(x.seen, expected);
}

/// interleaved_reduction with a barrier after the load, or after each step, or not.
template <bool AfterLoad, bool AfterStep>
struct with_barriers {
  static constexpr char const* name = "with_barriers";

  template <block Block, class In, class Out, class Op>
  void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    auto x = block.template shared<element_of<In>>(n, "x");
    auto const load = [&](int t) {
      for (int k = t; k < n; k += block.size()) x[k] = in[k];
    };
    if constexpr (AfterLoad)
      block.step(load);
    else
      block.each(load);
    for (int s = 1; s < n; s *= 2) {
      auto const add = [&](int t) {
        if (t % s == 0 && 2 * t + s < n) x[2 * t] = op(x[2 * t], x[2 * t + s]);
      };
      if constexpr (AfterStep)
        block.step(add);
      else
        block.each(add);
    }
    block.each([&](int t) {
      if (t == 0) out[0] = x[0];
    });
  }
};

template <class Kernel>
std::vector<model::finding> findings_of(Kernel const& kernel, int n)
{
  model::machine on;
  on.launch(1, threads_for<interleaved_reduction>(n), kernel, on.input(distinct(n), "in"),
            on.allocate<model::traced<int>>(1, "out"), n, on.watch<int>(plus{}));
  return on.counts().findings;
}

TEST(interleaved_reduction, needs_both_barriers)
{
  EXPECT_TRUE(findings_of(with_barriers<true, true>{}, 2048).empty());
  for (int const n : {4, 8, 100, 2048}) {
    for (auto const& findings :
         {findings_of(with_barriers<false, true>{}, n), findings_of(with_barriers<true, false>{}, n)}) {
      ASSERT_FALSE(findings.empty()) << n;
      EXPECT_EQ(findings[0].what, model::fault::race);
      EXPECT_EQ(findings[0].array, "x");
      EXPECT_EQ(findings[0].kernel, "with_barriers");
      EXPECT_NE(findings[0].thread, findings[0].other);
    }
  }
}

/// The global traffic of each phase.
class traffic final : public model::observer {
public:
  void see(model::machine const&, model::phase const& ended) override { phases.push_back(ended.counts.global); }
  std::vector<model::global_counts> phases;
};

TEST(global_reduction, traffic_of_its_steps)
{
  model::machine on;
  traffic of;
  on.watch_with(&of);
  auto const in = on.input(distinct(2048), "in");
  auto const out = on.allocate<model::traced<int>>(1, "out");
  on.launch(1, 1024, global_reduction{}, in, out, 2048, on.watch<int>(plus{}));
  EXPECT_EQ(on.values(out)[0], folded(distinct(2048), plus{}));
  ASSERT_EQ(of.phases.size(), 12u);
  std::size_t left = 2048;
  for (std::size_t k = 0; k < 11; ++k, left /= 2) {
    EXPECT_EQ(of.phases[k].reads, left);
    EXPECT_EQ(of.phases[k].writes, left / 2);
  }
  EXPECT_EQ(on.counts().global.reads, 2u * 2047 + 1) << "with the total's";
  EXPECT_EQ(on.counts().global.writes, 2047u + 1);
  EXPECT_NE(on.values(in), distinct(2048)) << "it destroys its input";
}

TEST(global_reduction, against_shared_memory)
{
  // The copy that it works on: n reads and n writes more.
  for (int const size : {1, 2, 300, 1024}) {
    auto const n = static_cast<std::size_t>(size);
    counted const global("global-reduction", size), shared("two-launch-reduction", size);
    EXPECT_EQ(global.counts.global.reads, n + 2 * (n - 1) + 1);
    EXPECT_EQ(global.counts.global.writes, n + (n - 1) + 1);
    EXPECT_EQ(shared.counts.global.reads, n);
    EXPECT_EQ(shared.counts.global.writes, 1u);
    EXPECT_EQ(global.counts.shared.reads, 0u);
  }
}

TEST(global_reduction, as_it_is_run_leaves_its_input)
{
  model::machine on;
  std::vector<int> const in = distinct(3000);
  auto const from = on.input(in, "in");
  auto const to = on.allocate<model::traced<int>>(1, "out");
  on_a_copy<two_launch_reduction<global_reduction, 512>>{}(on, from, to, 3000, on.watch<int>(plus{}));
  EXPECT_EQ(on.values(from), in);
  EXPECT_EQ(on.values(to)[0], folded(in, plus{}));
}

TEST(first_add_on_load_reduction, spares_the_widest_step_in_shared_memory)
{
  // 204 without the 32 warps' two reads and a write, in 36 warp-steps instead of 68.
  expect_figures("first-add-on-load-reduction", 108, 108, 1, 36, 5);
  EXPECT_EQ(counted("first-add-on-load-reduction", 2048).counts.shared_in_transfers.writes, 1024u);
}

TEST(two_launch_reduction, two_stages_of_1024)
{
  for (std::string_view const kernel : {"two-launch-reduction", "warp-shuffle-reduction"}) {
    model::machine on;
    EXPECT_EQ(only<float>(run(named(kernel), on, std::vector<float>(1 << 20, 1.0f))), 1048576.0f);
    EXPECT_EQ(on.counts().launches, 2);
    EXPECT_EQ(on.counts().steps, 20u);
    EXPECT_EQ(on.counts().global.reads, (1u << 20) + 1024u);
    EXPECT_EQ(on.counts().global.writes, 1025u);
  }
}

TEST(two_launch_reduction, more_than_two_launches)
{
  for (int const n : {64, 65, 4096, 4097, 10000}) {
    model::machine on;
    auto const out = on.allocate<model::traced<letters>>(1, "out");
    two_launch_reduction<totals_of_sections<in_order_reduction>, 32>{}(on, on.input(alphabet(n), "in"), out, n,
                                                                       on.watch<letters>(join{}));
    EXPECT_EQ(on.values(out)[0], (letters{0, static_cast<short>(n - 1)}));
    EXPECT_EQ(on.counts().launches, n <= 64 ? 1 : n <= 4096 ? 2 : 3);
    EXPECT_TRUE(on.counts().clean());
  }
}

TEST(host_finished_reduction, what_the_host_does)
{
  for (int const n : {1024, 1025, 10000}) {
    counted const run("host-finished-reduction", n);
    std::size_t const sections = static_cast<std::size_t>(n + 1023) / 1024;
    EXPECT_EQ(run.counts.steps, 10u) << "the host's are not counted";
    EXPECT_EQ(run.on.operations().work(), static_cast<std::size_t>(n - 1));
    EXPECT_EQ(run.on.operations().depth(), 10 + sections - 1) << "but there they are";
  }
}

TEST(many_elements_reduction, sectors_against_a_grid_stride)
{
  std::size_t const n = 1 << 16;
  counted const consecutive("many-elements-reduction", n), strided("grid-stride-reduction", n);
  std::size_t const totals = n / 2048;
  EXPECT_EQ(strided.counts.global.reads, n + totals);
  EXPECT_EQ(consecutive.counts.global.reads, n + totals);
  EXPECT_EQ(strided.counts.global.sectors_read, (n + totals) / 8) << "of 8 elements each, and each once";
  // A lane's eight elements are one sector, which it asks for eight times.
  EXPECT_EQ(consecutive.counts.global.sectors_read, n + totals);
}

TEST(warp_shuffle_reduction, any_block_of_whole_warps)
{
  for (int threads = 32; threads <= 1024; threads += 32)
    for (int const n : {1, threads - 1, threads, threads + 1, 2 * threads + 33}) {
      int const blocks = divide_up(n, threads);
      model::machine on;
      auto const out = on.allocate<model::traced<letters>>(static_cast<std::size_t>(blocks), "out");
      on.launch(blocks, threads, warp_shuffle_reduction{}, on.input(alphabet(n), "in"), out, n,
                on.watch<letters>(join{}));
      for (int b = 0; b < blocks; ++b)
        ASSERT_EQ(on.values(out)[static_cast<std::size_t>(b)],
                  (letters{static_cast<short>(b * threads), static_cast<short>(std::min(n, (b + 1) * threads) - 1)}))
            << threads << " threads, n = " << n;
      ASSERT_EQ(on.counts().barriers, 1u);
      ASSERT_TRUE(on.counts().clean()) << on.counts().findings[0].text();
    }
}

TEST(warp_shuffle_reduction, shared_memory_is_for_the_totals_of_warps)
{
  counted const run("warp-shuffle-reduction", 1024);
  EXPECT_EQ(run.counts.shared.writes, 32u);
  EXPECT_EQ(run.counts.shared.reads, 32u);
  EXPECT_EQ(run.counts.barriers, 1u);
}

}  // namespace
}  // namespace tally::textbook
