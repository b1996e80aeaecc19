/// Prints the bits of reductions and scans: compiled with TALLY_HEADER_ONLY, and against the compiled library.
/// TALLY_TEST_MORE adds other types and operators, whose kernels take the compiler some seconds more.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include <tally/tally.hpp>

namespace {

template <class T>
void print(char const* name, std::vector<T> const& values)
{
  std::string_view const bytes(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
  std::printf("%-20s %016zx\n", name, std::hash<std::string_view>()(bytes));
}

}  // namespace

int main()
{
  std::vector<float> floats(300'001);
  std::uint32_t state = 1;
  for (float& each : floats) each = static_cast<float>((state = state * 1664525 + 1013904223) >> 8) * 0x1p-20f;
  std::vector<float> results(floats.size());
  print("sum", std::vector<float>{tally::reduce(floats)});
  tally::inclusive_scan(floats, results);
  print("running sums", results);
  tally::exclusive_scan(floats, results, 0.5f);
  print("exclusive sums", results);
#ifdef TALLY_TEST_MORE
  std::vector<double> doubles(floats.begin(), floats.end()), running(floats.size());
  std::vector<std::int16_t> integers(floats.begin(), floats.end());
  tally::inclusive_scan(integers, integers, tally::maximum());
  print("running maxima", integers);
  tally::inclusive_scan(tally::cpu(), doubles, running, tally::exact_plus());
  print("exact sums", running);
  std::vector<std::size_t> const offsets{0, 3, 3, 1000, 200'000, 300'001};
  std::vector<float> sums(offsets.size() - 1);
  tally::reduce(tally::segments(floats, offsets), sums);
  print("sums of segments", sums);
#endif
}
