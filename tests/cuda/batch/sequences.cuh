#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "../../order/reference.hpp"
#include "../device_array.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/cuda/batch/sequences.hpp"

/// Batches of sequences on a GPU against the slow implementation of the order, one sequence at a time. Each size takes
/// its turn with layouts, ends and kernels that are drawn anew. Every byte of what is written to is compared.
namespace tally::test {

using cuda_backend::sequences_kernel;
using cuda_backend::tuning;
using cuda_backend::work;
using detail::batch::layout;

/// Numbers that follow from a seed.
class draws {
public:
  explicit draws(std::uint64_t seed) : at_(seed * 1'000'003) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(mixed(at_++) >> 11) % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class V>
  V of(std::initializer_list<V> all)
  {
    return all.begin()[below(all.size())];
  }

private:
  std::uint64_t at_;
};

class paths_taken {
public:
  static paths_taken& instance()
  {
    static paths_taken the;
    return the;
  }
  std::map<std::string, std::size_t> counts;
  std::string last;

private:
  paths_taken()
  {
    detail::observer_of_paths = [](char const* name, char const*) {
      ++instance().counts[name];
      instance().last = name;
    };
  }
};

/// A kind: elements of `stored`, combined as `element` by `operation`, results of `result`.
template <class T, class Op, class S = T, class R = T>
struct sequences_kind {
  using element = T;
  using operation = Op;
  using stored = S;
  using result = R;
};

template <class Kind>
class sequences_test {
public:
  using T = typename Kind::element;
  using Op = typename Kind::operation;
  using S = typename Kind::stored;
  using R = typename Kind::result;
  using W = working_type<T>;
  static constexpr std::size_t group = order::group<T>, row = order::row<T>, strip = order::strip<T>,
                               tile = order::tile<T>;

  /// `most` elements in the longest sequence.
  sequences_test(std::string name, std::size_t most) : name_(std::move(name)), most_(most)
  {
    paths_taken::instance();
    Op op;
    values_.resize(most + values_apart * different);
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = Kind::value(k);
    for (std::size_t q = 0; q < different; ++q) {
      initials_.push_back(Kind::initial(q));
      std::vector<W> x;
      for (std::size_t k = 0; k < most; ++k) x.push_back(static_cast<W>(static_cast<T>(values_[q * values_apart + k])));
      auto const by = reference::shape_of<T>();
      for (int from = 0; from < 3; ++from) {  // no initial value, that of all, its own
        reference::slot<W> init;
        if (from == 1) init = static_cast<W>(initials_[0]);
        if (from == 2) init = static_cast<W>(initials_[q]);
        expected_[from].push_back(reference::converted<T>(reference::inclusive<carry_type<Op, T>>(x, init, op, by)));
      }
    }
  }
  ~sequences_test() { cuda_backend::tuning_in_use() = {}; }

  /// Batches of up to so many sequences, of any size.
  void with_many(std::size_t sequences) { many_ = sequences; }

  /// `calls` calls on sequences of n elements.
  void at(std::size_t n, int calls)
  {
    for (int call = 0; call < calls; ++call) {
      one(n, static_cast<std::uint64_t>(call));
      if (::testing::Test::HasFailure()) return;
    }
  }

private:
  static constexpr std::size_t different = 7;  ///< sequences; those of a batch are these in turn
  static constexpr std::size_t values_apart = 101;
  static constexpr std::size_t guard = 64;
  static constexpr unsigned char poison = 0xA5;

  struct axis {
    std::ptrdiff_t step;                 ///< along
    std::vector<std::ptrdiff_t> across;  ///< one a dimension
    std::size_t first;                   ///< of sequence 0, from the beginning of the memory
    std::size_t size;                    ///< of the memory
  };

