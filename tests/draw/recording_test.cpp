// The recording of a run: the action of each thread, its values, and the places that operands came from.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runs.hpp"
#include "tally/operators.hpp"

namespace tally::test {
namespace {

using draw::recording;
using words = std::vector<std::string>;

/// "x[1] <- x[0] + x[1]" for each application of a phase.
words applications(recording const& run, draw::phase const& of)
{
  words all;
  for (draw::act const& one : of.acts)
    if (one.what == model::action::apply)
      all.push_back(run.name_of(one.at) + " <- " + run.name_of(one.left_at) + " + " + run.name_of(one.right_at));
  return all;
}

int number_of(recording const& run, std::string const& name)
{
  for (auto const& [number, each] : run.arrays())
    if (each.name == name) return number;
  return -1;
}

TEST(recording, operands_come_from_where_they_were_read_even_in_an_earlier_phase)
{
  recorded const kept = record("hillis-steele", std::vector{3, 1, 7, 0, 4, 1, 6, 3});
  std::vector<words> steps;
  for (draw::phase const& each : kept.run.phases())
    if (words const all = applications(kept.run, each); !all.empty()) steps.push_back(all);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].size(), 7U);
  EXPECT_EQ(steps[1].size(), 6U);
  EXPECT_EQ(steps[2],
            (words{"x[4] <- x[0] + x[4]", "x[5] <- x[1] + x[5]", "x[6] <- x[2] + x[6]", "x[7] <- x[3] + x[7]"}));
  EXPECT_EQ(kept.out, (words{"3", "4", "11", "11", "15", "16", "22", "25"}));
}

TEST(recording, arrays_are_known_after_every_phase)
{
  recorded const kept = record("hillis-steele", std::vector{3, 1, 7, 0});
  recording const& run = kept.run;
  int const x = number_of(run, "x"), in = number_of(run, "in"), out = number_of(run, "out");
  ASSERT_EQ(run.phases().size(), 6U);  // load; read and write at strides 1 and 2; store
  auto const first = [](words texts) { return words(texts.begin(), texts.begin() + 4); };
  EXPECT_EQ(first(run.texts_after(0, x)), (words{"3", "1", "7", "0"}));
  EXPECT_EQ(run.texts_after(0, x).back(), "") << "nobody sets it";
  EXPECT_EQ(first(run.texts_after(1, x)), (words{"3", "1", "7", "0"}));
  EXPECT_EQ(first(run.texts_after(2, x)), (words{"3", "4", "8", "7"}));
  EXPECT_EQ(first(run.texts_after(4, x)), (words{"3", "4", "11", "11"}));
  EXPECT_EQ(run.texts_after(4, in), (words{"3", "1", "7", "0"}));
  EXPECT_EQ(run.texts_after(4, out), words(4));
  EXPECT_EQ(run.texts_after(5, out), kept.out);
}

TEST(recording, threads_counts_and_places)
{
  recorded const kept = record("hillis-steele", std::vector{3, 1, 7, 0, 4, 1, 6, 3});
  draw::phase const& step = kept.run.phases()[2];
  EXPECT_EQ(step.kernel, "hillis_steele");
  EXPECT_EQ(step.threads, 32);
  EXPECT_EQ(step.active, 7);
  EXPECT_EQ(step.barriers, 2);
  EXPECT_TRUE(step.barrier);
  EXPECT_EQ(step.counts.steps, 1U);
  EXPECT_EQ(step.counts.warps.divergent, 1U);
  EXPECT_TRUE(std::string(step.where.file).ends_with("hillis_steele.hpp"));
  std::size_t wavefronts = 0;
  for (draw::request const& each : step.requests) wavefronts += static_cast<std::size_t>(each.wavefronts);
  EXPECT_EQ(wavefronts, step.counts.shared.wavefronts);
  ASSERT_EQ(step.requests.size(), 2U);
  EXPECT_EQ(step.requests[0].lanes, 7);
}

