// Batches of sequences on a GPU, at every size (sequences.cuh).
#include "sequences.cuh"

#include "tally/half.hpp"
#include "tally/operators.hpp"

namespace tally::test {
namespace {

template <class T, class Op = plus>
struct numbers : sequences_kind<T, Op> {
  static T value(std::size_t k) { return value_at<T>(k); }
  static T initial(std::size_t q) { return value_at<T>(1'000'000 + q); }
};

TEST(cuda_sequences, of_f32)
{
  expect_sequences<numbers<float>>("f32");
}
TEST(cuda_sequences, of_f64)
{
  expect_sequences<numbers<double>>("f64");
}
TEST(cuda_sequences, of_i64)
{
  expect_sequences<numbers<std::int64_t>>("i64");
}
struct bytes : sequences_kind<std::int8_t, plus> {
  static std::int8_t value(std::size_t k) { return static_cast<std::int8_t>(mixed(k)); }
  static std::int8_t initial(std::size_t q) { return static_cast<std::int8_t>(mixed(q + 77)); }
};
TEST(cuda_sequences, of_i8)
{
  expect_sequences<bytes>("i8");
}
struct halves : sequences_kind<half, plus> {
  static half value(std::size_t k) { return static_cast<half>(static_cast<float>(value_at<double>(k))); }
  static half initial(std::size_t q) { return value(q + 1'000'000); }
};
TEST(cuda_sequences, of_f16)
{
  expect_sequences<halves>("f16");
}

/// A map t -> a t + b modulo 2^32, and a sum: its composition does not commute. It has no identity.
struct map_of_12_bytes {
  std::uint32_t a, b, sum;
};
struct composing_maps {
  TALLY_HD constexpr map_of_12_bytes operator()(map_of_12_bytes const& x, map_of_12_bytes const& y) const
  {
    return {x.a * y.a, x.b * y.a + y.b, x.sum + y.sum};
  }
};
struct maps : sequences_kind<map_of_12_bytes, composing_maps> {
  static map_of_12_bytes value(std::size_t k)
  {
    auto const word = [](std::uint64_t z) { return static_cast<std::uint32_t>(mixed(z)); };
    return {word(3 * k) | 1, word(3 * k + 1), word(3 * k + 2)};
  }
  static map_of_12_bytes initial(std::size_t q) { return value(q + 1'000'000); }
};
TEST(cuda_sequences, of_12_bytes)
{
  expect_sequences<maps>("12 bytes");
}

/// Read as two bytes, combined as four, written as eight.
struct converted : sequences_kind<std::uint32_t, plus, std::uint16_t, std::uint64_t> {
  static std::uint16_t value(std::size_t k) { return static_cast<std::uint16_t>(mixed(k)); }
  static std::uint32_t initial(std::size_t q) { return static_cast<std::uint32_t>(mixed(q + 77)); }
};
TEST(cuda_sequences, of_numbers_that_are_converted)
{
  expect_sequences<converted>("converted");
}

TEST(cuda_sequences, of_several_spans)
{
  expect_long_sequences<maps>("12 bytes, several spans");
  expect_long_sequences<numbers<double>>("f64, several spans");
}

/// A call is one kernel in a graph, which can be replayed on other values.
TEST(cuda_sequences, captured)
{
  for (std::size_t const n : {64, 2'000, 20'000}) {
    std::size_t const count = 33;
    detail::batch::layout where;
    where.along = {n, {1, 1, 0, 0}};
    where.dimensions = 1;
    auto const pitch = static_cast<std::ptrdiff_t>(n);
    where.across[0] = {count, {pitch, pitch, 0, 0}};
    detail::batch::layout reduced = where;
    reduced.along.step.out = 0;
    reduced.across[0].step.out = 1;
    device_array<float> const in(values_to<float>(n * count));
    device_array<float> const scanned(n * count), sums(count), again(n * count), sums_again(count);
    stream const work;
    cuda::workspace space;
    plus op;
    auto const call = [&](device_array<float> const& scan, device_array<float> const& sum) {
      cuda const on{work, space};
      {
        cuda_backend::prepared_call here(on, "tally::test");
        cuda_backend::run<float>(here, cuda_backend::work::inclusive_scan, where, in.begin(), scan.begin(), {}, op);
      }
      cuda_backend::prepared_call here(on, "tally::test");
      cuda_backend::run<float>(here, cuda_backend::work::reduce, reduced, in.begin(), sum.begin(), {}, op);
    };
    call(scanned, sums);  // the workspace has its memory from here on
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    std::size_t nodes = 0;
    check_cuda(cudaStreamBeginCapture(work, cudaStreamCaptureModeThreadLocal));
    call(again, sums_again);
    check_cuda(cudaStreamEndCapture(work, &graph));
    check_cuda(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQ(nodes, 2u);
    check_cuda(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 3; ++replay) check_cuda(cudaGraphLaunch(executable, work));
    work.wait();
    EXPECT_TRUE(same_bytes(scanned.values(), again.values())) << n;
    EXPECT_TRUE(same_bytes(sums.values(), sums_again.values())) << n;
    check_cuda(cudaGraphExecDestroy(executable));
    check_cuda(cudaGraphDestroy(graph));
  }
}

/// Each kernel was launched, if all tests were run.
class every_kernel_of_sequences : public ::testing::Environment {
public:
  void TearDown() override
  {
    if (GTEST_FLAG_GET(filter) != "*" || std::getenv("TALLY_TEST_MAX_SIZE") != nullptr) return;
    for (std::size_t k = 0; k < cuda_backend::sequences_kernels; ++k) {
      char const* const name = cuda_backend::path_of(static_cast<sequences_kernel>(k));
      EXPECT_GT(paths_taken::instance().counts[name], 0u) << name << " was never taken";
    }
    for (auto const& [name, count] : paths_taken::instance().counts) std::printf("%12zu  %s\n", count, name.c_str());
  }
};
[[maybe_unused]] auto* const registered = ::testing::AddGlobalTestEnvironment(new every_kernel_of_sequences);

}  // namespace
}  // namespace tally::test