  /// Places sequences of n (or a single value each, for n = 1) without overlap, in dimensions of these extents.
  axis place(draws& by, std::size_t n, std::vector<std::size_t> const& extents, std::ptrdiff_t step, bool aligned)
  {
    axis result{step, std::vector<std::ptrdiff_t>(extents.size()), 0, 0};
    std::size_t const width = static_cast<std::size_t>(step < 0 ? -step : step);
    std::size_t room = (n - 1) * width + 1;
    std::size_t const unit = aligned ? group : 1;
    std::size_t before = 0;  // elements before sequence 0, for negative steps
    if (step < 0) before = room - 1;
    for (std::size_t d = extents.size(); d-- > 0;) {
      std::size_t const gap = far_ > 0 ? far_ : by.of<std::size_t>({0, 0, 1, 3, group});
      std::size_t pitch = room + gap;
      if (aligned) pitch = (pitch + unit - 1) / unit * unit;
      bool const turned = by.one_in(8);
      result.across[d] = turned ? -static_cast<std::ptrdiff_t>(pitch) : static_cast<std::ptrdiff_t>(pitch);
      if (turned) before += pitch * (extents[d] - 1);
      room = pitch * (extents[d] - 1) + room;
    }
    std::size_t offset = guard * group;
    if (!aligned) offset += by.below(group + 1);
    // Sequence 0's groups are aligned: forwards its first element, backwards the one behind it.
    std::size_t first = offset + before;
    if (aligned) first = step > 0 ? (first + unit - 1) / unit * unit : (first + 1 + unit - 1) / unit * unit - 1;
    result.first = first;
    result.size = first + room + 2 * guard * group;
    return result;
  }

