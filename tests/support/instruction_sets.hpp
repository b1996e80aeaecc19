#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <hwy/targets.h>

#include "tally/detail/cpu/kernels.hpp"

namespace tally::test {

/// Makes Highway dispatch to this instruction set only, for its lifetime.
class only_instruction_set {
public:
  explicit only_instruction_set(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~only_instruction_set() { hwy::SetSupportedTargetsForTest(0); }
  only_instruction_set(only_instruction_set const&) = delete;
  only_instruction_set& operator=(only_instruction_set const&) = delete;
};

namespace kernel_tables {

/// The tables of kernels that calls take at present: one for each type.
template <class... T>
std::array<void const*, sizeof...(T)> in_force()
{
  return {&tally::cpu_backend::all_kernels<T>()...};
}

}  // namespace kernel_tables

/// The instruction sets of this machine that have kernels of their own, the best first. Highway also names sets for
/// which the library is not compiled (SSSE3; AVX2 under a sanitizer): calls take the kernels of another one there.
inline std::vector<std::int64_t> const& instruction_sets()
{
  static std::vector<std::int64_t> const all = [] {
    std::vector<std::int64_t> sets;
    std::vector<std::array<void const*, 10>> known;
    for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
      only_instruction_set const only(rest & -rest);
      auto const tables = kernel_tables::in_force<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                                  std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>();
      if (std::find(known.begin(), known.end(), tables) != known.end()) continue;
      known.push_back(tables);
      sets.push_back(rest & -rest);
    }
    return sets;
  }();
  return all;
}

}  // namespace tally::test
