#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ranks_parts.hpp"
#include "src/c/cuda/chosen_operator.hpp"
#include "src/c/cuda/ranks_along.hpp"
#include "src/c/cuda/ranks_segments.hpp"
#include "src/c/ranks/gpu_call.hpp"
#include "tally.h"
#include "tally/detail/segments/segments.hpp"
#include "tests/nccl/host_machine.hpp"

/// Calls on ranks with GPUs: what libtally_cuda.so.1 does there, in this machine's memory, and what libtally.so.1 says
/// where there is no GPU. Values are such that sums are exact, in whatever tiles.
namespace tally_c_test {
namespace {

using tally::c::along_on_gpus;
using tally::c::chosen_operator;
using tally::c::runs_on_gpus;
using tally::c::segments_on_gpus;
using tally::test::host_machine;
using tally::test::host_ranks;
using tally::test::on_host_ranks;

constexpr int number_of_ranks = 3;

/// Small numbers, of which some are -0.0.
template <class E>
std::vector<E> numbers(std::size_t n, std::uint64_t seed)
{
  std::mt19937 random(static_cast<unsigned>(seed));
  std::vector<E> all(n);
  for (E& each : all) each = static_cast<E>(static_cast<std::int64_t>(random() % 19) - 9);
  if (std::is_floating_point_v<E> && n > 0) all[0] = static_cast<E>(-0.0);
  return all;
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b)
{
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The arrays of calls on rows, of which a rank has the columns [begin, end).
template <class E>
std::vector<E> columns(std::vector<E> const& all, std::size_t rows, std::size_t begin, std::size_t end)
{
  std::size_t const n = rows == 0 ? 0 : all.size() / rows;
  std::vector<E> part;
  for (std::size_t s = 0; s < rows; ++s)
    part.insert(part.end(), all.begin() + static_cast<std::ptrdiff_t>(s * n + begin),
                all.begin() + static_cast<std::ptrdiff_t>(s * n + end));
  return part;
}

template <class E>
tally_type type_of()
{
  return std::is_integral_v<E> ? tally_type TALLY_INT64
         : sizeof(E) == 4      ? tally_type TALLY_FLOAT32
                               : tally_type TALLY_FLOAT64;
}

enum class initial_values { none, one, each };

/// Reductions and scans of rows, beside those of tally_reduce and tally_scan.
template <class E, class Run>
void check_rows(std::size_t rows, std::size_t n, std::size_t op_number, initial_values given, Run const& run_call)
{
  std::vector<E> const all = numbers<E>(rows * n, rows + n);
  std::vector<E> starts = numbers<E>(rows, 7);
  for (E& each : starts) each = static_cast<E>(each + 20);
  auto const* const op = reinterpret_cast<tally_operation const*>(op_number);
  std::int64_t const shape[] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(n)};
  auto const array = [&](std::vector<E>& of, int axes) {
    return tally_array{of.data(), {TALLY_CPU, 0}, axes, type_of<E>(), shape, nullptr, 0};
  };
  std::vector<E> in = all, sums(rows), scanned(rows * n), lasts(rows);
  tally_array const in_a = array(in, 2), sums_a = array(sums, 1), scanned_a = array(scanned, 2),
                    lasts_a = array(lasts, 1), starts_a = array(starts, given == initial_values::each ? 1 : 0);
  tally_options options{};
  options.size = sizeof options;
  if (given != initial_values::none) options.initial = &starts_a;
  ASSERT_EQ(tally_reduce(&in_a, 1, &sums_a, op, &options), TALLY_OK) << tally_last_message();
  options.flags = TALLY_EXCLUSIVE;
  options.last = &lasts_a;
  ASSERT_EQ(tally_scan(&in_a, 1, &scanned_a, op, &options), TALLY_OK) << tally_last_message();

  for (std::vector<std::size_t> const& cuts :
       {std::vector<std::size_t>{0, n / 3, n / 2, n}, {0, 0, n, n}, {0, n, n, n}, {0, n / 2, n / 2, n}})
    on_host_ranks(number_of_ranks, {}, {}, [&](host_ranks const& on, int rank) {
      std::size_t const begin = cuts[static_cast<std::size_t>(rank)], end = cuts[static_cast<std::size_t>(rank) + 1];
      std::vector<E> const part = columns(all, rows, begin, end);
      std::vector<E> own_sums(rows, E(77)), out(part.size(), E(77)), own_lasts(rows, E(77));
      E const identity = given == initial_values::none && std::is_floating_point_v<E> ? static_cast<E>(-0.0) : E();
      E const nothing = E();
      along_on_gpus call;
      call.name = "a call";
      call.op = op_number;
      call.sequences = rows;
      call.nothing = reinterpret_cast<std::byte const*>(&nothing);
      call.call.reduces = true;
      call.call.in = reinterpret_cast<std::byte const*>(part.data());
      call.call.out = rank == 1 ? nullptr : reinterpret_cast<std::byte*>(own_sums.data());
      call.call.initial = given == initial_values::none ? nullptr : reinterpret_cast<std::byte const*>(starts.data());
      call.call.initial_for_each = given == initial_values::each;
      auto const width = static_cast<std::ptrdiff_t>(end - begin);
      call.call.where = {{end - begin, {1, 1}}, 1, {}};
      call.call.where.across[0] = {rows, {width, 1, 1, 1, 0}};
      bool has_met = false;
      run_call(on, call, has_met);
      if (!has_met) throw tally::error("the ranks have met");
      if (!same_bits(own_sums, rank == 1 ? std::vector<E>(rows, E(77)) : sums)) throw tally::error("sums");
      call.call.reduces = false;
      call.call.exclusive = true;
      call.call.out = reinterpret_cast<std::byte*>(out.data());
      call.call.last = reinterpret_cast<std::byte*>(own_lasts.data());
      call.call.where.across[0] = {rows, {width, width, 1, 1, 0}};
      call.begins_with_nothing = given == initial_values::none;
      if (call.begins_with_nothing) call.call.initial = reinterpret_cast<std::byte const*>(&identity);
      run_call(on, call, has_met);
      if (!same_bits(out, columns(scanned, rows, begin, end))) throw tally::error("an exclusive scan");
      if (!same_bits(own_lasts, lasts)) throw tally::error("last values");
    });
}

TEST(c_ranks_on_gpus, rows)
{
  for (auto const given : {initial_values::none, initial_values::one, initial_values::each})
    for (std::size_t const rows : {1, 4})
      for (std::size_t const n : {0, 1, 40}) {
        check_rows<float>(rows, n, 1, given, [](auto const& on, auto const& call, bool& has_met) {
          tally::c::run_along<float, float>(on, call, has_met, tally::plus{});
        });
        check_rows<std::int64_t>(rows, n, 1, given, [](auto const& on, auto const& call, bool& has_met) {
          tally::c::run_along<std::uint64_t, std::uint64_t>(on, call, has_met,
                                                            chosen_operator<std::uint64_t>::of(1, true));
        });
      }
}

TEST(c_ranks_on_gpus, exact_sums)
{
  for (auto const given : {initial_values::none, initial_values::one, initial_values::each})
    for (std::size_t const rows : {1, 4})
      for (std::size_t const n : {0, 1, 40})
        check_rows<double>(rows, n, 8, given, [](auto const& on, auto const& call, bool& has_met) {
          tally::c::run_along<double, double>(on, call, has_met, tally::exact_plus{});
        });
}

/// Segments of one machine: float sums beside tally_reduce_segments and tally_scan_segments.
TEST(c_ranks_on_gpus, segments)
{
  std::size_t const n = 30;
  std::vector<float> const all = numbers<float>(n, 1);
  std::vector<float> const starts{100, 200, 300, 400};
  for (auto const given : {initial_values::none, initial_values::one, initial_values::each})
    for (std::vector<std::int64_t> const& places :
         {std::vector<std::int64_t>{0, 30, 30, 30, 30}, {0, 0, 7, 21, 30}, {2, 9, 9, 12, 28}, {0, 10, 20, 25, 30}}) {
      std::size_t const count = places.size() - 1;
      std::vector<float> in = all, sums(count), scanned(n, 77.0f), lasts(count), initial = starts;
      std::vector<std::int64_t> offsets = places;
      std::int64_t const elements = 30, segments = 4, ends = 5;
      auto const array = [](void* data, tally_type type, std::int64_t const& size, int axes = 1) {
        return tally_array{data, {TALLY_CPU, 0}, axes, type, &size, nullptr, 0};
      };
      tally_array const in_a = array(in.data(), TALLY_FLOAT32, elements),
                        offsets_a = array(offsets.data(), TALLY_INT64, ends),
                        sums_a = array(sums.data(), TALLY_FLOAT32, segments),
                        scanned_a = array(scanned.data(), TALLY_FLOAT32, elements),
                        lasts_a = array(lasts.data(), TALLY_FLOAT32, segments),
                        initial_a =
                            array(initial.data(), TALLY_FLOAT32, segments, given == initial_values::each ? 1 : 0);
      tally_options options{};
      options.size = sizeof options;
      if (given != initial_values::none) options.initial = &initial_a;
      ASSERT_EQ(tally_reduce_segments(&in_a, &offsets_a, &sums_a, TALLY_PLUS, &options), TALLY_OK);
      options.flags = TALLY_EXCLUSIVE;
      options.last = &lasts_a;
      ASSERT_EQ(tally_scan_segments(&in_a, &offsets_a, &scanned_a, TALLY_PLUS, &options), TALLY_OK);
      for (std::vector<std::size_t> const& cuts :
           {std::vector<std::size_t>{0, 7, 20, 30}, {0, 0, 15, 30}, {0, 10, 10, 30}, {0, 3, 4, 30}})
        on_host_ranks(number_of_ranks, {}, {}, [&](host_ranks const& on, int rank) {
          std::size_t const begin = cuts[static_cast<std::size_t>(rank)],
                            end = cuts[static_cast<std::size_t>(rank) + 1];
          std::size_t first = 0, behind = count;  // of the rank's segments
          while (rank > 0 && first < count && places[first] < static_cast<std::int64_t>(begin)) ++first;
          if (rank + 1 < number_of_ranks)
            for (behind = first; behind < count && places[behind] < static_cast<std::int64_t>(end);) ++behind;
          std::vector<float> const part(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                        all.begin() + static_cast<std::ptrdiff_t>(end));
          std::vector<float> out(part.size(), 77.0f), own_sums(behind - first), own_lasts(behind - first);
          float const nothing = 0.0f, identity = -0.0f;
          segments_on_gpus call;
          call.name = "a call";
          tally::c::segments_call& of = call.call;
          of.values = reinterpret_cast<std::byte const*>(part.data());
          of.elements = part.size();
          of.offsets = places.data() + first;
          of.segments = behind - first;
          of.initial_for_each = given == initial_values::each;
          float const* const begins = starts.data() + (of.initial_for_each ? first : 0);
          of.initial = given == initial_values::none ? nullptr : reinterpret_cast<std::byte const*>(begins);
          of.nothing = reinterpret_cast<std::byte const*>(given == initial_values::one ? begins : &nothing);
          auto const run = [&] {
            tally::c::run_between<float, float>(
                on, call, tally::plus{}, [&](std::uint64_t begin_of_part, std::size_t own) {
                  // The calls on one machine, which write the first results of nothing as a GPU's do.
                  for (std::size_t s = 0; s < own; ++s) {
                    auto const at = static_cast<std::size_t>(of.offsets[s]) - begin_of_part,
                               to = static_cast<std::size_t>(of.offsets[s + 1]) - begin_of_part;
                    std::optional<float> sum;
                    if (of.initial != nullptr) sum = begins[of.initial_for_each ? s : 0];
                    if (of.begins_with_nothing) sum = identity;
                    for (std::size_t k = at; k < to; ++k) {
                      if (!of.reduces) out[k] = of.begins_with_nothing && k == at ? nothing : *sum;
                      sum = sum ? *sum + part[k] : part[k];
                    }
                    if (of.begins_with_nothing && at == to) sum = nothing;
                    (of.reduces ? own_sums : own_lasts)[s] = sum ? *sum : nothing;
                  }
                });
          };
          of.reduces = true;
          of.out = reinterpret_cast<std::byte*>(own_sums.data());
          run();
          of.reduces = false;
          of.exclusive = true;
          of.out = reinterpret_cast<std::byte*>(out.data());
          of.last = reinterpret_cast<std::byte*>(own_lasts.data());
          of.begins_with_nothing = given == initial_values::none;
          if (of.begins_with_nothing) of.initial = reinterpret_cast<std::byte const*>(&identity);
          run();
          auto const piece = [](std::vector<float> const& whole, std::size_t from, std::size_t to) {
            return std::vector<float>(whole.begin() + static_cast<std::ptrdiff_t>(from),
                                      whole.begin() + static_cast<std::ptrdiff_t>(to));
          };
          if (!same_bits(own_sums, piece(sums, first, behind))) throw tally::error("sums");
          if (!same_bits(out, piece(scanned, begin, end))) throw tally::error("an exclusive scan");
          if (!same_bits(own_lasts, piece(lasts, first, behind))) throw tally::error("last values");
        });
    }
}

TEST(c_ranks_on_gpus, elements_lie_side_by_side_if_there_are_any)
{
  tally::c::array given;
  given.shape = {2, 3};
  given.strides = {3, 1};
  EXPECT_NO_THROW(tally::c::check_rows(given, 1, "in"));
  given.strides = {6, 2};
  EXPECT_ANY_THROW(tally::c::check_rows(given, 1, "in"));
  given.shape = {0, 3};
  EXPECT_NO_THROW(tally::c::check_rows(given, 1, "in"));
}

TEST(c_ranks_on_gpus, runs_of_keys)
{
  std::size_t const n = 30;
  std::vector<float> const all = numbers<float>(n, 1);
  for (std::size_t const length : {1, 4, 11, 30})
    for (std::vector<std::size_t> const& cuts :
         {std::vector<std::size_t>{0, 7, 20, 30}, {0, 0, 15, 30}, {0, 12, 12, 30}, {0, 3, 4, 30}})
      on_host_ranks(number_of_ranks, {}, {}, [&](host_ranks const& on, int rank) {
        std::size_t const begin = cuts[static_cast<std::size_t>(rank)], end = cuts[static_cast<std::size_t>(rank) + 1];
        std::vector<float> const part(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                      all.begin() + static_cast<std::ptrdiff_t>(end));
        std::vector<std::int64_t> keys(part.size()), keys_out(n, -1), expected_keys;
        std::vector<float> out(n, 77.0f), expected, scanned;
        for (std::size_t k = begin; k < end; ++k) keys[k - begin] = static_cast<std::int64_t>(k / length);
        for (std::size_t run = 0; run * length < n; ++run) {
          float sum = 100;
          for (std::size_t k = run * length; k < std::min(n, (run + 1) * length); ++k) {
            if (begin <= k && k < end) scanned.push_back(sum);
            sum += all[k];
          }
          if (begin > run * length || run * length >= end) continue;
          expected_keys.push_back(static_cast<std::int64_t>(run));
          expected.push_back(sum);
        }
        float const initial = 100, nothing = 100;
        runs_on_gpus call;
        call.values.name = "a call";
        tally::c::segments_call& of = call.values.call;
        of.values = reinterpret_cast<std::byte const*>(part.data());
        of.elements = part.size();
        of.initial = reinterpret_cast<std::byte const*>(&initial);
        of.nothing = reinterpret_cast<std::byte const*>(&nothing);
        of.out = reinterpret_cast<std::byte*>(out.data());
        call.keys = reinterpret_cast<std::byte const*>(keys.data());
        call.keys_out = reinterpret_cast<std::byte*>(keys_out.data());
        call.room = n;
        auto const local = [&](std::size_t from, std::size_t to) {
          std::size_t count = 0;
          for (std::size_t k = from; k < to;) {
            float sum = initial;
            std::size_t const first = k;
            for (; k < to && keys[k] == keys[first]; ++k) {
              if (!of.reduces) out[k] = sum;
              sum += part[k];
            }
            if (of.reduces) out[count] = sum, keys_out[count] = keys[first];
            ++count;
          }
          return count;
        };
        auto const run = [&] {
          return tally::c::run_by_key<float, float, std::int64_t>(on, call, tally::plus{}, local);
        };
        of.reduces = true;
        std::size_t const found = run();
        std::vector<float> const sums(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(found));
        keys_out.resize(found);
        if (!same_bits(sums, expected) || keys_out != expected_keys) throw tally::error("runs");
        of.reduces = false;
        of.exclusive = true;
        run();
        out.resize(part.size());
        if (!same_bits(out, scanned)) throw tally::error("a scan");
        // Without room for the runs all ranks hear of it.
        of.reduces = true;
        call.room = 0;
        std::string text;
        try {
          run();
        } catch (tally::rank_error const& e) {
          text = e.what();
        }
        if (text.find("there is room for 0 runs; there are ") == text.npos) throw tally::error(text);
      });
}

/// Without a GPU, or without libtally_cuda.so.1, ranks hear that there is none. They can go on.
TEST(c_ranks_on_gpus, ranks_without_a_gpu)
{
  on_ranks(2, [](tally_ranks* all, int rank) {
    float value = 1, sum = 0;
    std::int64_t const one = 1;
    tally_array const here{&value, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, &one, nullptr, 0},
        there{&value, {TALLY_CUDA, 0}, 1, TALLY_FLOAT32, &one, nullptr, 0};
    tally_array const out{&sum, {TALLY_CPU, 0}, 0, TALLY_FLOAT32, nullptr, nullptr, 0},
        out_there{&sum, {TALLY_CUDA, 0}, 0, TALLY_FLOAT32, nullptr, nullptr, 0};
    auto const expect = [&](std::int32_t status, std::string const& text) {
      EXPECT_EQ(status, TALLY_RANK_FAILED);
      EXPECT_NE(std::string(tally_last_message()).find(text), std::string::npos) << tally_last_message();
      EXPECT_EQ(tally_ranks_reduce(all, &here, 0, &out, TALLY_PLUS, nullptr), TALLY_OK);
      EXPECT_EQ(sum, 2.0f);
    };
    std::string const none = "in lies on a GPU, and these ranks have none: call tally_ranks_use_gpu before";
    expect(tally_ranks_reduce(all, &there, 0, &out_there, TALLY_PLUS, nullptr), none);
    expect(tally_ranks_scan(all, &there, 0, &there, TALLY_PLUS, nullptr), none);
    // One rank's array lies on the CPU.
    expect(rank == 0 ? tally_ranks_reduce(all, &here, 0, &out, TALLY_PLUS, nullptr)
                     : tally_ranks_reduce(all, &there, 0, &out_there, TALLY_PLUS, nullptr),
           "rank 1 of 2 failed: " + none);
    EXPECT_EQ(tally_last_failed_rank(), 1);
    expect(tally_ranks_scan_segments(all, &there, &there, &there, TALLY_PLUS, nullptr), "values lies on a GPU");
    expect(tally_ranks_scan_by_key(all, &there, &there, &there, TALLY_PLUS, nullptr), "keys lies on a GPU");
    tally_array const mixed = there;
    expect(tally_ranks_reduce(all, &mixed, 0, &out, TALLY_PLUS, nullptr), "out lies in the memory of the CPU");
    // No machine has so many.
    EXPECT_EQ(tally_ranks_use_gpu(all, 1000), TALLY_RANK_FAILED);
    // One rank makes another call.
    expect(rank == 0 ? tally_ranks_reduce(all, &here, 0, &out, TALLY_PLUS, nullptr) : tally_ranks_use_gpu(all, 1000),
           "");
  });
}

}  // namespace
}  // namespace tally_c_test
