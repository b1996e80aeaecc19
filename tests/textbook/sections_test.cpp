// Block scans on the sections of a longer array, of any number of threads, on the model machine and on plain pointers.
#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "plain_block.hpp"
#include "scan_oracle.hpp"
#include "tally/textbook/blelloch_padded.hpp"
#include "tally/textbook/blelloch_padded_twice.hpp"
#include "tally/textbook/brent_kung_exclusive.hpp"
#include "tally/textbook/hillis_steele_exclusive.hpp"
#include "tally/textbook/hillis_steele_two_buffers.hpp"
#include "tally/textbook/one_thread_per_output.hpp"
#include "tally/textbook/sequential_scan.hpp"
#include "tally/textbook/sklansky.hpp"
#include "tally/textbook/warp_shuffle_scan.hpp"
#include "watching.hpp"

namespace tally::textbook {
namespace {

using E = model::traced<letters>;

template <class Kernel>
constexpr bool begins_with_the_element_before =
    std::is_same_v<Kernel, hillis_steele_exclusive> || std::is_same_v<Kernel, brent_kung_exclusive>;
template <class Kernel>
constexpr bool is_exclusive_scan = requires { requires Kernel::exclusive; };

/// The result of sections of `section` elements on the alphabet: each is scanned by itself; shifted ones begin with the
/// element before them.
template <class Kernel>
std::vector<letters> expected(int n, int section)
{
  std::vector<letters> const in = alphabet(n);
  std::vector<letters> moved = {join::empty}, result;
  moved.insert(moved.end(), in.begin(), in.end() - 1);
  std::vector<letters> const& from = begins_with_the_element_before<Kernel> ? moved : in;
  result_kind const kind = is_exclusive_scan<Kernel> ? result_kind::exclusive_scan : result_kind::inclusive_scan;
  for (int begin = 0; begin < n; begin += section) {
    std::vector<letters> const part(from.begin() + begin, from.begin() + std::min(n, begin + section));
    std::vector<letters> const scan = scanned(part, join{}, kind);
    result.insert(result.end(), scan.begin(), scan.end());
  }
  return result;
}

/// scan_of_sections<Scan>, with whether Scan is exclusive.
template <class Scan>
struct sections_of : scan_of_sections<Scan> {
  static constexpr bool exclusive = requires { requires Scan::exclusive; };
};

template <class Kernel>
class sections : public testing::Test {};
using kernels =
    testing::Types<sections_of<sequential_scan>, sections_of<one_thread_per_output>, sections_of<hillis_steele>,
                   sections_of<hillis_steele_two_buffers>, hillis_steele_exclusive, sections_of<kogge_stone>,
                   sections_of<sklansky>, sections_of<brent_kung>, brent_kung_exclusive, sections_of<blelloch>,
                   sections_of<blelloch_padded>, sections_of<blelloch_padded_twice>, sections_of<warp_shuffle_scan>>;
class kernel_names {
public:
  template <class Kernel>
  static std::string GetName(int)
  {
    return Kernel::name;
  }
};
TYPED_TEST_SUITE(sections, kernels, kernel_names);

TYPED_TEST(sections, of_many_blocks_with_a_short_one_at_the_end)
{
  for (int const threads : {32, 96, 128, 1024})
    for (int const n : {1, 31, 64, 65, 191, 192, 193, 1000, 2049}) {
      SCOPED_TRACE(testing::Message() << n << " elements, blocks of " << threads);
      int const section = threads * TypeParam::elements_a_thread;
      model::machine on;
      auto const in = on.input(alphabet(n), "in");
      auto const out = on.allocate<E>(static_cast<std::size_t>(n), "out");
      write_counter writes("out", n);
      on.watch_with(&writes);
      on.launch(divide_up(n, section), threads, TypeParam{}, in, out, n, on.watch<letters>(join{}));
      ASSERT_EQ(on.values(out), expected<TypeParam>(n, section));
      ASSERT_EQ(writes.times, std::vector<int>(static_cast<std::size_t>(n), 1));
      ASSERT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
    }
}

TYPED_TEST(sections, of_plain_pointers)
{
  for (int const threads : {32, 96, 256})
    for (int const n : {1, 2, 33, 64, 100, 300, 1000}) {
      SCOPED_TRACE(testing::Message() << n << " elements, blocks of " << threads);
      int const section = threads * TypeParam::elements_a_thread, blocks = divide_up(n, section);
      std::vector<letters> const in = alphabet(n);
      std::vector<letters> out(in.size(), letters{letters::broken, 7});
      for (int b = 0; b < blocks; ++b) TypeParam{}(plain_block(threads, b, blocks), in.data(), out.data(), n, join{});
      ASSERT_EQ(out, expected<TypeParam>(n, section));
    }
}

/// The identities in x after the load.
class identities : public model::observer {
public:
  void see(model::machine const& on, model::phase const& ended) override
  {
    if (ended.number != 0) return;
    for (auto const& array : on.arrays())
      if (array != nullptr && array->name() == "x")
        for (std::size_t k = 0; k < array->size(); ++k)
          if (array->is_set(k) && array->text(k) == to_text(join::empty))
            places.push_back({ended.block, static_cast<int>(k)});
  }
  std::vector<std::pair<int, int>> places;  // block, element
};

TEST(shifted_sections, have_one_identity_in_the_whole_array)
{
  auto const places = [](auto const& kernel) {
    model::machine on;
    identities seen;
    on.watch_with(&seen);
    auto const in = on.input(alphabet(200), "in");
    auto const out = on.allocate<E>(200, "out");
    on.launch(4, 32, kernel, in, out, 200, on.watch<letters>(join{}));
    return seen.places;
  };
  std::vector<std::pair<int, int>> const first = {{0, 0}};
  EXPECT_EQ(places(brent_kung_exclusive{}), first);
  EXPECT_EQ(places(scan_of_sections<shifted<sklansky>>{}), first);
}

/// Stores the total that blelloch returns.
struct totals {
  static constexpr char const* name = "totals";
  template <class Block, class In, class Out, class Op>
  void operator()(Block const& block, In in, Out out, int n, Op op) const
  {
    auto x = room_for_section<blelloch_padded, element_of<In>>(block);
    load_section<blelloch_padded>(block, in, x, n, op);
    auto total = blelloch_padded{}(block, x, n, op);
    block.step([&](int t) {
      if (t == 0) out[0] = total[t];
    });
  }
};

TEST(blelloch, gives_the_total_of_all_elements)
{
  for (int const n : {1, 2, 3, 32, 33, 64, 100}) {
    model::machine on;
    auto const out = on.allocate<E>(1, "out");
    on.launch(1, 64, totals{}, on.input(alphabet(n), "in"), out, n, on.watch<letters>(join{}));
    EXPECT_EQ(on.values(out).front(), (letters{0, static_cast<short>(n - 1)}));
    EXPECT_TRUE(on.counts().clean());
  }
}

TEST(power_of_two, to_and_from)
{
  for (int n = 1; n < 5000; ++n) {
    EXPECT_TRUE(power_of_two_to(n) <= n && n < 2 * power_of_two_to(n));
    EXPECT_TRUE(n <= power_of_two_from(n) && power_of_two_from(n) < 2 * n);
  }
  EXPECT_EQ(power_of_two_to(0), 0);
}

}  // namespace
}  // namespace tally::textbook
