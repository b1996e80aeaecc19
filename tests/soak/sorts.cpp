// Sorts, comparisons, allocation.
#include <bit>

#include "soak/application.hpp"
#include "tally/algorithms/allocate.hpp"
#include "tally/algorithms/compare.hpp"
#include "tally/algorithms/quicksort.hpp"
#include "tally/algorithms/radix_sort.hpp"

namespace tally::soak {

namespace {

template <class T>
T key_of(std::uint32_t x)
{
  // Floating-point keys have both signs and no NaN; wide keys use all their bytes.
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<std::int32_t>(x)) / 1024;
  else
    return sizeof(T) == 8 ? static_cast<T>(x * 0x100000001000001u) : static_cast<T>(x);
}

/// Checks that `keys`, with their old places, are the stable sort of `in` by `before`: they are in order, equal keys
/// are in the order of their places, and each key was at its place in `in`. It follows that no place occurs twice.
/// Returns a description of the fault.
template <class T, class Before>
std::string sorted_stably(T const* in, T const* keys, std::uint32_t const* places, std::size_t n, Before before)
{
  for (std::size_t k = 0; k < n; ++k) {
    if (places[k] >= n || !(in[places[k]] == keys[k]))
      return "key " + std::to_string(k) + " is not the one of its value";
    if (k == 0) continue;
    if (before(keys[k], keys[k - 1]))
      return "keys " + std::to_string(k - 1) + " and " + std::to_string(k) + " are not in order";
    if (!before(keys[k - 1], keys[k]) && places[k - 1] >= places[k])
      return "equal keys " + std::to_string(k - 1) + " and " + std::to_string(k) + " changed places";
  }
  return {};
}

template <class T, class Order>
outcome radix_sort_of(choices& of, Order order)
{
  bool const with_values = of.word("values_too", {"yes", "yes", "no"}) == "yes";
  bool const some_bits = std::is_unsigned_v<T> && of.word("bits", {"all", "all", "some"}) == "some";
  application const with(of, sizeof(T), std::size_t{1} << 23);
  bit_range bits;
  if (some_bits) {
    bits.first = static_cast<int>(of.number("first_bit", 0, 8 * sizeof(T)));
    bits.last = bits.first + static_cast<int>(of.number("more_bits", 0, 8 * sizeof(T)));
  }
  std::size_t const n = with.n;
  T* const keys = with.room<T>(0, n);
  for (std::size_t k = 0; k < n; ++k) keys[k] = key_of<T>(with.value(k));
  std::vector<T> const in(keys, keys + n);
  auto const part = [&](T x) {
    if constexpr (std::is_unsigned_v<T>) {
      if (!some_bits) return x;
      auto const width = static_cast<int>(8 * sizeof(T));
      int const first = std::min(bits.first, width), last = std::min(bits.last, width);
      std::uint64_t const below = last == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << last) - 1;
      return static_cast<T>(first == 64 ? 0 : (x & below) >> first);
    } else {
      return x;
    }
  };
  auto const before = [&](T a, T b) { return order(part(a), part(b)); };
  if (with_values) {
    auto* const places = with.room<std::uint32_t>(1, n);
    for (std::size_t k = 0; k < n; ++k) places[k] = static_cast<std::uint32_t>(k);
    tally::radix_sort_by_key(with.on, keys, keys + n, places, order, bits);
    return first_wrong(sorted_stably(in.data(), keys, places, n, before),
                       region_of(0).beside(n * sizeof(T)).value_or(""), region_of(1).beside(n * 4).value_or(""));
  }
  tally::radix_sort(with.on, keys, keys + n, order, bits);
  std::vector<T> right = in;
  std::stable_sort(right.begin(), right.end(), before);
  return first_wrong(compared("keys", 0, keys, n, right));
}

template <class T>
outcome radix_sort_of(choices& of)
{
  return of.word("order", {"less", "greater"}) == "less" ? radix_sort_of<T>(of, std::less<>{})
                                                         : radix_sort_of<T>(of, std::greater<>{});
}

}  // namespace

outcome radix_sort_try(choices& of)
{
  std::string const type = of.word("type", {"u32", "u8", "u16", "u64", "i32", "i64", "f32", "f64"});
  if (type == "u8") return radix_sort_of<std::uint8_t>(of);
  if (type == "u16") return radix_sort_of<std::uint16_t>(of);
  if (type == "u64") return radix_sort_of<std::uint64_t>(of);
  if (type == "i32") return radix_sort_of<std::int32_t>(of);
  if (type == "i64") return radix_sort_of<std::int64_t>(of);
  if (type == "f32") return radix_sort_of<float>(of);
  if (type == "f64") return radix_sort_of<double>(of);
  return radix_sort_of<std::uint32_t>(of);
}

