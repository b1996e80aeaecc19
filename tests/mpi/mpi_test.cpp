#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "../order/reference.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/operators.hpp"
#include "tally/mpi.hpp"

/// Calls over a real MPI: `mpirun -n R mpi_test` checks communicators of the first 1, 2, 3, 5 and R ranks. Each rank
/// computes the whole by the order's reference, and compares its part in bits.
namespace {

using namespace tally::test;

#define EXPECT(condition, ...)                                                                                         \
  do {                                                                                                                 \
    if (!(condition)) fail(__LINE__, #condition, __VA_ARGS__);                                                         \
  } while (false)

[[noreturn]] void fail(int line, char const* condition, std::string const& what)
{
  std::fprintf(stderr, "mpi_test.cpp:%d: not so: %s (%s)\n", line, condition, what.c_str());
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::exit(EXIT_FAILURE);
}

template <class T>
bool equal_bits(T const* a, T const* b, std::size_t n)
{
  return std::equal(a, a + n, b, [](T const& x, T const& y) {
    if constexpr (binary_float<T>)
      return bits_of(x) == bits_of(y);
    else
      return x == y;
  });
}

/// This rank's part of [0, n) in a random division, the same on all ranks; some parts are empty.
struct part {
  std::size_t begin, end;

  part(std::size_t n, tally::mpi const& on, std::uint64_t seed)
  {
    auto const offsets = random_division(n, on.size(), seed);
    begin = offsets[static_cast<std::size_t>(on.rank())];
    end = offsets[static_cast<std::size_t>(on.rank()) + 1];
  }
  std::size_t size() const { return end - begin; }
};

/// Every verb on parts of x, out of place and in place.
template <class T, class Op>
void check_calls(tally::mpi const& on, std::vector<T> const& x, T init, Op op, char const* what)
{
  auto const all = reference::scan(x, op, std::optional<T>(init));
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    part const own_part(x.size(), on, seed);
    std::string const where = std::string(what) + ", " + std::to_string(on.size()) + " ranks, seed " +
                              std::to_string(seed) + ", rank " + std::to_string(on.rank());
    std::vector<T> values(x.begin() + static_cast<std::ptrdiff_t>(own_part.begin),
                          x.begin() + static_cast<std::ptrdiff_t>(own_part.end));
    std::vector<T> out(values.size());
    tally::exclusive_scan(on, values, out, init, op);
    EXPECT(equal_bits(out.data(), all.exclusive.data() + own_part.begin, out.size()), where);
    T const sum = tally::reduce(on, values, init, op);
    EXPECT(equal_bits(&sum, &*all.reduced, 1), where);
    T into = init;
    tally::reduce_into(on, values, on.rank() == on.size() - 1 ? &into : nullptr, init, op);
    EXPECT(equal_bits(&into, on.rank() == on.size() - 1 ? &*all.reduced : &init, 1), where);
    tally::inclusive_scan(on, values, values, op, init);
    EXPECT(equal_bits(values.data(), all.inclusive.data() + own_part.begin, out.size()), where);
  }
}

std::vector<matrix> matrices(std::size_t n)
{
  std::vector<matrix> all(n);
  for (std::size_t k = 0; k < n; ++k) {
    auto const random = [&](std::uint64_t j) { return static_cast<std::uint32_t>(random_bits(j, k)); };
    all[k] = {random(1), random(2), random(3), random(4)};
  }
  return all;
}

void check_results(tally::mpi const& on)
{
  check_calls<float>(on, make_data<float>(data::mixed_magnitudes, 40000), 3.0f, tally::plus{}, "sums of floats");
  check_calls<float>(on, make_data<float>(data::mixed_magnitudes, 5), 3.0f, halve_and_add_in_double{}, "few floats");
  check_calls<double>(on, make_data<double>(data::mixed_magnitudes, 9000), 3.0, halve_and_add{}, "an own operator");
  check_calls<std::int64_t>(on, make_data<std::int64_t>(data::distinct, 3000), 7, tally::plus{}, "sums of integers");
  check_calls<matrix>(on, matrices(5000), {2, 3, 5, 7}, matrix_product{}, "matrices");

  // More totals than a report has room for: a round of their own. The sum of the whole numbers below n.
  std::size_t const n = 70 * tally::order::tile<float>;
  part const own(n, on, 9);
  auto const first = tally::elements_from([](std::size_t k) { return static_cast<float>(k % 1024); });
  using distance = std::ptrdiff_t;
  float const sum = tally::reduce(on, first + static_cast<distance>(own.begin), first + static_cast<distance>(own.end));
  float const alone = tally::reduce(first, first + static_cast<distance>(n));
  EXPECT(sum == alone, std::to_string(sum) + ", expected " + std::to_string(alone));

  std::vector<float> const ranks(3, static_cast<float>(on.rank()));
  std::vector<int> counts(static_cast<std::size_t>(on.size()) + 3);
  tally::histogram(on, ranks,
                   tally::even_bins(0.0f, static_cast<float>(on.size()), static_cast<std::size_t>(on.size())),
                   counts.begin());
  for (int r = 0; r < on.size(); ++r)
    EXPECT(counts[static_cast<std::size_t>(r)] == 3, "three values of rank " + std::to_string(r));

  // An exact sum travels whole.
  std::vector<double> const x = make_data<double>(data::cancelling, 1000);
  part const of_x(x.size(), on, 4);
  EXPECT(tally::reduce(on, x.begin() + static_cast<distance>(of_x.begin), x.begin() + static_cast<distance>(of_x.end),
                       0.0, tally::exact_plus{}) == tally::reduce(x, 0.0, tally::exact_plus{}),
         "the exact sum");
}

/// Ranks that fail or differ end the call on all ranks, and the next call works.
void check_failures(tally::mpi const& on)
{
  std::vector<float> const values(100, 1.0f);
  std::vector<float> out(100);
  int const last = on.size() - 1;
  std::string text;
  int rank = -1;
  try {
    tally::transform_inclusive_scan(on, values, out, tally::plus{}, [&](float value) {
      if (on.rank() == last) throw operator_failed();
      return value;
    });
  } catch (tally::rank_error const& e) {
    text = e.what();
    rank = e.rank();
  }
  EXPECT(rank == last, text);
  EXPECT(text == "tally: rank " + std::to_string(last) + " of " + std::to_string(on.size()) +
                     " failed: the operator failed",
         text);
  if (last > 0) {
    text.clear();
    try {
      if (on.rank() == last)
        (void)tally::reduce(on, std::vector<double>(3));
      else
        tally::inclusive_scan(on, values, out);
    } catch (tally::rank_error const& e) {
      text = e.what();
      rank = e.rank();
    }
    EXPECT(rank == last && text.find("inclusive_scan of float") != text.npos &&
               text.find("reduce of double") != text.npos,
           text);
  }
  EXPECT(tally::reduce(on, values) == 100.0f * static_cast<float>(on.size()), "the call after it");
}

template <class Error, class Call>
std::string text_of(Call const& call)
{
  try {
    call();
  } catch (Error const& e) {
    return e.what();
  }
  return "nothing was thrown";
}

void check_errors_of_mpi()
{
  std::string text = text_of<tally::usage_error>([] { tally::mpi const on{MPI_COMM_NULL}; });
  EXPECT(text.find("MPI_COMM_NULL") != text.npos, text);
  text = text_of<tally::mpi_error>([] { tally::mpi_backend::check(MPI_ERR_RANK, "MPI_Isend"); });
  EXPECT(text.find("tally: MPI_Isend failed: ") == 0 && text.find("rank") != text.npos, text);
  // A real one: the error comes back from MPI, and does not abort the program.
  tally::mpi_backend::transport by(MPI_COMM_SELF);
  std::byte data[1]{};
  text = text_of<tally::mpi_error>([&] { by.broadcast(data, 1, 5); });
  EXPECT(text.find("tally: MPI_Bcast failed: ") == 0, text);
  text = text_of<tally::usage_error>([&] { by.broadcast(data, std::size_t{1} << 31, 0); });
  EXPECT(text.find("2147483648 is more than MPI counts") != text.npos, text);
}

}  // namespace

int main(int argc, char** argv)
{
  std::string const early = text_of<tally::usage_error>([] { tally::mpi const on{MPI_COMM_WORLD}; });
  MPI_Init(&argc, &argv);
  try {
    EXPECT(early.find("MPI is not initialised") != early.npos, early);
    check_errors_of_mpi();
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int const ranks : {1, 2, 3, 5, size}) {
      if (ranks > size) continue;
      MPI_Comm some = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &some);
      if (some != MPI_COMM_NULL) {
        {
          tally::mpi const on{some, tally::cpu{1}};
          MPI_Comm_free(&some);  // `on` has its own
          check_results(on);
          check_failures(on);
        }
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) std::printf("communicators of up to %d ranks passed\n", size);
  } catch (std::exception const& e) {
    fail(__LINE__, "no exception", e.what());
  }
  MPI_Finalize();
}
