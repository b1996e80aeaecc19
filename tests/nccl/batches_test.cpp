#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/operators.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/array_view.hpp"
#include "tally/detail/nccl/batches.hpp"
#include "tally/operators.hpp"
#include "tally/ranks.hpp"

/// Sequences along an axis that is divided among GPUs, whose memory is this machine's.
namespace tally::test {
namespace {

/// An array of (2, n, 3), whose parts along axis 1 lie in several layouts.
template <class T, class Op>
class array_of_parts {
public:
  static constexpr std::size_t a = 2, c = 3, count = a * c;

  array_of_parts(std::size_t n, std::size_t tile, Op op)
      : n_(n),
        op_(op),
        x_(make_data<T>(hardest<T>, count * n)),
        starts_(make_data<T>(data::distinct, count, 7))
  {
    for (std::size_t s = 0; s < count; ++s) {
      std::vector<T> own;
      for (std::size_t k = 0; k < n; ++k) own.push_back(element(s / c, k, s % c));
      expected_.push_back(reference::scan(own, op, std::optional<T>(starts_[s]), tiles_of(tile)));
      plain_.push_back(reference::scan(own, op, std::optional<T>(), tiles_of(tile)));
    }
  }

  /// Every call on the part [begin, end) of each sequence.
  void check(host_ranks const& on, std::size_t begin, std::size_t end, std::uint64_t layout) const
  {
    std::size_t const size = end - begin;
    auto const place = [&](std::size_t i, std::size_t k, std::size_t j) {
      return layout == 0 ? (i * c + j) * size + k : layout == 1 ? (i * size + k) * c + j : (j * size + k) * a + i;
    };
    std::vector<T> part(count * size), out(part.size()), lasts(count), sums(count);
    for (std::size_t s = 0; s < count; ++s)
      for (std::size_t k = 0; k < size; ++k) part[place(s / c, k, s % c)] = element(s / c, begin + k, s % c);
    auto const view = [&](std::vector<T>& values) {
      if (layout == 0) return array_view<T>(values.data(), {a, c, size});
      if (layout == 1) return array_view<T>(values.data(), {a, size, c});
      return array_view<T>(values.data(), {a, size, c}, {1, a, size * a});
    };
    std::ptrdiff_t const axis = layout == 0 ? 2 : 1;
    auto const expect = [&](std::vector<T> const& got, std::vector<reference::results<T>> const& all, bool inclusive,
                            char const* what) {
      for (std::size_t s = 0; s < count; ++s)
        for (std::size_t k = 0; k < size; ++k) {
          T const right = inclusive ? all[s].inclusive[begin + k] : all[s].exclusive[begin + k];
          expect_value(got[place(s / c, k, s % c)], right, what);
        }
    };
    auto const expect_values = [&](std::vector<T> const& got, std::vector<reference::results<T>> const& all,
                                   char const* what) {
      for (std::size_t s = 0; s < count; ++s) expect_value(got[s], *all[s].reduced, what);
    };
    tally::exclusive_scan(on, along(axis, view(part)), along(axis, view(out)), each(starts_), op_, last_to(lasts));
    expect(out, expected_, false, "exclusive_scan");
    expect_values(lasts, expected_, "last_to");
    tally::reduce(on, along(axis, view(part)), sums, each(starts_), op_);
    expect_values(sums, expected_, "reduce");
    if (n_ > 0) {
      tally::inclusive_scan(on, along(axis, view(part)), along(axis, view(out)), op_);
      expect(out, plain_, true, "inclusive_scan");
    }
    tally::inclusive_scan(on, along(axis, view(part)), along(axis, view(part)), op_, each(starts_));
    expect(part, expected_, true, "inclusive_scan in place");
  }

  void check_divisions(std::size_t tile, std::vector<std::vector<std::size_t>> const& divisions) const
  {
    watchdog const waits(std::chrono::seconds(300));
    host_machine machine;
    machine.tile = tile;
    on_host_ranks(static_cast<int>(divisions[0].size()) - 1, machine, {}, [&](host_ranks const& on, int rank) {
      std::uint64_t calls = 0;
      in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) {
        check(on, begin, end, (static_cast<std::uint64_t>(rank) + calls++) % 3);  // ranks have layouts of their own
      });
    });
  }

private:
  T element(std::size_t i, std::size_t k, std::size_t j) const { return x_[(i * n_ + k) * c + j]; }

