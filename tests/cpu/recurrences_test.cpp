// Linear recurrences by the compiled kernels: each has the bits of the order's reference on it alone, wherever it lies,
// on every path, at every length, for every instruction set.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../order/recurrence_reference.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/instruction_sets.hpp"
#include "../support/sizes.hpp"
#include "../support/tuning.hpp"
#include "../support/visits.hpp"
#include "tally/detail/backends.hpp"

namespace tally::test {
namespace {

using detail::batch::ends;
using detail::batch::layout;

[[maybe_unused]] testing::Environment* const counted =
    testing::AddGlobalTestEnvironment(new visits({"src/cpu/recurrence"}, {"src/cpu/recurrence/gradient.cpp"}));

/// The kinds of elements: ordinary ones; many zeros of both signs; growth beyond all numbers; states beyond them in the
/// maps alone; an infinity and a NaN among ordinary ones; and those of which a part is left after all steps.
enum class kind { ordinary, zeros, growth, pulled_back, odd, steady };
inline constexpr kind kinds[] = {kind::ordinary, kind::zeros, kind::growth, kind::pulled_back, kind::odd, kind::steady};

template <class T>
T fraction(std::uint64_t a, std::uint64_t b)
{
  return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(random_bits(a, b))) * 0x1p-63);
}

/// Coefficient k of sequence s.
template <class T>
T coefficient(kind what, std::size_t s, std::size_t k)
{
  if constexpr (sizeof(T) == 2) {
    return static_cast<T>(coefficient<float>(what, s, k));
  } else {
    T const x = fraction<T>(31 + s, k);
    switch (what) {
      case kind::ordinary: return x * T(1.25);
      case kind::zeros: return static_cast<T>(std::lround(x * 2)) * (x < 0 ? T(1) : T(-1));
      case kind::growth: return T(1.2) + x / 8;
      case kind::pulled_back: return k % 300 < 200 ? T(4) : k % 300 == 200 ? T(0) : x;
      case kind::odd: return k == 400 + 150 * s ? std::numeric_limits<T>::infinity() : x;
      case kind::steady: return k % 64 == 5 ? T(-0.999) : 1 - std::abs(x) / 1024;
    }
    return x;
  }
}
template <class T>
T term(kind what, std::size_t s, std::size_t k)
{
  if constexpr (sizeof(T) == 2) {
    return static_cast<T>(term<float>(what, s, k));
  } else {
    T const x = fraction<T>(977 + s, k);
    switch (what) {
      case kind::zeros: return x < T(-0.5) ? T(-0.0) : x < T(0.5) ? T(0) : x;
      case kind::pulled_back: return k % 300 < 200 ? T(0) : x;
      case kind::odd: return k == 700 + 200 * s ? std::numeric_limits<T>::quiet_NaN() : x;
      default: return x;
    }
  }
}
template <class T>
T state_before(kind what, std::size_t s)
{
  return what == kind::pulled_back ? T(0.0f) : static_cast<T>(static_cast<float>(static_cast<int>(s % 5) - 2));
}

/// One of the arrays: its coefficients may be those of sequence 0, or of step 0.
struct coefficients {
  bool of_each_sequence = true;
  bool of_each_step = true;

  template <class T>
  T at(kind what, std::size_t s, std::size_t k) const
  {
    return coefficient<T>(what, of_each_sequence ? s : 0, of_each_step ? k : 3);
  }
};

/// The states of sequence s that begin with the one before sequence `from`, as docs/order.md says it of recurrences.
template <class T>
std::vector<T> const& expected(kind what, coefficients const& those, std::size_t s, std::size_t from, std::size_t n)
{
  static std::map<std::tuple<kind, bool, bool, std::size_t, std::size_t>, std::vector<T>> all;
  std::vector<T>& known = all[{what, those.of_each_sequence, those.of_each_step, s, from}];
  if (known.size() >= n) return known;
  n = std::max<std::size_t>(n, 700);
  std::vector<T> a(n), b(n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = those.at<T>(what, s, k);
    b[k] = term<T>(what, s, k);
  }
  known = reference::recurrence<T>(a, b, state_before<T>(what, from));
  return known;
}

struct call {
  std::size_t size;
  std::size_t count;  // sequences
  enum class place { rows, reversed_rows, strided_rows, columns, reversed_columns } where;
  kind what;
  coefficients those;
  enum class replaced { nothing, a, b } replaces;
  bool each;        // an initial value of its own for each sequence, and last values
  bool one_number;  // one number as the coefficients of all steps, instead of an array
  std::size_t padding, offset;
  int threads;
};

