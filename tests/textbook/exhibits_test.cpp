// Every exhibit is wrong as it is meant to be, and its fix is right.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "textbook/exhibits.hpp"
#include "textbook/sources.hpp"

namespace tally::textbook {
namespace {

using model::fault;
using model::finding;

std::string unindented(std::string_view line)
{
  return std::string(line.substr(std::min(line.find_first_not_of(' '), line.size())));
}

/// An expected finding, the first of its kind at its line.
struct expected_finding {
  fault what;
  char const* line;
  int thread;
  int other = -1;  ///< thread
  char const* array = "";
  int index = 0;
  char const* other_line = "";
};

struct expected_exhibit {
  char const* name;
  bool wrong_result;
  std::vector<expected_finding> findings;  ///< some of them; if there are none, the machine finds none
};

std::vector<expected_exhibit> const expected = {
    {"reduction-without-barrier",
     true,
     {{fault::race, "if (t % stride == 0) partialSum[2 * t] = op(partialSum[2 * t], partialSum[2 * t + stride]);", 1, 0,
       "partialSum", 2,
       "if (t % stride == 0) partialSum[2 * t] = op(partialSum[2 * t], partialSum[2 * t + stride]);"}}},
    {"reduction-without-first-barrier",
     true,
     {{fault::unset_read, "if (t % stride == 0) partialSum[2 * t] = op(partialSum[2 * t], partialSum[2 * t + stride]);",
       0, -1, "partialSum", 1},
      {fault::race, "partialSum[t] = input[t];", 1, 0, "partialSum", 1,
       "if (t % stride == 0) partialSum[2 * t] = op(partialSum[2 * t], partialSum[2 * t + stride]);"}}},
    {"no-bounds-check", true, {{fault::out_of_range, "sdata[tid] = d_in[myId];", 6, -1, "input", 6}}},
    {"power-of-two-block",
     true,
     {{fault::lacks_element, "if (tid == 0) d_out[thread.block_index()] = sdata[0];", 0, -1, "sum", 0}}},
    {"out-of-order",
     true,
     {{fault::out_of_order, "if (tid == 0) d_out[thread.block_index()] = sdata[0];", 0, -1, "sum", 0}}},
    {"input-destroyed",
     true,
     {{fault::changes_input, "if (tid < s) d_in[myId] = op(d_in[myId], d_in[myId + s]);", 0, -1, "d_in", 0}}},
    {"comma-dim3",
     true,
     {{fault::lacks_element, "if (tid == 0) d_out[thread.block_index()] = sdata[0];", 0, -1, "d_out", 0}}},
    {"never-true-guard",
     false,
     {{fault::out_of_range, "f1[tid - 1] = myfun(right) * dx * 0.5F + myfun(left) * dx * 0.5F;", 0, -1, "f1", -1}}},
    {"negative-root",
     true,
     {{fault::not_a_number, "f1[tid] = myfun(right) * dx * 0.5F + myfun(left) * dx * 0.5F;", 0, -1, "f1", 0}}},
    {"threads-for-points",
     false,
     {{fault::out_of_range, "data[tid - 1] = (normal(right) + normal(left)) * dx * 0.5F;", 0, -1, "data", -1}}},
    {"in-place-sum",
     true,
     {{fault::race, "if (s <= t && t < n) x[t] = op(x[t - s], x[t]);", 2, 1, "x", 1,
       "if (s <= t && t < n) x[t] = op(x[t - s], x[t]);"}}},
    {"no-barrier-before-write",
     true,
     {{fault::race, "if (s <= t && t < n) in1 = XY[t - s];", 2, 1, "XY", 1,
       "if (s <= t && t < n) XY[t] = op(in1, XY[t]);"}}},
    {"no-barrier-before-read",
     false,
     {{fault::race, "if (s <= t && t < n) in1 = XY[t - s];", 3, 1, "XY", 1,
       "if (s <= t && t < n) XY[t] = op(in1, XY[t]);"}}},
    {"barrier-in-loop",
     false,
     {{fault::divergent_barrier, "co_await thread.barrier();", 1, 0, "", 0, "co_await thread.barrier();"}}},
    {"unset-tail",
     true,
     {{fault::unset_read, "if (stride <= t) in1 = XY[t - stride];", 7, -1, "XY", 6},
      {fault::unset_read, "if (stride <= t) XY[t] = op(in1, XY[t]);", 6, -1, "XY", 6}}},
    {"zero-for-identity", true, {{fault::not_identity, "if (t < n) Y[t] = XY[t];", 0, -1, "out", 0}}},
    {"no-barrier-after-load",
     true,
     {{fault::unset_read, "if (index < 2 * size) XY[index] = op(XY[index - stride], XY[index]);", 0, -1, "XY", 1},
      {fault::race, "XY[t] = X[t];", 1, 0, "XY", 1,
       "if (index < 2 * size) XY[index] = op(XY[index - stride], XY[index]);"},
      {fault::race, "if (index < 2 * size) XY[index] = op(XY[index - stride], XY[index]);", 2, 1, "XY", 5,
       "XY[t + size] = X[t + size];"}}},
    {"half-write-back", true, {{fault::unwritten, "if (i < n) Y[i] = XY[t];", 0, -1, "out", 4}}},
    {"children-swapped",
     true,
     {{fault::extra_element, "odata[2 * thid] = temp[2 * thid];", 0, -1, "odata", 0},
      {fault::lacks_element, "odata[2 * thid + 1] = temp[2 * thid + 1];", 1, -1, "odata", 3}}},
    {"compared-not-shifted", true, {{fault::out_of_range, "temp[ai] = temp[bi];", 0, -1, "temp", 15}}},
    {"endless-loop",
     true,
     {{fault::out_of_range, "if (thid < d) temp[bi] = op(temp[ai], temp[bi]);", 2, -1, "temp", 11},
      {fault::endless, "co_await thread.barrier();", 0}}},
    {"scan-of-six", true, {{fault::out_of_range, "E const left = temp[ai];", 0, -1, "temp", -1}}},
    {"padding-at-2048", true, {}},
    {"full-mask-shuffle",
     false,
     {{fault::absent_lane, "E const left = co_await thread.shuffle_up(sum, d, 0xffffffff);", 0, 4}}},
    {"return-before-barrier", false, {{fault::divergent_barrier, "co_await thread.barrier();", 0, 6}}},
    {"shift-across-blocks",
     true,
     {{fault::race, "if (i < n) temp[thid] = scan[i];", 3, 0, "scan", 3,
       "if (0 < i && i < n) scan[i - 1] = temp[thid];"}}},
    {"total-of-exclusive",
     true,
     {{fault::lacks_element, "block.each([&](int t) { totals[t] = scan[(t + 1) * section - 1]; });", 0, -1, "totals",
       0}}},
    {"sums-not-scanned",
     true,
     {{fault::lacks_element,
       "for (int k = begin + t; k < begin + section && k < n; k += block.size()) out[k] = op(before, out[k]);", 0, -1,
       "out", 8}}},
    {"update-block-zero", true, {{fault::not_identity, "if (k < n) out[k] = op(before, out[k]);", 0, -1, "out", 0}}},
    {"waits-by-index",
     true,
     {{fault::no_progress, "while (block.load_acquire(flags, own - 1) == 0) block.pause();", 0}}},
};

bool is_it(finding const& found, expected_finding const& e)
{
  return found.what == e.what && unindented(line_of(found.where.file, found.where.line)) == e.line &&
         found.thread == e.thread && found.other == e.other && found.array == e.array && found.index == e.index &&
         unindented(line_of(found.other_where.file, found.other_where.line)) == e.other_line;
}

std::string all_of(model::report const& counts)
{
  std::string text;
  for (finding const& each : counts.findings)
    text += each.text() + "\n  " + std::string(line_of(each.where.file, each.where.line)) + '\n';
  return text;
}

TEST(exhibits, are_those_expected_here_and_every_header_has_one)
{
  std::set<std::string> names, expected_names, headers, shown;
  for (exhibit const& each : all_exhibits()) {
    EXPECT_TRUE(names.emplace(each.name).second) << each.name;
    EXPECT_EQ(find_exhibit(each.name), &each);
    shown.emplace(each.wrong.header);
  }
  for (expected_exhibit const& each : expected) expected_names.emplace(each.name);
  EXPECT_EQ(names, expected_names);
  EXPECT_EQ(find_exhibit("none"), nullptr);
  for (source const& each : sources())
    EXPECT_TRUE(!each.header.starts_with("exhibits/") || shown.contains(std::string(each.header))) << each.header;
}

TEST(exhibits, are_found_out)
{
  for (expected_exhibit const& each : expected) {
    exhibit_run const run = find_exhibit(each.name)->run();
    EXPECT_EQ(run.wrong.result != run.expected, each.wrong_result) << each.name << ": " << run.wrong.result;
    auto const& all = run.wrong.counts.findings;
    EXPECT_EQ(all.empty(), each.findings.empty()) << each.name << '\n' << all_of(run.wrong.counts);
    EXPECT_TRUE(each.wrong_result || !all.empty()) << each.name << " is not wrong at all";
    // A cost is no fault, and a launch of one thread is not the kernel's.
    EXPECT_EQ(all.empty(), std::string(each.name) == "padding-at-2048");
    for (expected_finding const& e : each.findings)
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](finding const& found) { return is_it(found, e); }))
          << each.name << ": " << e.line << '\n'
          << all_of(run.wrong.counts);
    for (finding const& found : all)
      EXPECT_TRUE(std::any_of(each.findings.begin(), each.findings.end(),
                              [&](expected_finding const& e) { return e.what == found.what; }))
          << each.name << ": " << found.text();
  }
}

