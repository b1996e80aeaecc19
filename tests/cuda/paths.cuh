#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "device_array.hpp"
#include "tally/cuda.hpp"

/// Calls at every remainder, by a kernel that the test names, against results of a loop. Calls, comparisons and new
/// poison follow each other on a stream; the host looks at what was found once in a while.
namespace tally::test {

using cuda_backend::kernel;
using cuda_backend::path_of;
using cuda_backend::tuning;
using cuda_backend::work;
using requested = cuda::workspace::path;

/// The paths that calls took, counted.
class visits {
public:
  static visits& instance()
  {
    static visits the;
    return the;
  }
  char const* last = "";
  std::map<std::string, std::size_t> counts;

private:
  visits()
  {
    detail::observer_of_paths = [](char const* name, char const*) {
      instance().last = name;
      ++instance().counts[name];
    };
  }
};

/// The first element that differed, and how many did.
struct difference {
  unsigned long long count, at;
  unsigned call;
  unsigned is_guard;
};

inline constexpr unsigned char poison_byte = 0xA5;

template <class T>
__device__ bool same_bits(T const& a, T const& b)
{
  auto const* const x = reinterpret_cast<unsigned char const*>(&a);
  auto const* const y = reinterpret_cast<unsigned char const*>(&b);
  bool same = true;
  for (std::size_t k = 0; k < sizeof(T); ++k) same = same && x[k] == y[k];
  return same;
}

/// Compares out[0, n) with `expected`, or with `first` and then `expected` if that is asked for, and `guard` elements
/// on both sides with poison; leaves poison.
template <class T>
__global__ void compare_and_poison(T* out, std::size_t n, std::size_t guard, T const* expected, T first,
                                   bool begins_with_first, T poison, unsigned call, difference* found)
{
  std::size_t const all = n + 2 * guard, step = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < all; k += step) {
    bool const is_guard = k < guard || k >= guard + n;
    T right = poison;
    if (!is_guard) {
      std::size_t const at = k - guard;
      right = !begins_with_first ? expected[at] : at == 0 ? first : expected[at - 1];
    }
    T* const place = out + static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(guard);
    if (!same_bits(*place, right)) {
      if (atomicAdd(&found->count, 1ull) == 0) {
        found->at = k;
        found->call = call;
        found->is_guard = is_guard;
      }
      *place = poison;
    } else if (!is_guard) {
      *place = poison;
    }
  }
}

/// How a call is made, and the kernel that it then has.
struct way {
  std::string name;
  kernel which;
  tuning by{};
  requested path = requested::automatic;
  int blocks = 0;
};

/// One call.
struct one_call {
  std::size_t n;
  std::size_t in_phase, out_phase;  ///< bytes into a line of 128
  work what;
  bool in_place;
  bool from_init;
  std::size_t which_way;
};

/// A kind of problem: `element` is combined by `op()`; `stored` is what an input holds, `value(k)` its element k, and
/// `input(p)` what a call gets for elements at p; `result` is what an output holds, and `output(p)` what a call gets
/// for results at p. `init()` is an initial value. `expected(x, init)` is the inclusive scan of x.
template <class Kind>
class calls {
public:
  using T = typename Kind::element;
  using S = typename Kind::stored;
  using R = typename Kind::result;
  using Op = typename Kind::operation;
  using P =
      cuda_backend::problem<T, Op, decltype(Kind::input(nullptr)), decltype(Kind::output(nullptr)), std::identity>;
  static constexpr std::size_t group = order::group<T>, row = order::row<T>, strip = order::strip<T>,
                               tile = order::tile<T>;
  static constexpr bool in_memory = std::is_pointer_v<typename P::input> && std::is_pointer_v<typename P::output>;
  static constexpr bool may_be_in_place = in_memory && std::is_same_v<S, R>;
  static constexpr bool fits_cluster = sizeof(working_type<T>) % 4 == 0;
  static constexpr bool fits_ring = cuda_backend::fits_ring<P>;
  static constexpr bool fits_stripes = cuda_backend::fits_stripes<P>;
  static constexpr bool takes_steps = cuda_backend::needs_stripes<P>;
  static constexpr bool in_pairs = in_memory && std::is_arithmetic_v<T> && sizeof(T) == 4;
  static constexpr std::size_t line = 128;
  /// Tiles of a reduction that have a block each, at most.
  static constexpr std::size_t most_own_tiles =
      cuda_backend::fits_own_reduction<P> ? static_cast<std::size_t>(cuda_backend::own_reduction_threads<P>) : 0;

