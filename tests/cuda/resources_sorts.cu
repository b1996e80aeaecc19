// The kernels of radix sorts whose registers and shared memory check_resources.py looks at: keys of each width, alone
// and with values that go through shared memory, and with values that do not.
#include <cstddef>
#include <cstdint>
#include <functional>

#include "tally/algorithms/radix_sort.hpp"
#include "tally/cuda.hpp"

namespace tally {

struct six_words {
  std::uint32_t words[6];
};

template <class Key, class Value>
void sort_both(cuda const& on, Key* keys, Value* values, std::size_t n)
{
  radix_sort(on, keys, keys + n);
  radix_sort_by_key(on, keys, keys + n, values);
}
template void sort_both<std::uint8_t, std::uint32_t>(cuda const&, std::uint8_t*, std::uint32_t*, std::size_t);
template void sort_both<std::int16_t, std::uint8_t>(cuda const&, std::int16_t*, std::uint8_t*, std::size_t);
template void sort_both<std::uint32_t, std::uint32_t>(cuda const&, std::uint32_t*, std::uint32_t*, std::size_t);
template void sort_both<float, std::uint32_t>(cuda const&, float*, std::uint32_t*, std::size_t);
template void sort_both<float, double>(cuda const&, float*, double*, std::size_t);
template void sort_both<std::uint64_t, std::uint32_t>(cuda const&, std::uint64_t*, std::uint32_t*, std::size_t);
template void sort_both<double, double>(cuda const&, double*, double*, std::size_t);
template void sort_both<double, six_words>(cuda const&, double*, six_words*, std::size_t);

}  // namespace tally