  std::size_t n_;
  Op op_;
  std::vector<T> x_, starts_;
  std::vector<reference::results<T>> expected_, plain_;
};

template <class T, class Op>
void check_arrays(std::size_t n, std::size_t tile, Op op, std::vector<std::vector<std::size_t>> const& divisions)
{
  array_of_parts<T, Op>(n, tile, op).check_divisions(tile, divisions);
}

TEST(batches_on_gpus, every_division)
{
  check_arrays<float>(13, 3, halve_and_add_in_double{}, every_division(13));
  check_arrays<std::int32_t>(8, 3, plus{}, every_division(8));
}

TEST(batches_on_gpus, random_divisions_across_spans)
{
  for (int const ranks : {1, 2, 5, 9}) {
    check_arrays<double>(200, 2, halve_and_add{}, random_divisions(200, ranks, 4));
    check_arrays<bfloat16>(150, 1, plus{}, random_divisions(150, ranks, 4));
  }
}

TEST(batches_on_gpus, nothing)
{
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    in_each_division(rank, {{0, 0, 0, 0}}, [&](std::size_t, std::size_t) {
      std::vector<float> none, sums(4, 9.0f);
      tally::reduce(on, along(1, array_view<float>(none.data(), {4, 0})), sums);
      for (float const sum : sums)
        if (sum != 0.0f) throw error("sums of nothing");
      tally::inclusive_scan(on, along(1, array_view<float>(none.data(), {4, 0})),
                            along(1, array_view<float>(none.data(), {4, 0})), maximum{}, 3.0f, last_to(sums));
      if (sums[3] != 3.0f) throw error("the initial value is the last one");
      tally::reduce(on, along(0, array_view<float>(none.data(), {5, 0})), sums);  // no sequences
    });
  });
}

TEST(batches_on_gpus, mistakes_on_one_rank_end_the_call_on_all)
{
  std::vector<float> const x(12, 1.0f);
  std::vector<std::string> texts(3);
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    std::vector<float> out(12);
    try {
      tally::inclusive_scan(on, along(1, array_view<float const>(x.data(), {3, 4})),
                            along(1, array_view<float>(out.data(), {3, std::size_t{rank == 1 ? 3u : 4u}})));
    } catch (rank_error const& e) {
      texts[static_cast<std::size_t>(rank)] = e.what();
    }
  });
  for (auto const& text : texts)
    EXPECT_EQ(text.find("tally: rank 1 of 3 failed: tally::inclusive_scan: 4 elements have 4 results"), 0u) << text;
}

/// Messages of a batch: as many as those of one sequence, whose bytes are those of all.
TEST(batches_on_gpus, what_crosses)
{
  constexpr std::size_t count = 5, report = 128, tile = 3;
  std::vector<std::size_t> known;
  auto const run = [&](std::vector<std::size_t> const& sizes) {
    return on_host_ranks(2, {}, known, [&](host_ranks const& on, int rank) {
      std::size_t const size = sizes[static_cast<std::size_t>(rank)];
      std::vector<float> part(count * size, 1.0f);
      array_view<float> const rows(part.data(), {count, size});
      tally::inclusive_scan(on, along(1, rows), along(1, rows));
    });
  };
  auto const block = [](std::size_t values) { return (32 + 8 * count * values + 255) / 256 * 256; };
  EXPECT_EQ(run({tile, 10}), (traffic{0, 0, 3, 2 * (2 * report + block(4))}));
  EXPECT_EQ(run({tile - 1, 2}), (traffic{2, 2 * count * 1 * 4, 3, 2 * (2 * report + block(1))}));
  known = {tile - 1, 2};
  EXPECT_EQ(run(known), (traffic{2, 2 * count * 1 * 4, 1, 2 * block(1)}));
}

}  // namespace
}  // namespace tally::test
