// The soak test of the applications on a GPU, against sequential loops on the host.
#include "cuda/soak/device.cuh"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/compact.hpp"
#include "tally/algorithms/histogram.hpp"
#include "tally/algorithms/radix_sort.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/algorithms/run_lengths.hpp"

namespace tally::soak {

namespace {

using number = std::uint32_t;

/// n numbers of some shape, on the host and on the device.
struct problem {
  explicit problem(choices& of)
      : n(of.size(4, std::size_t{1} << 24)),
        shape(of.word("shape", {"equal", "random", "few", "sorted", "long_runs", "short_runs", "mixed_runs"})),
        seed(static_cast<std::uint32_t>(of.number("values", 0, 0xffffffff))),
        in_phase(static_cast<std::size_t>(of.number("in", 0, 31))),
        out_phase(static_cast<std::size_t>(of.number("out", 0, 31))),
        on(gpu::of_this_process()),
        here(on.chosen(of)),
        values(n)
  {
    for (std::size_t k = 0; k < n; ++k) values[k] = value(k);
    in = copied(0, values);
  }
  number value(std::size_t k) const
  {
    number const h = hashed(seed, k);
    if (shape == "equal") return seed;
    if (shape == "few") return h % 4;
    if (shape == "sorted") return static_cast<number>(k / (1 + seed % 5));
    if (shape == "long_runs") return hashed(seed, k / (1 + n / (1 + seed % 9)));
    if (shape == "short_runs") return hashed(seed, k / (1 + seed % 7));
    if (shape == "mixed_runs") return hashed(seed, k / (std::size_t{1} << (hashed(seed, k / 100000) % 18)));
    return h;
  }
  template <class T>
  T* copied(int memory, std::vector<T> const& from) const
  {
    T* const to = on.memory(memory).of<T>(from.size(), in_phase);
    on.assign(to, from);
    return to;
  }
  template <class T>
  T* room(int memory, std::size_t count) const
  {
    return on.memory(memory).of<T>(count, out_phase);
  }
  /// The fault of the results in memory `memory`, of which `right` are all; nothing behind them is written.
  template <class T>
  std::string compared(char const* what, int memory, T const* got, std::size_t count, std::vector<T> const& right) const
  {
    if (count != right.size())
      return std::string(what) + ": " + std::to_string(count) + " results, expected " + std::to_string(right.size());
    std::vector<T> const all = on.values(got, count);
    for (std::size_t k = 0; k < count; ++k)
      if (!(all[k] == right[k]))
        return std::string(what) + "[" + std::to_string(k) + "] is " + shown(all[k]) + ", expected " + shown(right[k]);
    std::string const beside = on.memory(memory).beside(count * sizeof(T));
    return beside.empty() ? beside : std::string(what) + ": " + beside;
  }

