// Segments beside plain loops:
//   build/bench/algorithms/tally_bench_by_key [log2 of the size ...]
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/by_offset.hpp"

namespace {

template <class T>
void measure(std::string const& type, std::size_t n)
{
  std::vector<std::int32_t> keys(n), keys_out(n);
  std::vector<T> values(n), out(n);
  std::mt19937 random(1);
  for (T& value : values) value = static_cast<T>(random() % 1000);
  for (std::uint32_t const length : {2u, 10u, 1000u, 1u << 31}) {
    std::vector<std::size_t> offsets;
    std::int32_t key = 0;
    for (std::size_t k = 0; k < n; ++k) {
      bool const head = k == 0 || random() % length == 0;
      keys[k] = key += head;
      if (head) offsets.push_back(k);
    }
    offsets.push_back(n);
    std::string const what = " of " + type + ", runs of " + (length >> 31 ? "all" : std::to_string(length));
    {
      std::size_t const bytes = n * (4 + sizeof(T)) + (offsets.size() - 1) * (4 + sizeof(T));
      tally::bench::rounds all("reduce_by_key" + what, n, bytes);
      all.add("loop", [&] {
        std::size_t count = 0;
        T sum = values[0];
        for (std::size_t k = 1; k < n; ++k) {
          if (keys[k] == keys[k - 1]) {
            sum = static_cast<T>(sum + values[k]);
            continue;
          }
          keys_out[count] = keys[k - 1];
          out[count++] = sum;
          sum = values[k];
        }
        keys_out[count] = keys[n - 1];
        out[count] = sum;
      });
      all.add("tally::reduce_by_key, one thread", [&] {
        tally::reduce_by_key(tally::cpu{1}, keys.begin(), keys.end(), values.begin(), keys_out.begin(), out.begin());
      });
      all.add("tally::reduce_by_key", [&] {
        tally::reduce_by_key(tally::cpu{}, keys.begin(), keys.end(), values.begin(), keys_out.begin(), out.begin());
      });
      all.run(7);
    }
    {
      tally::bench::rounds all("inclusive_scan_by_key" + what, n, n * (4 + 2 * sizeof(T)));
      all.add("loop", [&] {
        T sum = out[0] = values[0];
        for (std::size_t k = 1; k < n; ++k)
          out[k] = sum = keys[k] == keys[k - 1] ? static_cast<T>(sum + values[k]) : values[k];
      });
      all.add("tally::inclusive_scan_by_key", [&] {
        tally::inclusive_scan_by_key(tally::cpu{}, keys.begin(), keys.end(), values.begin(), out.begin());
      });
      all.run(7);
    }
    {
      tally::bench::rounds all("reduce_by_offset" + what, n, n * sizeof(T) + offsets.size() * (8 + sizeof(T)));
      all.add("loop", [&] {
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
          T sum{};
          for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) sum = static_cast<T>(sum + values[k]);
          out[s] = sum;
        }
      });
      all.add("tally::reduce_by_offset", [&] {
        tally::reduce_by_offset(tally::cpu{}, values.begin(), offsets.begin(), offsets.end(), out.begin());
      });
      all.run(7);
    }
  }
}

}  // namespace

int main(int count, char** arguments)
{
  std::vector<int> sizes;
  for (int k = 1; k < count; ++k) sizes.push_back(std::atoi(arguments[k]));
  if (sizes.empty()) sizes = {20, 25};
  for (int const size : sizes) {
    measure<float>("f32", std::size_t{1} << size);
    measure<std::int32_t>("i32", std::size_t{1} << size);
  }
}
