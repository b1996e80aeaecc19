// Reductions and scans of groups: by key, by flag, by offset.
#include "soak/application.hpp"
#include "soak/loops.hpp"
#include "tally/algorithms/by_flag.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/by_offset.hpp"

namespace tally::soak {

namespace {

/// The results of groups, by a loop.
template <class T>
struct grouped {
  std::vector<T> inclusive, exclusive, reduced;
};

template <class Op, class T, class Begins>
grouped<T> by_loop(T const* in, std::size_t n, T init, Begins begins)
{
  loop<Op> op;
  grouped<T> all;
  T sum{}, before{};
  for (std::size_t k = 0; k < n; ++k) {
    bool const begin = k == 0 || begins(k);
    if (begin && k > 0) all.reduced.push_back(sum);
    all.exclusive.push_back(begin ? init : before);
    sum = begin ? in[k] : op(sum, in[k]);
    before = op(all.exclusive.back(), in[k]);
    all.inclusive.push_back(sum);
  }
  if (n > 0) all.reduced.push_back(sum);
  return all;
}

template <class T, class Op, class Values>
outcome by_key_or_flag(choices& of, bool by_key)
{
  std::string const form = of.word("form", {"reduce", "inclusive", "exclusive"});
  bool const in_place = of.word("place", {"another", "same"}) == "same" && form != "reduce";
  application const with(of, sizeof(T), std::size_t{1} << 23);
  std::size_t const n = with.n;
  auto const* const keys = with.values<std::uint32_t>(0);
  T* const in = with.room<T>(1, n);
  Values const values{{with.seed, n}};
  for (std::size_t k = 0; k < n; ++k) in[k] = values(k);
  T const init = values(n);
  auto* const flags = region_of(2).of<std::uint8_t>(n, with.in_phase, with.at_end);
  for (std::size_t k = 0; k < n; ++k) flags[k] = k > 0 && keys[k] != keys[k - 1] ? 1 : 0;
  auto const right = by_loop<Op>(in, n, init, [&](std::size_t k) { return flags[k] != 0; });
  T* const out = in_place ? in : with.room<T>(3, n);
  int const memory = in_place ? 1 : 3;
  Op op;
  if (form == "reduce") {
    std::vector<std::uint32_t> right_keys;
    for (std::size_t k = 0; k < n; ++k)
      if (k == 0 || flags[k] != 0) right_keys.push_back(keys[k]);
    auto* const keys_out = with.room<std::uint32_t>(4, n);
    std::size_t const groups = by_key ? tally::reduce_by_key(with.on, keys, keys + n, in, keys_out, out, op)
                                      : tally::reduce_by_flag(with.on, in, in + n, flags, out, op);
    return first_wrong(compared("sums", memory, out, groups, right.reduced),
                       by_key ? compared("keys", 4, keys_out, groups, right_keys) : std::string());
  }
  T* end = nullptr;
  if (form == "inclusive")
    end = by_key ? tally::inclusive_scan_by_key(with.on, keys, keys + n, in, out, op)
                 : tally::inclusive_scan_by_flag(with.on, in, in + n, flags, out, op);
  else
    end = by_key ? tally::exclusive_scan_by_key(with.on, keys, keys + n, in, out, init, op)
                 : tally::exclusive_scan_by_flag(with.on, in, in + n, flags, out, init, op);
  return first_wrong(compared("out", memory, out, static_cast<std::size_t>(end - out),
                              form == "inclusive" ? right.inclusive : right.exclusive));
}

/// Calls by key or by flag over sums, over sums that are declared not exactly associative (of small numbers, for which
/// they are), and over maps.
outcome of_any_type(choices& of, bool by_key)
{
  std::string const type = of.word("type", {"u32", "u64", "f32", "f64", "maps"});
  if (type == "u64") return by_key_or_flag<std::uint64_t, plus, any_bits<std::uint64_t>>(of, by_key);
  if (type == "f32") return by_key_or_flag<float, plus, small_numbers<float>>(of, by_key);
  if (type == "f64") return by_key_or_flag<double, plus, small_numbers<double>>(of, by_key);
  if (type == "maps") return by_key_or_flag<map_of<std::uint32_t>, compose_maps, odd_maps<std::uint32_t>>(of, by_key);
  return by_key_or_flag<std::uint32_t, plus, any_bits<std::uint32_t>>(of, by_key);
}

template <class T, class Op, class Values>
outcome by_offset_of(choices& of)
{
  std::string const form = of.word("form", {"reduce", "inclusive", "exclusive"});
  application const with(of, sizeof(T), std::size_t{1} << 23);
  std::size_t const n = with.n;
  T* const in = with.room<T>(1, n);
  Values const values{{with.seed, n}};
  for (std::size_t k = 0; k < n; ++k) in[k] = values(k);
  T const init = values(n);
  // A segment begins where the value of the shape changes, and some segments are empty.
  std::vector<std::uint64_t> offsets{0};
  for (std::size_t k = 1; k < n; ++k) {
    if (with.value(k) == with.value(k - 1)) continue;
    for (std::uint32_t empty = hashed(with.seed, k) % 16; empty < 3; ++empty) offsets.push_back(k);
    offsets.push_back(k);
  }
  offsets.push_back(n);
  loop<Op> op;
  T* const out = with.room<T>(3, form == "reduce" ? offsets.size() - 1 : n);
  std::vector<T> right;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T sum = init;
    for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) {
      T const before = sum;
      sum = form == "inclusive" && k == offsets[s] ? in[k] : op(sum, in[k]);
      if (form != "reduce") right.push_back(form == "inclusive" ? sum : before);
    }
    if (form == "reduce") right.push_back(sum);
  }
  if (form == "reduce") {
    T* const end = tally::reduce_by_offset(with.on, in, offsets.begin(), offsets.end(), out, init, Op{});
    return first_wrong(compared("sums", 3, out, static_cast<std::size_t>(end - out), right));
  }
  if (form == "inclusive")
    tally::inclusive_scan_by_offset(with.on, in, offsets.begin(), offsets.end(), out, Op{});
  else
    tally::exclusive_scan_by_offset(with.on, in, offsets.begin(), offsets.end(), out, init, Op{});
  return first_wrong(compared("out", 3, out, n, right));
}

}  // namespace

outcome by_key_try(choices& of)
{
  return of_any_type(of, true);
}
outcome by_flag_try(choices& of)
{
  return of_any_type(of, false);
}

outcome by_offset_try(choices& of)
{
  std::string const type = of.word("type", {"u32", "f32", "maps"});
  if (type == "f32") return by_offset_of<float, plus, small_numbers<float>>(of);
  if (type == "maps") return by_offset_of<map_of<std::uint32_t>, compose_maps, odd_maps<std::uint32_t>>(of);
  return by_offset_of<std::uint32_t, plus, any_bits<std::uint32_t>>(of);
}

}  // namespace tally::soak