  void one(std::size_t n, std::uint64_t number)
  {
    draws by(n * 131 + number * 7'777'777 + sizeof(T) * 13);
    work const what = by.of({work::inclusive_scan, work::inclusive_scan, work::exclusive_scan, work::reduce});
    bool const reduces = what == work::reduce;
    std::size_t const elements = n > 4 * tile ? 3 * n : n > 2048 ? 20'000 : 8'000;
    std::size_t most = many_ > 0 ? many_ : std::max<std::size_t>(1, elements / n);
    if (by.one_in(4)) most = std::min<std::size_t>(most, 3);
    std::size_t count = std::min<std::size_t>(1 + by.below(most), by.of<std::size_t>({5, 40, 1500}));
    std::vector<std::size_t> extents;
    if (by.one_in(3)) {
      std::size_t const outer = 1 + by.below(4);
      extents = {outer, std::max<std::size_t>(1, count / outer)};
      if (by.one_in(2)) extents.insert(extents.begin() + 1, 2);
    } else {
      extents = {count};
    }
    count = 1;
    for (std::size_t const each : extents) count *= each;

    bool const far = count <= 3 && n <= 300 && by.one_in(8);  // distances of more than 32 bits hold
    std::ptrdiff_t step = by.of<std::ptrdiff_t>({1, 1, 1, 1, -1, -1, 3, -2});
    if (far && n <= 4 && by.one_in(2)) step = 300'001;
    far_ = far ? 300'000 : 0;
    bool const aligned = by.one_in(2), in_place = std::is_same_v<S, R> && !reduces && by.one_in(4);
    axis const in = place(by, n, extents, step, aligned);
    axis out = in;
    if (!in_place)
      out = place(by, reduces ? 1 : n, extents, reduces ? 1 : by.one_in(8) ? -step : step, aligned && !by.one_in(4));
    axis const initial = place(by, 1, extents, 1, false), last = place(by, 1, extents, 1, false);
    int const from = what == work::exclusive_scan ? 1 + static_cast<int>(by.below(2)) : static_cast<int>(by.below(3));
    bool const with_lasts = !reduces && by.one_in(3);

    layout where;
    where.along = {n, {in.step, reduces ? 0 : out.step, 0, 0}};
    where.dimensions = static_cast<int>(extents.size());
    for (std::size_t d = 0; d < extents.size(); ++d)
      where.across[d] = {
          extents[d],
          {in.across[d], out.across[d], from == 2 ? initial.across[d] : 0, with_lasts ? last.across[d] : 0}};
    where = detail::batch::simplified(where);

    // Memory on the host, as it is to be before and after.
    std::vector<S> before_in(in.size);
    std::memset(before_in.data(), poison, in.size * sizeof(S));
    std::vector<R> after(out.size);
    std::memset(after.data(), poison, out.size * sizeof(R));
    std::vector<T> start(initial.size), ends(last.size);
    std::memset(start.data(), poison, initial.size * sizeof(T));
    std::memset(ends.data(), poison, last.size * sizeof(T));
    std::vector<R> before_out = after;
    for (std::size_t s = 0; s < count; ++s) {
      std::size_t const q = s % different;
      std::ptrdiff_t at_in = static_cast<std::ptrdiff_t>(in.first), at_out = static_cast<std::ptrdiff_t>(out.first),
                     at_initial = static_cast<std::ptrdiff_t>(initial.first),
                     at_last = static_cast<std::ptrdiff_t>(last.first);
      std::size_t rest = s;
      for (std::size_t d = extents.size(); d-- > 0;) {
        auto const index = static_cast<std::ptrdiff_t>(rest % extents[d]);
        rest /= extents[d];
        at_in += index * in.across[d];
        at_out += index * out.across[d];
        at_initial += index * initial.across[d];
        at_last += index * last.across[d];
      }
      std::vector<T> const& right = expected_[from][q];
      T const init = from == 1 ? initials_[0] : initials_[q];
      for (std::size_t k = 0; k < n; ++k) {
        auto const k_in = static_cast<std::size_t>(at_in + static_cast<std::ptrdiff_t>(k) * in.step);
        before_in[k_in] = values_[q * values_apart + k];
        if (reduces) continue;
        auto const k_out = static_cast<std::size_t>(at_out + static_cast<std::ptrdiff_t>(k) * out.step);
        after[k_out] = static_cast<R>(what == work::inclusive_scan ? right[k] : k == 0 ? init : right[k - 1]);
      }
      if (reduces) after[static_cast<std::size_t>(at_out)] = static_cast<R>(right[n - 1]);
      if (from == 2) start[static_cast<std::size_t>(at_initial)] = init;
      if (with_lasts) ends[static_cast<std::size_t>(at_last)] = right[n - 1];
    }
    std::vector<T> ends_before(last.size);
    std::memset(ends_before.data(), poison, last.size * sizeof(T));

    // The kernel.
    tuning tuned;
    tuned.sequences_by_blocks = by.of<std::size_t>({0, 4, 1'000'000});
    tuned.few_slots_warps = by.of<std::size_t>({0, 8, 1'000'000});
    tuned.totals_by_a_warp = by.of<std::uint32_t>({0, 160});
    tuned.aligned_slots = tuned.aligned_slots_of_reductions = by.of({0, 4, 8});
    tuned.spans = !by.one_in(4);
    tuned.totals_groups = by.of<std::size_t>({1, 1, 5, 1000});
    tuned.aligned_totals_groups = by.of<std::size_t>({1, 7, 1000});
    tuned.scans_by_warps = by.of<std::size_t>({0, 24});
    tuned.rows_by_warps = by.of<std::size_t>({40, 64});
    tuned.rows_of_spans = by.of<std::size_t>({5, 8});
    tuned.gaps_by_warps = by.of<std::size_t>({2, 3});
    tuned.sequences_by_warps = by.of<std::size_t>({0, 24});
    tuned.warps_of_a_tile = by.of({1, 2, 4, 8});
    tuned.rounds = by.of<std::size_t>({1, 4});
    tuned.ring_strips = by.of<std::size_t>({0, 8});
    cuda_backend::tuning_in_use() = tuned;
    using wish = cuda::workspace::path;
    space_.prefer(by.of({wish::automatic, wish::automatic, wish::registers}), by.of({0, 0, 0, 1, 3}));

    device_array<S> const device_in(before_in);
    device_array<R> const device_out(before_out);
    device_array<T> const device_start(start), device_ends(ends_before);
    detail::batch::ends<T> given;
    if (from == 1) given.initial = initials_[0];
    if (from == 2) given.initials = device_start.begin() + initial.first;
    if (with_lasts) given.lasts = device_ends.begin() + last.first;
    R* to = device_out.begin() + out.first;
    if constexpr (std::is_same_v<S, R>) {
      if (in_place) to = device_in.begin() + in.first;
    }
    cuda const on{stream_, space_};
    Op op;
    {
      cuda_backend::prepared_call call(on, "tally::test");
      cuda_backend::run(call, what, where, device_in.begin() + in.first, to, given, op);
    }
    check_cuda(cudaGetLastError());
    stream_.wait();

    auto const said = [&] {
      std::string text = name_ + ", n = " + std::to_string(n) + ", call " + std::to_string(number) + ", " +
                         (reduces                        ? "reduce"
                          : what == work::inclusive_scan ? "inclusive"
                                                         : "exclusive") +
                         ", " + std::to_string(count) + " sequences in " + std::to_string(extents.size()) +
                         " dimensions, steps " + std::to_string(in.step) + " " + std::to_string(out.step) +
                         (aligned ? ", aligned" : ", not aligned") + (in_place ? ", in place" : "") + ", initial " +
                         std::to_string(from) + (with_lasts ? ", lasts" : "") + ", by " + paths_taken::instance().last;
      return text;
    };
    auto const compare = [&](auto const& found, auto const& right, char const* array) {
      if (same_bytes(found, right)) return;
      std::size_t k = 0, wrong = 0, first = 0;
      for (; k < found.size(); ++k)
        if (std::memcmp(&found[k], &right[k], sizeof found[k]) != 0)
          if (wrong++ == 0) first = k;
      ADD_FAILURE() << said() << ": " << wrong << " of " << array << " differ, first at " << first << " of "
                    << found.size();
    };
    if constexpr (std::is_same_v<S, R>) {
      if (in_place) {
        compare(device_in.values(), after, "the results in place");
        compare(device_ends.values(), ends, "the last values");
        return;
      }
    }
    compare(device_out.values(), after, "the results");
    compare(device_ends.values(), ends, "the last values");
  }