  /// Inputs of up to `most` elements, in each phase; one of `far` elements, in phase 0. The environment may ask for no
  /// more than TALLY_TEST_MAX_SIZE elements, and for one call in TALLY_TEST_EVERY: then no visits are expected.
  calls(std::size_t most, std::size_t far)
      : every_(number_from_environment("TALLY_TEST_EVERY", 1)),
        far_(std::min(far, number_from_environment("TALLY_TEST_MAX_SIZE", far))),
        most_(std::min(most, far_))
  {
    visits::instance();
    check_cuda(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, 0));
    int major = 0;
    check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    sm_90_ = major >= 9;
    std::vector<S> x(far_);
    for (std::size_t k = 0; k < far_; ++k) x[k] = Kind::value(k);
    upload(inclusive_, Kind::expected(x, std::nullopt));
    upload(from_init_, Kind::expected(x, std::optional<T>(Kind::init())));
    init_ = static_cast<R>(Kind::init());
    for (std::size_t phase = 0; phase < line; phase += phase < 16 ? alignof(S) : 16) in_phases_.push_back(phase);
    near_.reserve(in_phases_.size());
    near_bytes_ = (most_ * sizeof(S) + 2 * line + 255) / 256 * 256;
    check_cuda(cudaMalloc(&near_memory_, near_bytes_ * in_phases_.size()));
    for (std::size_t const phase : in_phases_) {
      char* const at = near_memory_ + near_bytes_ * near_.size() + phase;
      check_cuda(cudaMemcpy(at, x.data(), most_ * sizeof(S), cudaMemcpyDefault));
      near_.push_back(reinterpret_cast<S*>(at));
    }
    check_cuda(cudaMalloc(&far_memory_, far_ * sizeof(S) + 2 * line));
    check_cuda(cudaMemcpy(far_memory_, x.data(), far_ * sizeof(S), cudaMemcpyDefault));
    out_bytes_ = far_ * sizeof(R) + 2 * guard * sizeof(R) + 2 * line;
    check_cuda(cudaMalloc(&out_memory_, out_bytes_));
    check_cuda(cudaMemset(out_memory_, poison_byte, out_bytes_));
    check_cuda(cudaMalloc(&found_, sizeof(difference)));
    check_cuda(cudaMemset(found_, 0, sizeof(difference)));
    check_cuda(cudaDeviceSynchronize());
    std::memset(&poison_, poison_byte, sizeof poison_);
  }
  ~calls()
  {
    cuda_backend::tuning_in_use() = {};
    cudaDeviceSynchronize();
    for (void* each : {static_cast<void*>(inclusive_), static_cast<void*>(from_init_), static_cast<void*>(near_memory_),
                       static_cast<void*>(far_memory_), static_cast<void*>(out_memory_), static_cast<void*>(found_)})
      cudaFree(each);
  }

  /// Every way, each at all remainders up to three tiles, at those around each tile and span beyond, and in all phases.
  void everything()
  {
    for (way const& each : all_ways()) {
      ways_.push_back(each);
      if (::testing::Test::HasFatalFailure()) return;
      near_sizes();
      if (::testing::Test::HasFatalFailure()) return;
      pairs_of_phases();
      if (::testing::Test::HasFatalFailure()) return;
      far_sizes();
      if (::testing::Test::HasFatalFailure()) return;
      look();
    }
    if (every_ == 1 && most_ > 3 * tile) expect_visits();
  }