outcome quicksort_try(choices& of)
{
  application const with(of, 8, std::size_t{1} << 20);
  std::size_t const n = with.n;
  // A key and its place. The order ignores the place.
  auto* const keys = with.room<std::uint64_t>(0, n);
  for (std::size_t k = 0; k < n; ++k) keys[k] = std::uint64_t{with.value(k)} << 32 | k;
  std::vector<std::uint64_t> right(keys, keys + n);
  auto const before = [](std::uint64_t a, std::uint64_t b) { return a >> 32 < b >> 32; };
  std::stable_sort(right.begin(), right.end(), before);
  tally::quicksort(with.on, keys, keys + n, before);
  return first_wrong(compared("keys", 0, keys, n, right));
}

outcome compare_try(choices& of)
{
  std::string const length = of.word("length", {"same", "same", "first_longer", "second_longer"});
  std::string const differs = of.word("differs", {"nowhere", "once", "once", "twice"});
  bool const by_bytes = of.word("by", {"bytes", "predicate"}) == "bytes";
  application const with(of, 4, std::size_t{1} << 24);
  std::size_t const n = with.n, shorter = n - std::min<std::size_t>(n, with.seed % 3);
  std::size_t const n1 = length == "second_longer" ? shorter : n, n2 = length == "first_longer" ? shorter : n;
  auto const* const a = with.values<std::uint32_t>(0, n1);
  auto* const b = region_of(1).of<std::uint32_t>(n2, with.out_phase, with.at_end);
  for (std::size_t k = 0; k < n2; ++k) b[k] = with.value(k);
  if (n2 > 0 && differs != "nowhere") b[hashed(with.seed, 1) % n2] += 1 + with.seed % 5;
  if (n2 > 0 && differs == "twice") b[hashed(with.seed, 2) % n2] -= 1 + with.seed % 7;
  std::size_t right = 0;
  while (right < n1 && right < n2 && a[right] == b[right]) ++right;
  auto const same = [](std::uint32_t x, std::uint32_t y) { return x == y; };
  auto const [at1, at2] =
      by_bytes ? tally::mismatch(with.on, a, a + n1, b, b + n2) : tally::mismatch(with.on, a, a + n1, b, b + n2, same);
  auto const found = static_cast<std::size_t>(at1 - a);
  if (found != right || at2 != b + found)
    return {"mismatch at " + std::to_string(found) + ", expected " + std::to_string(right), ""};
  bool const equal =
      by_bytes ? tally::equal(with.on, a, a + n1, b, b + n2) : tally::equal(with.on, a, a + n1, b, b + n2, same);
  if (equal != (n1 == n2 && right == n1)) return {"equal is wrong", ""};
  auto const order = tally::lexicographical_compare_three_way(with.on, a, a + n1, b, b + n2);
  auto const right_order = right < n1 && right < n2 ? a[right] <=> b[right] : n1 <=> n2;
  if (order != right_order) return {"the lexicographical order is wrong", ""};
  return {};
}

outcome allocate_try(choices& of)
{
  bool const own = of.word("alignments", {"one", "own"}) == "own";
  application const with(of, 4, std::size_t{1} << 23);
  auto const alignment = of.number("alignment", 1, 100);
  std::size_t const n = with.n;
  auto* const sizes = with.values<std::uint32_t>(0);
  for (std::size_t k = 0; k < n; ++k) sizes[k] %= 1000003;
  auto* const offsets = with.room<std::uint64_t>(1, n);
  std::vector<std::uint64_t> right(n), alignments(n);
  std::uint64_t end = 0;
  for (std::size_t k = 0; k < n; ++k) {
    alignments[k] = std::uint64_t{1} << (hashed(with.seed, k) % 12);
    if (own) end = (end + alignments[k] - 1) / alignments[k] * alignments[k];
    right[k] = end;
    end += own ? sizes[k] : (sizes[k] + alignment - 1) / alignment * alignment;
  }
  allocation_rules rules;
  rules.alignment = alignment;
  std::uint64_t const got = own ? tally::allocate_aligned(with.on, sizes, sizes + n, alignments.begin(), offsets)
                                : tally::allocate(with.on, sizes, sizes + n, offsets, rules);
  // The end of the last piece. Its padding may or may not count.
  std::uint64_t const last = n == 0 ? 0 : own ? end : right[n - 1] + sizes[n - 1];
  std::string const wrong = compared("offsets", 1, offsets, n, right);
  if (!wrong.empty()) return {wrong, ""};
  if (got != end && got != last) return {"the end is " + std::to_string(got) + ", expected " + std::to_string(end), ""};
  return {};
}

}  // namespace tally::soak