std::string described(call const& c)
{
  std::string text;
  for (std::size_t const x :
       {c.size, c.count, static_cast<std::size_t>(c.where), static_cast<std::size_t>(c.what),
        std::size_t{c.those.of_each_sequence}, std::size_t{c.those.of_each_step}, static_cast<std::size_t>(c.replaces),
        std::size_t{c.each}, std::size_t{c.one_number}, c.padding, c.offset, static_cast<std::size_t>(c.threads)})
    text += std::to_string(x) + " ";
  return "size count where kind sequence step replaces each number padding offset threads: " + text;
}

/// Memory that begins at the start of a line, so that the offset of a call alone decides whether lines are whole.
template <class T>
struct from_a_line {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  from_a_line() = default;
  template <class U>
  from_a_line(from_a_line<U> const&)
  {
  }
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, line); }
  bool operator==(from_a_line const&) const = default;
};

template <class T>
void expect_right(call c)
{
  SCOPED_TRACE(described(c));
  using enum call::place;
  bool const by_row = c.where == rows || c.where == reversed_rows || c.where == strided_rows;
  auto const stride = static_cast<std::ptrdiff_t>(c.where == strided_rows ? 3 : 1);
  auto const n = static_cast<std::ptrdiff_t>(c.size), m = static_cast<std::ptrdiff_t>(c.count);
  auto const pad = static_cast<std::ptrdiff_t>(c.padding);
  std::ptrdiff_t along = by_row ? stride : m + pad, across = by_row ? n * stride + pad : 1;
  std::ptrdiff_t first = static_cast<std::ptrdiff_t>(c.offset);
  if (c.where == reversed_rows || c.where == reversed_columns) {
    first += (n - 1) * along;
    along = -along;
  }
  std::size_t const elements =
      c.offset + static_cast<std::size_t>(by_row ? m * across : n * along * (along < 0 ? -1 : 1)) + 80;
  T const poison = static_cast<T>(-12345.0f);
  using lines = std::vector<T, from_a_line<T>>;
  lines a(elements, poison), b(elements, poison), results(elements, poison);
  std::vector<T> befores(c.count), lasts(c.count);
  auto const place = [&](std::size_t s, std::size_t k) {
    return static_cast<std::size_t>(first + static_cast<std::ptrdiff_t>(s) * across +
                                    static_cast<std::ptrdiff_t>(k) * along);
  };
  bool const whole = c.those.of_each_sequence && c.those.of_each_step;
  if (!whole && c.replaces == call::replaced::a) c.replaces = call::replaced::b;
  for (std::size_t s = 0; s < c.count; ++s) {
    befores[s] = state_before<T>(c.what, s);
    for (std::size_t k = 0; k < c.size; ++k) {
      a[place(s, k)] = c.those.at<T>(c.what, s, k);
      b[place(s, k)] = term<T>(c.what, s, k);
    }
  }
  layout where;
  where.along = {c.size, {along, along, 0, 0, c.those.of_each_step ? along : 0}};
  if (c.count > 1) {
    where.dimensions = 1;
    where.across[0] = {c.count, {across, across, 1, 1, c.those.of_each_sequence ? across : 0}};
  }
  lines& to = c.replaces == call::replaced::a ? a : c.replaces == call::replaced::b ? b : results;
  lines untouched = to;
  ends<T> those;
  if (c.each) {
    those.initials = befores.data();
    those.lasts = lasts.data();
  } else {
    those.initial = befores[0];
  }
  T const* const b_first = b.data() + first;
  T* const out_first = to.data() + first;
  if (c.one_number && !c.those.of_each_sequence && !c.those.of_each_step)
    detail::backend_recur_sequences<T>(cpu{c.threads}, where, detail::recurrence::constant<T>{a[place(0, 0)]}, b_first,
                                       out_first, those);
  else
    detail::backend_recur_sequences<T>(cpu{c.threads}, where, static_cast<T const*>(a.data() + first), b_first,
                                       out_first, those);
  for (std::size_t s = 0; s < c.count; ++s) {
    std::vector<T> const& states = expected<T>(c.what, c.those, s, c.each ? s : 0, c.size);
    for (std::size_t k = 0; k < c.size; ++k) {
      ASSERT_TRUE(same(to[place(s, k)], states[k]))
          << "state " << k << " of " << s << ": " << shown(to[place(s, k)]) << " instead of " << shown(states[k]);
      untouched[place(s, k)] = to[place(s, k)];
    }
    if (c.each) {
      ASSERT_TRUE(same(lasts[s], states[c.size - 1])) << "last of " << s;
    }
  }
  for (std::size_t k = 0; k < elements; ++k) ASSERT_TRUE(same(untouched[k], to[k])) << "element " << k;
}