private:
  static constexpr std::size_t guard = 256 / sizeof(R) < 8 ? 8 : 256 / sizeof(R);

  std::vector<way> all_ways() const
  {
    if (takes_steps)
      return {{"steps", kernel::striped},
              {"steps by one block", kernel::striped, {}, requested::automatic, 1},
              {"steps by three blocks", kernel::striped, {}, requested::automatic, 3}};
    tuning const never_few{.one_block_tiles = 0, .cluster_tiles = 0};  // neither one block nor a cluster
    std::vector<way> all{
        {"one tile", kernel::eight_rows},
        {"one tile, from four rows on", kernel::eight_rows, {.one_row_strips = 0}},
        {"one tile, always eight rows", kernel::eight_rows, {.one_row_strips = 0, .four_row_strips = 0}},
        {"drawn tiles", kernel::drawn_tiles, {}, requested::registers},
        {"drawn tiles by one block", kernel::drawn_tiles, {}, requested::registers, 1},
        {"drawn tiles by three blocks", kernel::drawn_tiles, {}, requested::registers, 3},
    };
    if (fits_cluster && sm_90_) all.push_back({"cluster", kernel::cluster, {.one_block_tiles = 0, .own_tiles = 0}});
    if (in_memory) {
      tuning one = never_few, two = never_few;
      one.processors = 1;
      two.processors = 2;
      all.push_back({"own tiles", kernel::own_tiles, never_few});
      all.push_back({"own tiles backwards", kernel::own_tiles, {}, requested::backwards});
      if (in_pairs) {
        all.push_back({"own tiles in pairs, on one multiprocessor", kernel::own_tiles_in_pairs, one});
        all.push_back({"own tiles in pairs, on two", kernel::own_tiles_in_pairs, two});
      }
    }
    if (fits_ring && sm_90_) {
      tuning none = never_few;
      none.own_tiles = 0;
      all.push_back({"ring", kernel::ring, none, fits_stripes ? requested::ring : requested::automatic});
      all.push_back({"ring of one block", kernel::ring, {}, requested::ring, 1});
      all.push_back({"ring of three blocks", kernel::ring, {}, requested::ring, 3});
    }
    if (fits_stripes) {
      all.push_back({"striped", kernel::striped, never_few});
      all.push_back({"striped by one block", kernel::striped, never_few, requested::automatic, 1});
      all.push_back({"striped by three blocks", kernel::striped, never_few, requested::automatic, 3});
    }
    return all;
  }

  static std::size_t number_from_environment(char const* name, std::size_t otherwise)
  {
    char const* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoul(text, nullptr, 10);
  }

  /// The kernel that a call has in this way; the fallbacks are here. None if the call cannot go this way.
  std::optional<kernel> kernel_of(way const& by, one_call const& c) const
  {
    if (takes_steps && c.what != work::inclusive_scan) return {};
    if (c.n == 0) return c.what != work::reduce || c.from_init ? std::optional(kernel::nothing) : std::nullopt;
    std::size_t const tiles = (c.n - 1) / tile + 1;
    bool const reduces = c.what == work::reduce;
    bool const owns = tiles <= std::min<std::size_t>(most_own_tiles, by.by.own_tiles) && by.blocks == 0 &&
                      by.path != requested::registers && by.path != requested::ring;
    kernel const reduction = owns ? kernel::own_reduction : kernel::reduction;
    bool const aligned = c.in_place ? c.out_phase % 16 == 0 : c.in_phase % 16 == 0;
    kernel const else_kernel =
        fits_ring && aligned && by.path == requested::automatic ? kernel::ring : kernel::drawn_tiles;
    switch (by.which) {
      case kernel::eight_rows:
        if (tiles > 1) return {};
        return c.n <= by.by.one_row_strips * strip    ? kernel::one_row
               : c.n <= by.by.four_row_strips * strip ? kernel::four_rows
                                                      : kernel::eight_rows;
      case kernel::cluster: return tiles <= 8 ? std::optional(kernel::cluster) : std::nullopt;
      case kernel::own_tiles:
        if (reduces) return owns ? std::optional(reduction) : std::nullopt;
        if (c.in_place) return else_kernel;
        return tiles <= static_cast<std::size_t>(processors_) ? std::optional(kernel::own_tiles) : std::nullopt;
      case kernel::own_tiles_in_pairs: {
        auto const processors = static_cast<std::size_t>(by.by.processors);
        if (reduces || c.in_place || tiles > 2 * processors) return {};
        return tiles <= processors ? kernel::own_tiles : kernel::own_tiles_in_pairs;
      }
      case kernel::ring:
        if (reduces) return {};
        return aligned ? kernel::ring : kernel::drawn_tiles;
      case kernel::striped: return reduces ? reduction : kernel::striped;
      default: return reduces ? reduction : kernel::drawn_tiles;
    }
  }

  /// Makes a call if it can go the way, and has it compared.
  void make(one_call c)
  {
    way const& by = ways_.back();
    std::optional<kernel> const expected = kernel_of(by, c);
    if (!expected || c.n > far_) return;
    c.which_way = ways_.size() - 1;
    char* const aligned_out = out_memory_ + guard * sizeof(R) + (line - guard * sizeof(R) % line);
    R* const out = reinterpret_cast<R*>(aligned_out + c.out_phase);
    S const* in = c.n <= most_ ? near_[phase_index(c.in_phase)] : reinterpret_cast<S const*>(far_memory_);
    if constexpr (may_be_in_place) {
      if (c.in_place) {
        check_cuda(cudaMemcpyAsync(out, in, c.n * sizeof(S), cudaMemcpyDefault, on_));
        in = out;
      }
    }
    cuda_backend::tuning_in_use() = by.by;
    space_.prefer(by.path, by.blocks);
    T const init = Kind::init();
    visits::instance().last = "nothing";
    {
      cuda const here{on_, space_};
      cuda_backend::prepared_call call(here, "tally::paths");
      cuda_backend::run(call, c.what, Kind::input(in), c.n, Kind::output(out),
                        cuda_backend::beginning<T>{c.from_init ? &init : nullptr}, Op{}, std::identity{});
    }
    if (std::strcmp(visits::instance().last, path_of(*expected)) != 0)
      FAIL() << Kind::name << ", " << said(c) << ": took '" << visits::instance().last << "', expected '"
             << path_of(*expected) << "'";
    ++made_[{c.which_way, static_cast<std::size_t>(*expected), static_cast<std::size_t>(c.what), c.in_place}];
    bool const reduces = c.what == work::reduce;
    R const* const results = c.from_init ? from_init_ : inclusive_;
    std::size_t const n = reduces ? 1 : c.n;
    bool const begins_with_init = c.what == work::exclusive_scan || (reduces && c.n == 0);
    R const* const compared = reduces && c.n > 0 ? results + (c.n - 1) : results;
    unsigned const blocks = static_cast<unsigned>(std::min<std::size_t>((n + 2 * guard + 255) / 256, 2048));
    compare_and_poison<<<blocks, 256, 0, on_>>>(out, n, guard, compared, init_, begins_with_init, poison_,
                                                static_cast<unsigned>(pending_.size()), found_);
    pending_.push_back(c);
    if (pending_.size() == 8192) look();
  }

  /// Waits for the calls so far.
  void look()
  {
    difference found{};
    check_cuda(cudaGetLastError());
    check_cuda(cudaMemcpyAsync(&found, found_, sizeof found, cudaMemcpyDefault, on_));
    check_cuda(cudaStreamSynchronize(on_));
    std::vector<one_call> const made = std::move(pending_);
    pending_.clear();
    if (found.count == 0) return;
    check_cuda(cudaMemset(found_, 0, sizeof(difference)));
    check_cuda(cudaMemset(out_memory_, poison_byte, out_bytes_));
    check_cuda(cudaDeviceSynchronize());
    auto const at = static_cast<long long>(found.at) - static_cast<long long>(guard);
    FAIL() << Kind::name << ", " << said(made.at(found.call)) << ": " << found.count
           << " elements differ in this call and those after it, the first one "
           << (found.is_guard != 0 ? "outside of the output, at " : "at ") << at;
  }

  std::string said(one_call const& c) const
  {
    return ways_.at(c.which_way).name +
           (c.what == work::reduce           ? ", reduction"
            : c.what == work::inclusive_scan ? ", inclusive scan"
                                             : ", exclusive scan") +
           (c.in_place ? " in place" : "") + (c.from_init ? " from an initial value" : "") + " of " +
           std::to_string(c.n) + " elements, input " + std::to_string(c.in_phase) + " and output " +
           std::to_string(c.out_phase) + " bytes into a line";
  }

  /// Calls make(what, in_place) for each direction that the way has.
  template <class F>
  void each_direction(F f)
  {
    for (work const what : {work::inclusive_scan, work::exclusive_scan, work::reduce}) {
      f(what, false);
      if constexpr (may_be_in_place)
        if (what != work::reduce) f(what, true);
    }
  }

  one_call any_call(std::size_t n, work what, bool in_place)
  {
    std::uint64_t const bits = mixed(++turn_);
    // The ring takes inputs that are aligned; all others too, but now and then.
    bool const aligned = ways_.back().which == kernel::ring ? bits % 16 != 0 : bits % 8 == 0;
    std::size_t const out_phase = (bits >> 16) % (line / alignof(R)) * alignof(R);
    std::size_t const in_phase = in_phases_[(bits >> 32) % in_phases_.size()];
    return {n,
            aligned ? in_phase / 16 * 16 : in_phase,
            in_place && aligned ? out_phase / 16 * 16 : out_phase,
            what,
            in_place,
            what == work::exclusive_scan || (bits >> 8) % 2 == 0,
            0};
  }

  static std::size_t distance(std::size_t n, std::size_t of) { return std::min(n % of, of - n % of); }

  /// All remainders around rows, strips and tiles, the first row, and every so many sizes between, others each time.
  void near_sizes()
  {
    bool const few_blocks = ways_.back().blocks != 0 || ways_.back().path == requested::backwards;
    each_direction([&](work what, bool in_place) {
      std::size_t const stride = std::max<std::size_t>(1, 3 * tile / 8192) * (few_blocks ? 10 : 1);
      std::size_t const offset = (few_blocks ? mixed(++turn_) : ++whole_passes_) % stride;
      std::size_t taken = mixed(turn_);
      for (std::size_t n = 0; n <= 3 * tile + 2 * group; ++n) {
        bool const at_edge = n <= row + group || distance(n, row) <= 1 || distance(n, strip) <= group + 1 ||
                             distance(n, tile) <= 2 * group + 2;
        if (n % stride != offset && !(at_edge && (!few_blocks || distance(n, strip) <= 2))) continue;
        if (++taken % every_ == 0) make(any_call(n, what, in_place));
        if (::testing::Test::HasFatalFailure()) return;
      }
    });
  }

  /// Each way was gone with its kernel in each direction that it has, and, where pointers can be, with its fallbacks.
  void expect_visits()
  {
    std::map<std::array<std::size_t, 4>, std::size_t> const made = made_;
    auto const count = [&](std::size_t which_way, kernel which, work what, bool in_place) {
      auto const found = made.find(
          {which_way, static_cast<std::size_t>(which), static_cast<std::size_t>(what), std::size_t(in_place)});
      std::size_t const times = found == made.end() ? 0 : found->second;
      if (times == 0)
        ADD_FAILURE() << Kind::name << ", " << ways_[which_way].name << ": never went through '" << path_of(which)
                      << "', direction " << int(what) << (in_place ? " in place" : "");
      return times;
    };
    for (std::size_t w = 0; w < ways_.size(); ++w) {
      kernel const which = ways_[w].which;
      std::size_t all = 0;
      for (work const what : {work::inclusive_scan, work::exclusive_scan}) {
        if (takes_steps && what == work::exclusive_scan) continue;
        all += count(w, which, what, false);
        if (which == kernel::ring && alignof(S) < 16) all += count(w, kernel::drawn_tiles, what, false);
        if constexpr (may_be_in_place)
          if (which != kernel::own_tiles && which != kernel::own_tiles_in_pairs) all += count(w, which, what, true);
      }
      if (which == kernel::own_tiles && most_own_tiles != 0)
        all += count(w, kernel::own_reduction, work::reduce, false);
      if (which == kernel::eight_rows || which == kernel::cluster) all += count(w, which, work::reduce, false);
      if (which == kernel::drawn_tiles || (which == kernel::striped && !takes_steps))
        all += count(w, kernel::reduction, work::reduce, false);
      std::printf("  %s, %s: %zu calls\n", Kind::name, ways_[w].name.c_str(), all);
    }
  }

  /// Every phase of the input in 16 bytes with every one of the output, at sizes that end within a group and at edges.
  void pairs_of_phases()
  {
    std::size_t taken = 0;
    for (std::size_t const n : {group + 1, row - 1, row, strip + row + 1, tile - 1, tile, tile + 1, 2 * tile + row + 1})
      for (std::size_t in_phase = 0; in_phase < 16; in_phase += alignof(S))
        for (std::size_t out_phase = 0; out_phase < 16; out_phase += alignof(R))
          for (work const what : {work::inclusive_scan, work::exclusive_scan})
            if (++taken % every_ == 0) {
              make({n, in_phase, out_phase, what, false, what == work::exclusive_scan, 0});
              if (::testing::Test::HasFatalFailure()) return;
            }
  }

  /// Around tiles, spans, windows of spans and rounds of windows.
  void far_sizes()
  {
    std::vector<std::size_t> tiles{4,   5,   6,   7,   8,   9,   12,  13,  16,  17,  31,  32,  33,  34,  63,
                                   64,  65,  96,  97,  131, 132, 133, 159, 160, 161, 192, 193, 223, 224, 225,
                                   255, 256, 257, 263, 264, 265, 320, 321, 352, 353, 511, 512, 513, 640, 641};
    for (std::size_t n = 896; n * tile + 33 * tile <= far_; n += 448)  // seven warps with windows of 2, 4, 8 spans
      for (std::size_t each : {n - 1, n, n + 1, n + 32, n + 33}) tiles.push_back(each);
    std::size_t taken = 0;
    each_direction([&](work what, bool in_place) {
      for (std::size_t const each : tiles) {
        for (std::size_t const rest : {std::size_t(0), std::size_t(1), group + 1, row - 1, strip + 1, tile - 1}) {
          std::size_t const n = each * tile + rest;
          if (n > far_ || (ways_.back().blocks == 1 && each > 400)) continue;
          if (rest != 0 && each > 700 && rest != group + 1) continue;
          one_call c = any_call(n, what, in_place);
          if (n > most_) c.in_phase = 0;
          if (++taken % every_ == 0) make(c);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    });
  }

  std::size_t phase_index(std::size_t phase) const
  {
    return static_cast<std::size_t>(std::find(in_phases_.begin(), in_phases_.end(), phase) - in_phases_.begin());
  }

  template <class V>
  static void upload(V*& to, std::vector<V> const& values)
  {
    check_cuda(cudaMalloc(&to, (values.size() + 1) * sizeof(V)));
    check_cuda(cudaMemcpy(to, values.data(), values.size() * sizeof(V), cudaMemcpyDefault));
  }

  std::size_t every_, far_, most_;
  int processors_ = 0;
  bool sm_90_ = false;
  stream const on_;
  cuda::workspace space_;
  R* inclusive_ = nullptr;
  R* from_init_ = nullptr;
  R init_, poison_;
  std::vector<std::size_t> in_phases_;
  std::vector<S*> near_;  // an input for each phase
  std::size_t near_bytes_ = 0, out_bytes_ = 0;
  char* near_memory_ = nullptr;
  char* far_memory_ = nullptr;
  char* out_memory_ = nullptr;
  difference* found_ = nullptr;
  std::vector<one_call> pending_;
  std::vector<way> ways_;
  std::map<std::array<std::size_t, 4>, std::size_t> made_;  // of way, kernel, direction, in place
  std::uint64_t turn_ = 0;
  std::size_t whole_passes_ = 0;
};

}  // namespace tally::test
