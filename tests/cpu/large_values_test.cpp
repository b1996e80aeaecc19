// Values so large that a row of them does not fit on the stack. They have the bits of small values with the same
// arithmetic, and a call needs stack for a few of them only.
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <vector>

#include "tally/tally.hpp"

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Not inlined, because GCC would warn that malloc and delete do not match.
[[gnu::noinline]] void* operator new(std::size_t bytes)
{
  ++allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept
{
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept
{
  std::free(memory);
}

namespace {

/// A number at the beginning and a count at the end of `Bytes`. From 16 bytes on, all sizes have one order.
template <std::size_t Bytes>
struct block {
  double number;
  std::array<char, Bytes - 16> between;
  std::uint64_t elements;

  friend bool operator==(block const& a, block const& b) { return a.number == b.number && a.elements == b.elements; }
};

template <std::size_t Bytes>
block<Bytes> block_of(double number)
{
  block<Bytes> made;
  made.number = number;
  made.elements = 1;
  return made;
}

/// Results show the order of operands and their bracketing.
struct halve_and_add {
  template <class Block>
  Block operator()(Block const& a, Block const& b) const
  {
    Block both;
    both.number = a.number * 0.5 + b.number;
    both.elements = a.elements + b.elements;
    return both;
  }
};
/// Exactly associative, and declared so.
struct add_exactly {
  static constexpr bool exactly_associative = true;
  template <class Block>
  Block operator()(Block const& a, Block const& b) const
  {
    Block both;
    both.number = a.number + b.number;
    both.elements = a.elements + b.elements;
    return both;
  }
};
/// Has a carry of another type, small or large.
template <class Block>
struct halve_and_add_in : halve_and_add {
  using carry = Block;
};

struct element {
  std::uint64_t seed;
  double operator()(std::size_t k) const { return static_cast<double>((k * 2654435761u + seed) % 1000); }
};

/// A number that converts to a block, and to which a block converts.
template <std::size_t Bytes>
struct make {
  element number;
  block<Bytes> operator()(std::size_t k) const { return block_of<Bytes>(number(k)); }
};

/// Runs f on a thread with a stack of `bytes`.
void on_stack(std::size_t bytes, std::function<void()> f)
{
  pthread_attr_t with;
  ASSERT_EQ(pthread_attr_init(&with), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&with, (bytes + 65535) / 65536 * 65536), 0);
  pthread_t thread;
  auto const run = [](void* work) -> void* {
    (*static_cast<std::function<void()>*>(work))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &with, run, &f), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  ASSERT_EQ(pthread_attr_destroy(&with), 0);
}

/// The results of every call, as numbers.
using numbers = std::vector<double>;

constexpr auto number_of = [](auto const& x) { return x.number + 1e-3 * static_cast<double>(x.elements); };

/// The calls on n values. Each is a function of its own, so that the stack has the values of one call at a time.
template <std::size_t Bytes, class Op>
struct calls {
  using value = block<Bytes>;

  tally::cpu on;
  std::size_t n;
  Op op;
  numbers& results;

  std::unique_ptr<value> init{new value(block_of<Bytes>(3))};
  std::vector<value> array{};
  std::vector<double> taken{};

  // An element stands for 4 MiB, so a tile is one element, and a few elements are work for several threads.
  auto first() const { return tally::elements_from(make<Bytes>{{7}}, on.threads > 1 ? std::size_t{4} << 20 : 1); }
  auto last() const { return first() + static_cast<std::ptrdiff_t>(n); }
  void fill()
  {
    array = std::vector<value>(n);
    for (std::size_t k = 0; k < n; ++k) {
      array[k].number = element{7}(k);
      array[k].elements = 1;
    }
  }
  auto take()
  {
    taken.assign(n, -1);
    return tally::results_to([to = taken.data()](std::size_t k, value const& x) { to[k] = number_of(x); });
  }
  void keep() { results.insert(results.end(), taken.begin(), taken.end()); }
  void keep_array()
  {
    for (value const& x : array) results.push_back(number_of(x));
  }

  [[gnu::noinline]] void reduce()
  {
    std::unique_ptr<value> const sum(new value(tally::reduce(on, first(), last(), *init, op)));
    results.push_back(number_of(*sum));
  }
  [[gnu::noinline]] void transform_reduce()
  {
    auto const same = [](value const& x) -> value const& { return x; };
    std::unique_ptr<value> const sum(new value(tally::transform_reduce(on, first(), last(), *init, op, same)));
    results.push_back(number_of(*sum));
  }
  [[gnu::noinline]] void reduce_range()
  {
    fill();
    std::unique_ptr<value> const sum(new value(tally::reduce(array, *init, op)));
    results.push_back(number_of(*sum));
  }
  [[gnu::noinline]] void inclusive()
  {
    tally::inclusive_scan(on, first(), last(), take(), op);
    keep();
  }
  [[gnu::noinline]] void inclusive_from_init()
  {
    tally::inclusive_scan(on, first(), last(), take(), op, *init);
    keep();
  }
  [[gnu::noinline]] void exclusive()
  {
    tally::exclusive_scan(on, first(), last(), take(), *init, op);
    keep();
  }
  [[gnu::noinline]] void transform_exclusive_in_place()
  {
    fill();
    auto const same = [](value const& x) -> value const& { return x; };
    tally::transform_exclusive_scan(on, array.begin(), array.end(), array.begin(), *init, op, same);
    keep_array();
  }
  [[gnu::noinline]] void in_pieces()
  {
    fill();
    tally::running<value, Op> pieces(*init, op, on);
    pieces.reduce(array.data(), n / 2);
    pieces.exclusive_scan(array.data(), array.data(), n / 2);
    pieces.inclusive_scan(array.data() + n / 2, array.data() + n / 2, n - n / 2);
    keep_array();
    std::unique_ptr<std::optional<value>> const all(new std::optional<value>(pieces.value()));
    results.push_back(number_of(**all));
  }
  void all()
  {
    reduce();
    transform_reduce();
    reduce_range();
    inclusive();
    inclusive_from_init();
    exclusive();
    transform_exclusive_in_place();
    in_pieces();
  }
};

template <std::size_t Bytes, class Op>
void every_call(tally::cpu on, std::size_t n, Op op, numbers& results)
{
  calls<Bytes, Op>{on, n, op, results}.all();
}

/// A stack of six values and 128 KiB is enough.
template <std::size_t Bytes, class Op>
void expect_numbers_of_small_values(std::vector<std::size_t> const& sizes, Op op)
{
  for (int const threads : {1, 2})
    for (std::size_t const n : sizes) {
      SCOPED_TRACE(testing::Message() << n << " values of " << Bytes << " bytes on " << threads << " threads");
      tally::cpu const on{.threads = threads};
      numbers small, large;
      every_call<16>(on, n, op, small);
      on_stack(6 * Bytes + (std::size_t{128} << 10), [&] { every_call<Bytes>(on, n, op, large); });
      ASSERT_EQ(small, large);
    }
}

TEST(LargeValues, InOrderHaveTheBitsOfSmallOnesOnASmallStack)
{
  expect_numbers_of_small_values<(std::size_t{1} << 18)>({1, 33}, halve_and_add{});
  expect_numbers_of_small_values<(std::size_t{1} << 20)>({2}, halve_and_add{});
}

TEST(LargeValues, InAnyOrderToo)
{
  expect_numbers_of_small_values<(std::size_t{1} << 18)>({33}, add_exactly{});
  expect_numbers_of_small_values<(std::size_t{1} << 20)>({3}, add_exactly{});
}

/// Tiles of 2048 values, the size of tiles whose elements do not stand for blocks.
TEST(LargeValues, HaveTheBitsOfSmallOnesAcrossTiles)
{
  constexpr std::size_t bytes = 1040;
  std::size_t const n = 3 * tally::order::tile<block<bytes>> + 70;
  for (int const threads : {1, 3}) {
    tally::cpu const on{.threads = threads};
    auto const small_in = tally::elements_from(make<16>{{5}});
    auto const large_in = tally::elements_from(make<bytes>{{5}});
    std::vector<double> small(n), large(n);
    auto const into = [](std::vector<double>& to) {
      return tally::results_to([at = to.data()](std::size_t k, auto const& x) { at[k] = x.number; });
    };
    auto const end = static_cast<std::ptrdiff_t>(n);
    tally::inclusive_scan(on, small_in, small_in + end, into(small), halve_and_add{});
    tally::inclusive_scan(on, large_in, large_in + end, into(large), halve_and_add{});
    EXPECT_EQ(small, large);
    EXPECT_EQ(tally::reduce(on, large_in, large_in + end, block_of<bytes>(1), halve_and_add{}).number,
              tally::reduce(on, small_in, small_in + end, block_of<16>(1), halve_and_add{}).number);
  }
}

/// A large carry type for large values, with the arithmetic of the one for small values.
template <std::size_t Bytes>
struct summed {
  double number = 0;
  std::array<char, Bytes> more{};
  summed() = default;
  explicit summed(double x) : number(x) {}
  explicit operator double() const { return number; }
};
template <std::size_t Bytes>
struct value_with_carry : summed<Bytes> {
  using summed<Bytes>::summed;
  template <std::size_t Other>
  explicit value_with_carry(summed<Other> const& x) : summed<Bytes>(x.number + 0.25)
  {
  }
};
template <class Carry>
struct add_in {
  using carry = Carry;
  template <class Value>
  Value operator()(Value const& a, Value const& b) const
  {
    Value both;
    both.number = a.number * 0.5 + b.number;
    return both;
  }
};

TEST(LargeValues, KeepTheCarryTypeOfTheOperator)
{
  std::size_t const n = 2 * tally::order::tile<summed<2000>> + 3;
  auto const in = tally::elements_from(element{5});
  auto const end = in + static_cast<std::ptrdiff_t>(n);
  auto const sum = [&]<std::size_t Bytes, class Carry>(std::integral_constant<std::size_t, Bytes>, Carry) {
    using value = value_with_carry<Bytes>;
    auto const as_value = [](double x) { return value(x); };
    return tally::transform_reduce(tally::cpu{1}, in, end, value(1), add_in<Carry>{}, as_value).number;
  };
  auto const small = std::integral_constant<std::size_t, 24>{};
  auto const large = std::integral_constant<std::size_t, 2000>{};
  double const expected = sum(small, value_with_carry<25>{});
  EXPECT_EQ(sum(large, value_with_carry<25>{}), expected);
  EXPECT_EQ(sum(small, value_with_carry<2001>{}), expected);
  EXPECT_EQ(sum(large, value_with_carry<2001>{}), expected);
}

template <std::size_t Bytes>
long allocations_of_a_call()
{
  auto const in = tally::elements_from(make<Bytes>{{1}});
  long const before = allocations.load();
  (void)tally::reduce(tally::cpu{1}, in, in + 100, block_of<Bytes>(1), halve_and_add{});
  tally::inclusive_scan(tally::cpu{1}, in, in + 100, tally::results_to([](std::size_t, auto const&) {}),
                        halve_and_add{});
  return allocations.load() - before;
}

TEST(LargeValues, AndNoOthersAreAllocated)
{
  EXPECT_EQ(allocations_of_a_call<16>(), 0);
  EXPECT_EQ(allocations_of_a_call<1024>(), 0);
  EXPECT_GT(allocations_of_a_call<1032>(), 200);
}

/// Values of up to 1 KiB stay on the stack.
TEST(LargeValues, AllOthersNeedAHundredKibibytesOfStack)
{
  numbers small, large;
  every_call<16>(tally::cpu{1}, 100, halve_and_add{}, small);
  on_stack(std::size_t{128} << 10, [&] { every_call<1024>(tally::cpu{1}, 100, halve_and_add{}, large); });
  EXPECT_EQ(small, large);
}

}  // namespace
