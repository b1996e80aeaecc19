// Every path on a GPU at every remainder (paths.cuh): floats and halves, whose sums are rounded.
#include "../order/reference.hpp"
#include "paths_kinds.cuh"

namespace tally::test {
namespace {

/// Rounded: the order's reference says what the first tiles have, and the CPU, if it agrees there, what all have.
template <class T>
struct rounded : in_memory_kind<T, plus> {
  static T value(std::size_t k) { return static_cast<T>(value_at<float>(k)); }
  static T init() { return static_cast<T>(-3.3f); }
  static std::vector<T> expected(std::vector<T> const& x, std::optional<T> const& init)
  {
    std::vector<T> result(x.size());
    if (init)
      inclusive_scan(cpu{}, x.begin(), x.end(), result.begin(), plus{}, *init);
    else
      inclusive_scan(cpu{}, x.begin(), x.end(), result.begin());
    std::size_t const some = std::min(x.size(), 34 * order::tile<T>);
    std::vector<T> const first(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(some));
    std::vector<T> const right = reference::scan(first, plus{}, init).inclusive;
    if (std::memcmp(right.data(), result.data(), right.size() * sizeof(T)) != 0)
      ADD_FAILURE() << "the CPU and the reference differ";
    return result;
  }
};
struct floats : rounded<float> {
  static constexpr char const* name = "floats";
};
TEST(cuda_paths, of_floats)
{
  expect_everywhere<floats>();
}
struct halves : rounded<half> {
  static constexpr char const* name = "halves";
};
TEST(cuda_paths, of_halves)
{
  expect_everywhere<halves>();
}

}  // namespace
}  // namespace tally::test