  std::size_t n;
  std::string shape;
  std::uint32_t seed;
  std::size_t in_phase, out_phase;
  gpu& on;
  cuda here;
  std::vector<number> values;
  number* in = nullptr;
};

/// True for so many of 256 values.
struct chosen {
  number of_256;
  TALLY_HD bool operator()(number x) const { return (x * 0x9E3779B9u) >> 24 < of_256; }
};

outcome first_wrong(std::string const& a, std::string const& b)
{
  return {a.empty() ? b : a, ""};
}

}  // namespace

outcome compact_try(choices& of)
{
  std::string const form = of.word("form", {"copy_if", "partition", "unique"});
  problem const with(of);
  chosen const pred{std::array<number, 6>{0, 1, 16, 128, 250, 256}[of.number("density", 0, 5)]};
  auto* const out = with.room<number>(1, with.n);
  auto* const rest = with.room<number>(2, with.n);
  std::vector<number> right, others;
  if (form == "unique") {
    auto* const end = tally::unique_copy(with.here, with.in, with.in + with.n, out);
    std::unique_copy(with.values.begin(), with.values.end(), std::back_inserter(right));
    return {with.compared("unique", 1, out, static_cast<std::size_t>(end - out), right), ""};
  }
  for (number const x : with.values) (pred(x) ? right : others).push_back(x);
  if (form == "copy_if") {
    auto* const end = tally::copy_if(with.here, with.in, with.in + with.n, out, pred);
    return {with.compared("chosen", 1, out, static_cast<std::size_t>(end - out), right), ""};
  }
  auto const ends = tally::partition_copy(with.here, with.in, with.in + with.n, out, rest, pred);
  return first_wrong(with.compared("chosen", 1, out, static_cast<std::size_t>(ends.first - out), right),
                     with.compared("rest", 2, rest, static_cast<std::size_t>(ends.second - rest), others));
}

outcome run_lengths_try(choices& of)
{
  problem const with(of);
  auto* const values = with.room<number>(1, with.n);
  auto* const lengths = with.room<number>(2, with.n);
  std::vector<number> right, right_lengths;
  for (std::size_t k = 0; k < with.n; ++k) {
    if (k == 0 || with.values[k] != with.values[k - 1]) {
      right.push_back(with.values[k]);
      right_lengths.push_back(0);
    }
    ++right_lengths.back();
  }
  std::size_t const runs = tally::run_length_encode(with.here, with.in, with.in + with.n, values, lengths);
  outcome const encoded = first_wrong(with.compared("values", 1, values, runs, right),
                                      with.compared("lengths", 2, lengths, runs, right_lengths));
  if (!encoded.wrong.empty()) return encoded;
  auto* const decoded = with.room<number>(3, with.n);
  auto* const end = tally::run_length_decode(with.here, values, values + runs, lengths, decoded);
  return {with.compared("decoded", 3, decoded, static_cast<std::size_t>(end - decoded), with.values), ""};
}

outcome by_key_try(choices& of)
{
  std::string const form = of.word("form", {"reduce", "inclusive", "exclusive"});
  problem const with(of);
  std::vector<number> elements(with.n), sums, inclusive(with.n), exclusive(with.n), keys;
  for (std::size_t k = 0; k < with.n; ++k) {
    elements[k] = hashed(with.seed ^ 99, k);
    bool const begins = k == 0 || with.values[k] != with.values[k - 1];
    if (begins) {
      sums.push_back(0);
      keys.push_back(with.values[k]);
    }
    exclusive[k] = sums.back() + with.seed;
    inclusive[k] = sums.back() += elements[k];
  }
  auto* const in = with.copied(1, elements);
  auto* const out = with.room<number>(2, with.n);
  if (form == "reduce") {
    auto* const keys_out = with.room<number>(3, with.n);
    std::size_t const groups = tally::reduce_by_key(with.here, with.in, with.in + with.n, in, keys_out, out);
    return first_wrong(with.compared("sums", 2, out, groups, sums), with.compared("keys", 3, keys_out, groups, keys));
  }
  auto* const end = form == "inclusive"
                        ? tally::inclusive_scan_by_key(with.here, with.in, with.in + with.n, in, out)
                        : tally::exclusive_scan_by_key(with.here, with.in, with.in + with.n, in, out, with.seed);
  return {
      with.compared("out", 2, out, static_cast<std::size_t>(end - out), form == "inclusive" ? inclusive : exclusive),
      ""};
}

/// Whole numbers from -3 to bins + 2, and bins of one number each.
outcome histogram_try(choices& of)
{
  problem const with(of);
  auto const bins = std::array<std::size_t, 7>{1, 2, 10, 256, 1000, 4096, 70000}[of.number("bins", 0, 6)];
  std::vector<std::int32_t> values(with.n);
  std::vector<std::uint64_t> right(bins + 3);
  for (std::size_t k = 0; k < with.n; ++k) {
    values[k] = static_cast<std::int32_t>(with.values[k] % (bins + 6)) - 3;
    auto const bin = static_cast<std::size_t>(values[k]);
    ++right[values[k] < 0 ? bins : bin > bins ? bins + 1 : std::min(bin, bins - 1)];
  }
  auto* const in = with.copied(1, values);
  auto* const counts = with.room<std::uint64_t>(2, bins + 3);
  auto* const end = tally::histogram(with.here, in, in + with.n, even_bins(0, static_cast<double>(bins), bins), counts);
  return {with.compared("counts", 2, counts, static_cast<std::size_t>(end - counts), right), ""};
}

namespace {

template <class Key>
outcome sorted(choices& of)
{
  bool const descending = of.word("order", {"less", "greater"}) == "greater";
  problem const with(of);
  std::vector<Key> keys(with.n);
  std::vector<number> places(with.n);
  for (std::size_t k = 0; k < with.n; ++k) {
    keys[k] =
        sizeof(Key) == 8 ? static_cast<Key>(with.values[k] * 0x100000001000001u) : static_cast<Key>(with.values[k]);
    places[k] = static_cast<number>(k);
  }
  auto* const sorted_keys = with.copied(1, keys);
  auto* const sorted_places = with.copied(2, places);
  if (descending)
    tally::radix_sort_by_key(with.here, sorted_keys, sorted_keys + with.n, sorted_places, std::greater<>{});
  else
    tally::radix_sort_by_key(with.here, sorted_keys, sorted_keys + with.n, sorted_places, std::less<>{});
  // In order, equal keys in the order of their places, each with the key that stood there: so no place is there twice.
  std::vector<Key> const got = with.on.values(sorted_keys, with.n);
  std::vector<number> const got_places = with.on.values(sorted_places, with.n);
  for (std::size_t k = 0; k < with.n; ++k) {
    if (got_places[k] >= with.n || keys[got_places[k]] != got[k])
      return {"key " + std::to_string(k) + " is not the one of its value", ""};
    if (k == 0) continue;
    if (descending ? got[k] > got[k - 1] : got[k] < got[k - 1])
      return {"key " + std::to_string(k) + " is not in order", ""};
    if (got[k] == got[k - 1] && got_places[k] <= got_places[k - 1])
      return {"equal keys changed places at " + std::to_string(k), ""};
  }
  return first_wrong(with.on.memory(1).beside(with.n * sizeof(Key)), with.on.memory(2).beside(with.n * sizeof(number)));
}

}  // namespace

outcome radix_sort_try(choices& of)
{
  return of.word("type", {"u32", "u64"}) == "u32" ? sorted<std::uint32_t>(of) : sorted<std::uint64_t>(of);
}

outcome recurrence_try(choices& of)
{
  bool const backward = of.word("form", {"forward", "backward"}) == "backward";
  problem const with(of);
  std::vector<number> offsets(with.n), right(with.n);
  for (std::size_t k = 0; k < with.n; ++k) offsets[k] = hashed(with.seed ^ 99, k);
  number y = with.seed;
  for (std::size_t k = 0; k < with.n; ++k) {
    std::size_t const at = backward ? with.n - 1 - k : k;
    right[at] = y = with.values[at] * y + offsets[at];
  }
  auto* const b = with.copied(1, offsets);
  auto* const out = with.room<number>(2, with.n);
  auto* const end = backward
                        ? tally::linear_recurrence_backward(with.here, with.in, with.in + with.n, b, out, with.seed)
                        : tally::linear_recurrence(with.here, with.in, with.in + with.n, b, out, with.seed);
  return {with.compared("out", 2, out, static_cast<std::size_t>(end - out), right), ""};
}

}  // namespace tally::soak