template <class T>
void draw_calls(std::uint64_t seed, std::size_t calls, std::size_t most_size, std::size_t most_count)
{
  for (std::size_t i = 0; i < calls; ++i) {
    auto draw = [&, j = std::uint64_t{0}](std::size_t below) mutable {
      return static_cast<std::size_t>((random_bits(seed + i, ++j) >> 20) % below);
    };
    call c{};
    c.size = 1 + (draw(2) == 0 ? draw(most_size) : draw(std::min<std::size_t>(most_size, 80)));
    c.count = 1 + draw(2) * draw(most_count);
    c.where = static_cast<call::place>(draw(5));
    c.what = kinds[draw(5)];
    if (c.size < 400 && draw(8) == 0) {  // whole lines of memory, in half of the cases
      c.count = 16 << draw(2);
      c.where = call::place::columns;
    }
    c.those = {draw(3) > 0, draw(3) > 0};
    c.replaces = static_cast<call::replaced>(draw(3));
    c.each = draw(4) > 0;
    c.one_number = draw(2) == 0;
    c.padding = draw(2) * draw(9);
    c.offset = draw(3) == 0 ? 0 : draw(17);
    c.threads = 1 + static_cast<int>(draw(3));
    expect_right<T>(c);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Calls use(i, what, n) for each kind and each of these sizes, on every instruction set; in a build that tests
/// briefly, for every other pair of a kind and one of some sizes, each time on the next instruction set. i counts the
/// calls. Ends at the first failure.
template <class Use>
void for_each_kind_and_size(std::vector<std::size_t> const& sizes, Use const& use)
{
  std::vector<std::int64_t> const sets = instruction_sets();
  std::vector<std::size_t> const some_sizes = some_of(sizes);
  bool const briefly = some_of(std::size_t{6}) < 6;
  std::uint64_t i = 0;
  for (std::size_t of_kinds = 0; kind const what : kinds) {
    ++of_kinds;
    for (std::size_t of_sizes = 0; std::size_t const n : some_sizes) {
      if (briefly && (of_kinds + ++of_sizes) % 2 != 0) continue;
      for (std::size_t k = 0; k < (briefly ? 1 : sets.size()); ++k) {
        only_instruction_set const only(sets[++i % sets.size()]);
        use(i, what, n);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

template <class T>
class narrow_recurrences : public testing::Test {};
using narrow_types = testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(narrow_recurrences, narrow_types);

/// One step of each: numbers of any bits are widened and rounded as half.hpp says, infinities, NaNs and those too small
/// for it included.
TYPED_TEST(narrow_recurrences, numbers_of_any_bits)
{
  using T = TypeParam;
  std::size_t const count = some_of(std::size_t{1} << 17);
  std::vector<T> a(count), b(count), befores(count), out(count), lasts(count);
  for (std::size_t s = 0; s < count; ++s) {
    std::uint64_t const bits = random_bits(77, s);
    a[s] = T::from_bits(static_cast<std::uint16_t>(bits));
    b[s] = T::from_bits(static_cast<std::uint16_t>(s));
    befores[s] = T::from_bits(static_cast<std::uint16_t>(bits >> 16));
    if (s % 4 == 0) b[s] = T(0);  // products alone
    if (s % 4 == 1) a[s] = T(0);  // each number as it is
    if (s % 16 == 2) a[s] = T(1.0f + static_cast<float>(bits % 3));
  }
  for (std::int64_t const target : instruction_sets()) {
    only_instruction_set const only(target);
    // The distance of a step from the next one is any number where there is one alone, also none.
    for (std::ptrdiff_t const along : {std::ptrdiff_t{0}, std::ptrdiff_t{1}, static_cast<std::ptrdiff_t>(count)}) {
      layout where;
      where.along = {1, {along, along, 0, 0, along}};
      where.dimensions = 1;
      where.across[0] = {count, {1, 1, 1, 1, 1}};
      ends<T> those;
      those.initials = befores.data();
      those.lasts = lasts.data();
      detail::backend_recur_sequences<T>(cpu{1}, where, static_cast<T const*>(a.data()),
                                         static_cast<T const*>(b.data()), out.data(), those);
      for (std::size_t s = 0; s < count; ++s) {
        T const y = detail::recurrence::step(a[s], befores[s], b[s]);
        ASSERT_TRUE(same(out[s], y)) << s << ": " << shown(out[s]) << " instead of " << shown(y);
        ASSERT_TRUE(same(lasts[s], y)) << s;
      }
    }
  }
}

template <class T>
class recurrences_by_kernels : public testing::Test {};
using types = testing::Types<float, double, half, bfloat16>;
TYPED_TEST_SUITE(recurrences_by_kernels, types);

/// In a build that tests briefly, a sixth of the lengths of each kind.
TYPED_TEST(recurrences_by_kernels, every_length_of_one)
{
  using T = TypeParam;
  constexpr std::size_t row = order::row<affine<T>>, tile = order::tile<affine<T>>;
  bool const briefly = some_of(std::size_t{6}) < 6;
  for (std::int64_t const target : instruction_sets()) {
    only_instruction_set const only(target);
    for (std::size_t of_kinds = 0; kind const what : kinds) {
      ++of_kinds;
      for (std::size_t n = 1; n <= 9 * row + 1; n += n < 2 * row + 2 ? 1 : 7) {
        if (briefly && (of_kinds + n) % 6 != 0) continue;
        call c{n, 1, call::place::rows, what, {}, static_cast<call::replaced>(n % 3), false, false, 0, n % 16, 1};
        expect_right<T>(c);
        if (testing::Test::HasFatalFailure()) return;
      }
      for (std::size_t n : {tile - 1, tile, tile + 1, 2 * tile + row - 1, 3 * tile}) {
        for (int threads : {1, 2}) {
          tuned const all([&](auto& sizes) {
            sizes.serial_bytes = sizes.bytes_a_thread = 0;
            sizes.processors = 4;
            if (n % 2 == 1) sizes.streamed_bytes = 0;
          });
          for (std::size_t replaced = 0; replaced < 3; ++replaced) {
            if (briefly && (of_kinds + n + replaced) % 6 != 0) continue;
            expect_right<T>({n,
                             1,
                             call::place::rows,
                             what,
                             {},
                             static_cast<call::replaced>(replaced),
                             false,
                             false,
                             0,
                             n % 5,
                             threads});
          }
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(recurrences_by_kernels, everywhere)
{
  using T = TypeParam;
  std::uint64_t seed = 0;
  for (std::int64_t const target : instruction_sets()) {
    only_instruction_set const only(target);
    for (bool around : {false, true}) {
      tuned const all([&](auto& sizes) {
        sizes.serial_bytes = sizes.bytes_a_thread = 0;
        sizes.processors = 4;
        if (around) sizes.streamed_bytes = 0;
      });
      draw_calls<T>(seed += 100'000, some_of(1500), 200, 70);
      draw_calls<T>(seed += 100'000, some_of(60), 3 * order::tile<affine<T>>, 3);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Few columns of many tiles, which threads share: every tile is scanned at once by some members, or totalled before.
TYPED_TEST(recurrences_by_kernels, few_long_columns)
{
  using T = TypeParam;
  constexpr std::size_t row = order::row<affine<T>>, tile = order::tile<affine<T>>;
  std::vector<std::size_t> const sizes_tried = {2 * tile + 1, 3 * tile, 6 * tile + 5, 4 * tile + row - 1};
  for_each_kind_and_size(sizes_tried, [&](std::uint64_t i, kind what, std::size_t n) {
    tuned const all([&](auto& sizes) {
      sizes.serial_bytes = sizes.bytes_a_thread = 0;
      sizes.processors = 4;
      sizes.most_scanning_at_once = random_bits(i, 1) % 2 == 0 ? 0 : 4;
      if (random_bits(i, 2) % 2 == 0) sizes.streamed_bytes = 0;
    });
    call c{n,
           2 + random_bits(i, 3) % 19,
           call::place::columns,
           what,
           {},
           call::replaced::nothing,
           true,
           false,
           0,
           0,
           2 + static_cast<int>(random_bits(i, 4) % 3)};
    if (random_bits(i, 5) % 4 == 0) c.count = 64 / sizeof(T);  // whole lines of memory
    if (random_bits(i, 6) % 4 == 0) c.where = call::place::reversed_columns;
    if (random_bits(i, 7) % 4 == 0) c.those.of_each_sequence = false;
    if (random_bits(i, 8) % 8 == 0) c.replaces = call::replaced::b;
    if (random_bits(i, 9) % 2 == 0) c.padding = random_bits(i, 10) % 9, c.offset = random_bits(i, 11) % 17;
    if (n == 2 * tile + 1 && what == kind::steady) {  // more than one block of columns
      c.count = cpu_backend::most_recurrence_columns<T> + 2;
      c.threads = 4;
    }
    expect_right<T>(c);
  });
}

/// Columns as wide as four vectors of 64 bytes and more, which run side by side: some vectors are left over, and some
/// lanes of the last one. Results have the place of elements, or another, around the cache or not.
TYPED_TEST(recurrences_by_kernels, wide_columns)
{
  using T = TypeParam;
  constexpr std::size_t group = order::recurrence::group<T>, row = order::recurrence::row<T>,
                        strip = order::recurrence::strip<T>, lanes = 64 / sizeof(T);
  std::size_t const widths[] = {4 * lanes - 1, 4 * lanes, 4 * lanes + 1, 5 * lanes, 7 * lanes + 3, 8 * lanes + 1};
  std::vector<std::size_t> const sizes_tried = {
      1,   group - 1, group,           group + 1,   2 * group,   3 * group - 1, 3 * group, row - 1,
      row, row + 1,   row + group + 1, 3 * row + 5, strip + row, 700,           720,       810};
  for_each_kind_and_size(sizes_tried, [&](std::uint64_t i, kind what, std::size_t n) {
    tuned const all([&](auto& sizes) {
      sizes.serial_bytes = sizes.bytes_a_thread = 0;
      if (random_bits(i, 1) % 2 == 0) sizes.streamed_bytes = 0;
    });
    call c{n,
           widths[random_bits(i, 2) % std::size(widths)],
           random_bits(i, 3) % 4 == 0 ? call::place::reversed_columns : call::place::columns,
           what,
           {},
           static_cast<call::replaced>(random_bits(i, 4) % 3),
           true,
           false,
           random_bits(i, 5) % 2 * (random_bits(i, 6) % 9),
           random_bits(i, 5) % 2 * (random_bits(i, 7) % 17),
           1};
    if (c.replaces != call::replaced::a && random_bits(i, 8) % 4 == 0) c.those.of_each_sequence = false;
    expect_right<T>(c);
  });
}

/// Segments of any lengths, from either end, in lanes of about one length each.
TYPED_TEST(recurrences_by_kernels, segments)
{
  using T = TypeParam;
  constexpr std::size_t row = order::row<affine<T>>, tile = order::tile<affine<T>>;
  constexpr std::size_t different = 8;  // sequences that segments begin with
  constexpr std::size_t group = order::recurrence::group<T>;
  std::vector<std::size_t> const longest = {1,  2,       group, 2 * group,   3 * group, 5 * group,
                                            40, row - 1, row,   2 * row + 1, 700,       tile + 200};
  for_each_kind_and_size(longest, [&](std::uint64_t i, kind what, std::size_t most) {
    SCOPED_TRACE("call " + std::to_string(i) + ", kind " + std::to_string(static_cast<int>(what)) + ", up to " +
                 std::to_string(most));
    std::uint64_t const drawn = random_bits(i, 1'000'003);
    bool const backward = drawn / 2 % 2 == 0, each = drawn / 4 % 2 == 0;
    bool const in_place = drawn / 8 % 3 == 0, one_number = drawn / 32 % 4 == 0;
    tuned const all([&](auto& sizes) {
      sizes.serial_bytes = sizes.bytes_a_thread = 0;
      sizes.processors = 4;
    });
    coefficients const those{!one_number, !one_number};
    std::vector<std::size_t> offsets{i % 5};
    for (std::size_t s = 0; s < 5 || offsets.back() < std::max<std::size_t>(4 * most, 300 + i % 700); ++s)
      offsets.push_back(offsets.back() + (random_bits(i, s) % 7 == 0 ? 0 : random_bits(i + 1000, s) % (most + 1)));
    std::size_t const count = offsets.size() - 1;
    auto const place = [&](std::size_t s, std::size_t k) { return backward ? offsets[s + 1] - 1 - k : offsets[s] + k; };
    T const poison = static_cast<T>(-12345.0f);
    std::vector<T> a(offsets.back()), b(offsets.back()), y(offsets.back() + 9, poison), lasts(count, poison);
    std::vector<T> befores(count);
    for (std::size_t s = 0; s < count; ++s) {
      befores[s] = state_before<T>(what, s % different);
      for (std::size_t k = 0; k < offsets[s + 1] - offsets[s]; ++k) {
        a[place(s, k)] = those.at<T>(what, s % different, k);
        b[place(s, k)] = term<T>(what, s % different, k);
      }
    }
    ends<T> ends_of_call;
    if (each)
      ends_of_call.initials = befores.data();
    else
      ends_of_call.initial = state_before<T>(what, 1);
    ends_of_call.lasts = lasts.data();
    if (in_place) std::copy(b.begin(), b.end(), y.begin());
    T const* const terms = in_place ? y.data() : b.data();
    auto const run = [&](auto const& factors, auto from) {
      detail::backend_recur_segments<T>(cpu{1 + static_cast<int>(i % 3)}, factors, terms, offsets.data(), count,
                                        y.data(), ends_of_call, from);
    };
    auto const run_from = [&](auto from) {
      if (one_number)
        run(detail::recurrence::constant<T>{those.at<T>(what, 0, 0)}, from);
      else
        run(static_cast<T const*>(a.data()), from);
    };
    if (backward)
      run_from(detail::batch::from_back{});
    else
      run_from(detail::batch::from_front{});
    for (std::size_t s = 0; s < count; ++s) {
      std::size_t const size = offsets[s + 1] - offsets[s], from = each ? s % different : 1;
      std::vector<T> const& states = expected<T>(what, those, s % different, from, size);
      for (std::size_t k = 0; k < size; ++k)
        ASSERT_TRUE(same(y[place(s, k)], states[k])) << "state " << k << " of " << s << ", of " << size;
      T const last = size == 0 ? state_before<T>(what, from) : states[size - 1];
      ASSERT_TRUE(same(lasts[s], last)) << "last of " << s;
    }
    for (std::size_t k = 0; k < offsets[0]; ++k) ASSERT_TRUE(same(y[k], in_place ? b[k] : poison));
    for (std::size_t k = b.size(); k < y.size(); ++k) ASSERT_TRUE(same(y[k], poison));
  });
}

/// Very short segments, of which one has, at any place of a vector and of its segment, an infinite term, or
/// coefficients whose product is infinite although its states are zeros.
TYPED_TEST(recurrences_by_kernels, very_short_segments_with_an_infinity)
{
  using T = TypeParam;
  std::vector<std::size_t> offsets{0};
  for (std::size_t s = 0; offsets.back() < 150; ++s) offsets.push_back(offsets.back() + random_bits(5, s) % 9);
  std::size_t const n = offsets.back(), count = offsets.size() - 1;
  std::vector<T> a(n), b(n), y(n), right(n);
  for (std::int64_t const target : instruction_sets()) {
    only_instruction_set const only(target);
    for (std::size_t i = 0; i < 2 * n - 2; ++i) {
      std::size_t const place = i / 2;
      bool const in_maps = i % 2 == 1;
      for (std::size_t k = 0; k < n; ++k) {
        a[k] = coefficient<T>(kind::ordinary, 0, k);
        b[k] = in_maps ? static_cast<T>(0.0f) : term<T>(kind::ordinary, 0, k);
      }
      if (in_maps)
        a[place] = a[place + 1] = std::numeric_limits<T>::max();
      else
        b[place] = static_cast<T>(std::numeric_limits<float>::infinity());
      T const before = static_cast<T>(in_maps ? 0.0f : 0.5f);
      for (std::size_t s = 0; s < count; ++s) {
        std::size_t const size = offsets[s + 1] - offsets[s];
        auto const first = static_cast<std::ptrdiff_t>(offsets[s]);
        if (size == 0) continue;
        cpu_backend::one_recurrence<T, T const*, T const*, T*>{
            {{a.data(), first, 1}, {b.data(), first, 1}}, {right.data(), first, 1}, size, before, false, false}
            .run_maps(cpu{1});
      }
      bool const in_place = place % 3 == 0;
      if (in_place) y = b;
      ends<T> those;
      those.initial = before;
      detail::backend_recur_segments<T>(cpu{1}, static_cast<T const*>(a.data()),
                                        static_cast<T const*>(in_place ? y.data() : b.data()), offsets.data(), count,
                                        y.data(), those);
      for (std::size_t k = 0; k < n; ++k)
        ASSERT_TRUE(same(y[k], right[k])) << "state " << k << ", infinity at " << place;
    }
  }
}

}  // namespace
}  // namespace tally::test
