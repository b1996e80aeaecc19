// Compaction, runs and histograms.
#include "soak/application.hpp"
#include "tally/algorithms/compact.hpp"
#include "tally/algorithms/histogram.hpp"
#include "tally/algorithms/run_lengths.hpp"

namespace tally::soak {

namespace {

/// True for a given number of every 256 values.
struct chosen {
  std::uint32_t of_256;
  template <class T>
  bool operator()(T x) const
  {
    return (static_cast<std::uint32_t>(x) * 0x9E3779B9u) >> 24 < of_256;
  }
};

template <class T>
outcome compact_try(choices& of)
{
  std::string const form = of.word("form", {"copy_if", "copy_if_flags", "partition", "stable_partition", "unique"});
  application const with(of, sizeof(T), std::size_t{1} << 24);
  chosen const pred{static_cast<std::uint32_t>(std::array{0, 1, 16, 128, 250, 256}[of.number("density", 0, 5)])};
  std::size_t const n = with.n;
  T const* const in = with.values<T>(0);
  T* const out = with.room<T>(1, n);
  std::vector<T> right, others;
  if (form == "copy_if") {
    auto* const end = tally::copy_if(with.on, in, in + n, out, pred);
    for (std::size_t k = 0; k < n; ++k)
      if (pred(in[k])) right.push_back(in[k]);
    return first_wrong(compared("chosen", 1, out, static_cast<std::size_t>(end - out), right));
  }
  if (form == "copy_if_flags") {
    auto const* const flags = with.random<std::uint8_t>(2, n);
    auto* const end = tally::copy_if(with.on, in, in + n, flags, out, pred);
    for (std::size_t k = 0; k < n; ++k)
      if (pred(flags[k])) right.push_back(in[k]);
    return first_wrong(compared("chosen", 1, out, static_cast<std::size_t>(end - out), right));
  }
  if (form == "unique") {
    auto* const end = tally::unique_copy(with.on, in, in + n, out);
    for (std::size_t k = 0; k < n; ++k)
      if (k == 0 || in[k] != in[k - 1]) right.push_back(in[k]);
    return first_wrong(compared("unique", 1, out, static_cast<std::size_t>(end - out), right));
  }
  for (std::size_t k = 0; k < n; ++k) (pred(in[k]) ? right : others).push_back(in[k]);
  if (form == "partition") {
    T* const rest = with.room<T>(2, n);
    auto const [end, rest_end] = tally::partition_copy(with.on, in, in + n, out, rest, pred);
    return first_wrong(compared("chosen", 1, out, static_cast<std::size_t>(end - out), right),
                       compared("rest", 2, rest, static_cast<std::size_t>(rest_end - rest), others));
  }
  auto* const border = tally::stable_partition_copy(with.on, in, in + n, out, pred);
  if (border != out + right.size()) return {"the border is wrong", ""};
  right.insert(right.end(), others.begin(), others.end());
  return first_wrong(compared("partitioned", 1, out, n, right));
}

}  // namespace

outcome compact_try(choices& of)
{
  std::string const type = of.word("type", {"u32", "u8", "u16", "u64"});
  if (type == "u8") return compact_try<std::uint8_t>(of);
  if (type == "u16") return compact_try<std::uint16_t>(of);
  if (type == "u64") return compact_try<std::uint64_t>(of);
  return compact_try<std::uint32_t>(of);
}

outcome run_lengths_try(choices& of)
{
  application const with(of, 4, std::size_t{1} << 24);
  std::size_t const n = with.n;
  auto const* const in = with.values<std::uint32_t>(0);
  auto* const values = with.room<std::uint32_t>(1, n);
  auto* const lengths = with.room<std::uint32_t>(2, n);
  std::vector<std::uint32_t> right, right_lengths;
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || in[k] != in[k - 1]) {
      right.push_back(in[k]);
      right_lengths.push_back(0);
    }
    ++right_lengths.back();
  }
  std::size_t const runs = tally::run_length_encode(with.on, in, in + n, values, lengths);
  outcome const encoded =
      first_wrong(compared("values", 1, values, runs, right), compared("lengths", 2, lengths, runs, right_lengths));
  if (!encoded.wrong.empty()) return encoded;
  // Some of the runs are empty.
  std::vector<std::uint32_t> some_values, some_lengths;
  for (std::size_t r = 0; r < runs; ++r) {
    if (hashed(with.seed, r) % 8 == 0) {
      some_values.push_back(77);
      some_lengths.push_back(0);
    }
    some_values.push_back(right[r]);
    some_lengths.push_back(right_lengths[r]);
  }
  auto* const decoded = with.room<std::uint32_t>(3, n);
  auto* const end =
      tally::run_length_decode(with.on, some_values.begin(), some_values.end(), some_lengths.begin(), decoded);
  return first_wrong(compared("decoded", 3, decoded, static_cast<std::size_t>(end - decoded), {in, in + n}));
}

outcome histogram_try(choices& of)
{
  std::string const form = of.word("form", {"even", "edges", "weighted"});
  application const with(of, 4, std::size_t{1} << 24);
  auto const bins =
      static_cast<std::size_t>(std::array{1, 2, 10, 255, 256, 1000, 4096, 70000}[of.number("bins", 0, 7)]);
  std::size_t const n = with.n;
  // Whole numbers from -3 to bins + 2, and bins of one number each. The last bin includes its upper edge.
  auto* const in = with.values<std::int32_t>(0);
  for (std::size_t k = 0; k < n; ++k)
    in[k] = static_cast<std::int32_t>(static_cast<std::uint32_t>(in[k]) % (bins + 6)) - 3;
  std::size_t const slots = bins + 3;
  auto const slot = [&](std::int32_t x) {
    if (x < 0) return bins;
    auto const bin = static_cast<std::size_t>(x);
    return bin > bins ? bins + 1 : std::min(bin, bins - 1);
  };
  even_bins const even(0, static_cast<double>(bins), bins);
  auto* const counts = with.room<std::uint64_t>(1, slots);
  std::vector<std::uint64_t> right(slots);
  std::uint64_t* end = nullptr;
  if (form == "weighted") {
    auto const* const weights = with.random<std::uint64_t>(2, n);
    for (std::size_t k = 0; k < n; ++k) right[slot(in[k])] += weights[k];
    end = tally::weighted_histogram(with.on, in, in + n, weights, even, counts);
  } else {
    for (std::size_t k = 0; k < n; ++k) ++right[slot(in[k])];
    std::vector<std::int32_t> edges(bins + 1);
    for (std::size_t k = 0; k <= bins; ++k) edges[k] = static_cast<std::int32_t>(k);
    end = form == "even"
              ? tally::histogram(with.on, in, in + n, even, counts)
              : tally::histogram(with.on, in, in + n, edge_bins<std::int32_t>(edges.data(), edges.size()), counts);
  }
  return first_wrong(compared("counts", 1, counts, static_cast<std::size_t>(end - counts), right));
}

}  // namespace tally::soak