  std::string name_;
  std::size_t most_;
  std::size_t many_ = 0;
  std::size_t far_ = 0;  ///< between sequences
  std::vector<S> values_;
  std::vector<T> initials_;
  std::vector<std::vector<T>> expected_[3];
  cuda::workspace space_;
  stream stream_;
};

inline std::size_t wished(char const* name, std::size_t otherwise)
{
  char const* const wish = std::getenv(name);
  return wish == nullptr ? otherwise : std::strtoul(wish, nullptr, 10);
}

/// All sizes up to 300, those around rows, strips, tiles and spans, and some between.
template <class Kind>
void expect_sequences(std::string const& name)
{
  using T = typename Kind::element;
  std::size_t const most = wished("TALLY_TEST_MAX_SIZE", order::span<T> + 2 * order::tile<T> + 5);
  auto const calls = static_cast<int>(wished("TALLY_TEST_CALLS", 12));
  sequences_test<Kind> test(name, most);
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 300; ++n) sizes.push_back(n);
  auto const around = [&](std::size_t n, std::size_t width) {
    for (std::size_t k = n - width; k <= n + width; ++k) sizes.push_back(k);
  };
  for (std::size_t r = 1; r <= 9; ++r) around(r * order::row<T>, 2);
  for (std::size_t s = 2; s <= 9; ++s) around(s * order::strip<T>, 2);
  for (std::size_t t = 2; t <= 4; ++t) around(t * order::tile<T>, 2);
  around(order::span<T>, 1);
  sizes.push_back(order::span<T> + 2 * order::tile<T> + 5);
  draws by(17);
  for (int k = 0; k < 40; ++k) sizes.push_back(1 + by.below(3 * order::tile<T>));
  for (std::size_t const n : sizes) {
    if (n > most) continue;
    test.at(n, n > 4 * order::tile<T> ? 3 : calls);
    if (::testing::Test::HasFailure()) return;
  }
}

/// Sequences of several spans, more of them than are under way at a time.
template <class Kind>
void expect_long_sequences(std::string const& name)
{
  using T = typename Kind::element;
  std::size_t const most = 3 * order::span<T> + order::tile<T> + 17;
  sequences_test<Kind> test(name, most);
  test.with_many(40);
  for (std::size_t const n : {most, 3 * order::span<T>, order::span<T> + order::tile<T>})
    test.at(n, static_cast<int>(wished("TALLY_TEST_CALLS", 12)));
}

}  // namespace tally::test
