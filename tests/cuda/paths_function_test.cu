// Every path on a GPU at every remainder (paths.cuh): elements from functions, results to functions, maps, teams.
#include "paths_kinds.cuh"
#include "tally/for_each.hpp"
#include "tally/teams.hpp"

namespace tally::test {
namespace {

struct from_function : from_function_kind<std::uint32_t, composing> {
  static constexpr char const* name = "four bytes from a function";
};
TEST(cuda_paths, from_a_function)
{
  expect_everywhere<from_function>();
}

struct to_function : to_function_kind<std::uint32_t, composing> {
  static constexpr char const* name = "four bytes to a function";
};
TEST(cuda_paths, to_a_function)
{
  expect_everywhere<to_function>();
}

struct striped_numbers : from_function_kind<std::uint32_t, exactly_composing> {
  static constexpr char const* name = "four bytes from a function, in any brackets";
};
TEST(cuda_paths, striped)
{
  expect_everywhere<striped_numbers>();
}

struct striped_wide : to_function_kind<wide_map<3>, exactly_composing> {
  static constexpr char const* name = "24 bytes to a function, in any brackets";
};
TEST(cuda_paths, striped_of_24_bytes)
{
  expect_everywhere<striped_wide>();
}

/// Bytes that a function makes truth values of, which are counted by votes.
struct is_set {
  std::uint8_t const* from;
  TALLY_HD bool operator()(std::size_t k) const { return from[k] != 0; }
};
struct votes : in_memory_kind<std::uint32_t, plus, std::uint8_t> {
  static constexpr char const* name = "truth values";
  static auto input(std::uint8_t const* at) { return elements_from(is_set{at}); }
  static std::uint8_t value(std::size_t k) { return mixed(k) % 3 != 0; }
};
TEST(cuda_paths, striped_of_truth_values)
{
  expect_everywhere<votes>();
}

using segment = numbered<std::uint32_t, std::uint32_t>;
struct segments : from_function_kind<segment, numbered_segments<exactly_composing>> {
  static constexpr char const* name = "numbered segments";
  static segment value(std::size_t k)
  {
    return {mixed(k) % 97 == 0 || (k > 300'000 && k < 400'000 && k % 3 == 0), map_at<std::uint32_t>(k)};
  }
  static segment init() { return {5, 77}; }
};
TEST(cuda_paths, striped_of_numbered_segments)
{
  expect_everywhere<segments>();
}

TALLY_HD std::uint32_t step_element(std::size_t k)
{
  return (static_cast<std::uint32_t>(k) * 2654435761u ^ static_cast<std::uint32_t>(k >> 5)) | 1;
}
/// Writes what is up to a step, if what is before it fits, and what it took is its own.
struct writing_steps {
  std::uint32_t* to;

  TALLY_HD std::uint64_t take(std::size_t k) const { return k + 3; }
  TALLY_HD void operator()(std::size_t k, std::uint32_t before, std::uint32_t upto, std::uint64_t taken) const
  {
    bool const fits = taken == k + 3 && (k == 0 || composed(before, step_element(k)) == upto);
    to[k] = fits ? upto : ~upto;
  }
  TALLY_HD void end(std::uint32_t) const {}
};
struct steps : from_function_kind<std::uint32_t, exactly_composing> {
  static constexpr char const* name = "steps";
  static auto output(std::uint32_t* at) { return detail::steps_to(writing_steps{at}); }
  static std::uint32_t value(std::size_t k) { return step_element(k); }
};
TEST(cuda_paths, striped_steps)
{
  expect_everywhere<steps>();
}

struct count_index {
  std::uint32_t* times;
  TALLY_HD void operator()(std::size_t k) const { detail::add_atomically(times + k, std::uint32_t{1}); }
};

/// Calls f(on, times) for every size, and looks whether each of the first n was counted once, and no other.
template <class F>
void expect_each_once(std::vector<std::size_t> const& sizes, F f)
{
  visits::instance();
  stream const on;
  cuda::workspace space;
  for (std::size_t const n : sizes) {
    device_array<std::uint32_t> const times(std::vector<std::uint32_t>(n + 64, 0));
    f(cuda{on, space}, n, times.begin());
    std::vector<std::uint32_t> const counted = times.values();
    for (std::size_t k = 0; k < counted.size(); ++k) ASSERT_EQ(counted[k], k < n ? 1u : 0u) << k << " of " << n;
  }
}

TEST(cuda_paths, of_maps)
{
  cuda_backend::tuning_in_use().processors = 1;  // eight blocks of 256
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n <= 600; ++n) sizes.push_back(n);
  for (std::size_t const at : {2048, 4096, 6144})
    for (std::size_t n = at - 257; n <= at + 257; n += n % 32 == 30 || n % 32 == 31 || n % 32 == 0 ? 1 : 5)
      sizes.push_back(n);
  expect_each_once(
      sizes, [](cuda const& on, std::size_t n, std::uint32_t* times) { for_each_index(on, n, count_index{times}); });
  cuda_backend::tuning_in_use() = {};
}

struct counting_team {
  static constexpr int team_size = 128;
  struct memory {
    std::uint32_t seen;
  };
  std::uint32_t* times;

  template <class Team>
  TALLY_HD void operator()(Team team, memory& own, std::size_t begin, std::size_t end) const
  {
    if (team.rank() == 0) own.seen = static_cast<std::uint32_t>(begin);
    team.wait();
    for (std::size_t k = own.seen + static_cast<std::size_t>(team.rank()); k < end;
         k += static_cast<std::size_t>(team.size()))
      detail::add_atomically(times + k, std::uint32_t{1});
  }
};

TEST(cuda_paths, of_teams)
{
  cuda_backend::tuning_in_use().processors = 1;
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n <= 40; ++n) sizes.push_back(n);
  for (std::size_t blocks = 1; blocks <= 40; ++blocks)
    for (std::size_t n = 100 * blocks - 1; n <= 100 * blocks + 1; ++n) sizes.push_back(n);
  expect_each_once(sizes, [](cuda const& on, std::size_t n, std::uint32_t* times) {
    for_each_block_by_team(on, n, 100, counting_team{times});
  });
  cuda_backend::tuning_in_use() = {};
}

}  // namespace
}  // namespace tally::test