TEST(exhibits, have_fixes_that_are_right)
{
  for (exhibit const& each : all_exhibits()) {
    exhibit_run const run = each.run();
    EXPECT_EQ(run.fixed.result, run.expected) << each.name;
    EXPECT_TRUE(run.fixed.counts.clean()) << each.name << '\n' << all_of(run.fixed.counts);
  }
}

/// Results that tests and documents mention.
TEST(exhibits, show_what_comes_out)
{
  auto const wrong = [](char const* name) { return find_exhibit(name)->run().wrong.result; };
  EXPECT_EQ(wrong("out-of-order"), "?!");
  EXPECT_EQ(wrong("power-of-two-block"), "12");
  EXPECT_EQ(wrong("half-write-back"), "3 4 11 11 ? ? ? ?");
  EXPECT_EQ(wrong("zero-for-identity"), "0 0 0 0 0 0 0 0");
  EXPECT_EQ(wrong("total-of-exclusive"), "6 18");
  EXPECT_EQ(wrong("comma-dim3"), "1");
  EXPECT_EQ(wrong("padding-at-2048"), "511, at most 2 in a bank");
  EXPECT_EQ(find_exhibit("padding-at-2048")->run().expected, "476, at most 1 in a bank");
}

TEST(exhibits, have_their_lines)
{
  for (exhibit const& each : all_exhibits()) {
    EXPECT_GT(line_number(each.wrong, each.line), 0u) << each.name << ": " << each.line;
    numbered_lines const wrong = lines_of(each.wrong), fix = lines_of(each.fix);
    ASSERT_GE(fix.lines.size(), 3u) << each.name;
    ASSERT_GE(wrong.lines.size(), 3u) << each.name;
    EXPECT_TRUE(wrong.lines.back() == "};" && fix.lines.back() == "};") << each.name;
    EXPECT_EQ(line_of(each.fix.header, fix.first), fix.lines[0]);
    EXPECT_LT(fix.lines.size(), 50u) << each.name << ": to be looked at";
    bool const launches = each.name == "comma-dim3" || each.name == "sums-not-scanned";  // what is found is in a kernel
    if (launches) continue;
    for (finding const& found : each.run().wrong.counts.findings)
      EXPECT_NE(std::string_view(found.where.file).find(each.wrong.header), std::string_view::npos) << found.text();
  }
}

TEST(exhibits, excerpts_and_lines_that_are_not_there)
{
  EXPECT_EQ(lines_of({"none.hpp", "struct"}).first, 0u);
  EXPECT_EQ(lines_of({"hillis_steele.hpp", "struct none"}).first, 0u);
  EXPECT_EQ(line_number({"hillis_steele.hpp", "struct hillis_steele"}, "none"), 0u);
  EXPECT_EQ(line_number({"hillis_steele.hpp", "struct hillis_steele"}, "});"), 0u) << "twice";
  numbered_lines const scan = lines_of({"scan_scan_add.hpp", "struct add_to_sections"});
  EXPECT_EQ(scan.lines[0], "template <class Scan>");
  EXPECT_EQ(scan.lines[1], "struct add_to_sections {");
}

}  // namespace
}  // namespace tally::textbook