TEST(recording, values_are_inputs_constants_or_results)
{
  recorded const kept = record("hillis-steele-exclusive", std::vector{3, 1, 7, 0});
  recording const& run = kept.run;
  std::vector<std::string> written;
  for (draw::change const& each : run.phases()[0].changes) {
    bool const constant = run.origin_of(each.value) == recording::origin::constant;
    EXPECT_EQ(run.text_of(each.value), each.text);
    EXPECT_NE(run.origin_of(each.value), recording::origin::operation);
    written.push_back(each.text + (constant ? " constant" : ""));
  }
  EXPECT_EQ(written, (words{"0 constant", "3", "1", "7"}));
  for (draw::phase const& each : run.phases())
    for (draw::act const& one : each.acts)
      if (one.what == model::action::apply) {
        EXPECT_EQ(run.origin_of(one.value), recording::origin::operation);
        EXPECT_EQ(std::stoi(run.text_of(one.value)),
                  std::stoi(run.text_of(one.left)) + std::stoi(run.text_of(one.right)));
      }
}

/// Thread t adds its own value to that of thread t - 1; thread 0 adds the identity from the left.
struct neighbours {
  static constexpr char const* name = "neighbours";
  template <class Block, class In, class Op>
  void operator()(Block const& block, In in, Op const& op) const
  {
    using E = textbook::element_of<In>;
    auto own = block.template registers<E>();
    block.each([&](int t) { own[t] = in[t]; });
    auto const before = block.shuffle_up(own, 1);
    block.each([&](int t) { own[t] = t > 0 ? op(before[t], own[t]) : op(identity_of<E>(op), own[t]); });
  }
};

TEST(recording, a_shuffle_leads_to_another_threads_register_and_a_constant_has_its_text)
{
  recording run;
  model::machine on;
  on.watch_with(&run);
  auto const in = on.input(one_to(32), "in");
  on.launch(1, 32, neighbours{}, in, on.watch<int>(multiplies{}));
  std::vector<draw::act> applied;
  for (draw::phase const& each : run.phases())
    for (draw::act const& one : each.acts)
      if (one.what == model::action::apply) applied.push_back(one);
  ASSERT_EQ(applied.size(), 32U);
  EXPECT_EQ(run.origin_of(applied[0].left), recording::origin::constant);
  EXPECT_EQ(run.text_of(applied[0].left), "1");
  EXPECT_EQ(run.name_of(applied[5].left_at), "thread 4");
  EXPECT_EQ(run.name_of(applied[5].right_at), "in[5]");
  EXPECT_EQ(run.name_of(applied[5].at), "thread 5");
  EXPECT_EQ(run.text_of(applied[5].left), "5");
  EXPECT_EQ(run.text_of(applied[5].value), "30");
}

TEST(recording, what_the_host_combines_is_a_phase_of_its_own)
{
  recording run;
  model::machine on;
  on.watch_with(&run);
  auto const in = on.input(std::vector{3, 1, 7}, "in");
  auto const op = on.watch<int>(plus{});
  auto const here = on.to_host(in);
  auto const sum = op(op(here[0], here[1]), here[2]);
  EXPECT_EQ(sum.value, 11);
  ASSERT_EQ(run.phases().size(), 1U);
  EXPECT_TRUE(run.phases()[0].by_host());
  ASSERT_EQ(run.phases()[0].acts.size(), 2U);
  EXPECT_EQ(run.text_of(run.phases()[0].acts[1].left), "4");
  EXPECT_EQ(run.text_of(run.phases()[0].acts[1].value), "11");
}

TEST(recording, says_when_there_is_more_than_it_keeps)
{
  recording run(100);
  model::machine on;
  on.watch_with(&run);
  textbook::run(*textbook::find_kernel("hillis-steele"), on, one_to(64));
  EXPECT_FALSE(run.complete());
  EXPECT_TRUE(run.phases().empty()) << "the load has 128 acts";
  recording all;
  EXPECT_TRUE(all.complete());
}

}  // namespace
}  // namespace tally::test
