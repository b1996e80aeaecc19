#include "modules.hpp"

#include <dlfcn.h>

#include <array>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>

namespace tally::bench {
namespace {

struct instruction_set {
  char const* name;
  char const* spoken;
  bool (*supported)();
};

/// Widest first. The levels are those of the x86-64 psABI that the modules are compiled for.
constexpr std::array known = {
#if defined(__x86_64__)
    instruction_set{"avx512", "AVX-512",
                    [] {
                      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") &&
                             __builtin_cpu_supports("avx512vl");
                    }},
    instruction_set{"avx2", "AVX2",
                    [] {
                      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                             __builtin_cpu_supports("fma");
                    }},
    instruction_set{"sse4", "SSE4", [] { return bool(__builtin_cpu_supports("sse4.2")); }},
#else
    instruction_set{"native", "native", [] { return true; }},
#endif
};

std::optional<std::span<contender const>> load(instruction_set const& set)
{
  std::filesystem::path const beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::filesystem::path const file = beside / ("tally_bench_peers_" + std::string(set.name) + ".so");
  if (!std::filesystem::exists(file)) return std::nullopt;
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) throw std::runtime_error(dlerror());
  auto const contenders = reinterpret_cast<contenders_of_module>(dlsym(module, "tally_bench_contenders"));
  if (!contenders) throw std::runtime_error(dlerror());
  std::size_t count = 0;
  contender const* const first = contenders(&count);
  return std::span(first, count);
}

/// Whether the speed may depend on the width of vectors alone, apart from the instructions that the wider set adds.
bool comes_in_both(contender const& c)
{
  std::string_view const name = c.name;
  bool const limit = c.part == role::copy_limit || c.part == role::read_limit;
  return (limit && name != "memcpy") || name == "omp simd" || name == "log-step vector loop";
}

}  // namespace

peer_modules load_peers(std::string_view widest)
{
  static std::deque<std::string> names;  // contenders keep pointers to them
  peer_modules result;
  bool allowed = widest.empty();
  int modules = 0;
  for (instruction_set const& set : known) {
    allowed = allowed || set.name == widest;
    if (!allowed || !set.supported() || modules == 2) continue;
    auto const found = load(set);
    if (!found) continue;
    if (++modules == 1) {
      result.instructions = set.name;
      result.all.assign(found->begin(), found->end());
      continue;
    }
    for (contender const& c : *found)
      if (comes_in_both(c)) {
        result.all.push_back(c);
        result.all.back().name = names.emplace_back(std::string(c.name) + " (" + set.spoken + ")").c_str();
      }
  }
  if (modules == 0) throw std::runtime_error("no module of peers beside tally_bench fits this processor");
  return result;
}

}  // namespace tally::bench
