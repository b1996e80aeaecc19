#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "../support/generator.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/execution.hpp"

/// Tools for the tests of the applications' paths. paths_test.cpp sets the sizes that choose the paths, and counts the
/// visits.
namespace tally::test {

/// Every size up to `most`, and those within `around` of each boundary.
inline std::vector<std::size_t> every_size(std::size_t most, std::initializer_list<std::size_t> boundaries = {},
                                           std::size_t around = 0)
{
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n <= most; ++n) all.push_back(n);
  for (std::size_t const boundary : boundaries)
    for (std::size_t n = boundary - around; n <= boundary + around; ++n) all.push_back(n);
  return all;
}

/// Calls on one thread, and on three, which share even the shortest call (support/threads_pay.cpp).
template <class Call>
void on_one_and_three(Call const& call)
{
  call(cpu{1});
  call(cpu{3});
}

/// Calls on one thread, and for every seventh size on three: threads that share a call's work many times wait for one
/// another longer than they work.
template <class Call>
void on_one_and_sometimes_three(std::size_t n, Call const& call)
{
  call(cpu{1});
  if (n % 7 == 3) call(cpu{3});
}

/// Room for an output of at most `most` elements. Before each use it is poisoned, and with it 256 bytes on either side.
template <class T>
class output {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  explicit output(std::size_t most)
      : bytes_(static_cast<unsigned char*>(::operator new(most * sizeof(T) + 2 * guard + 64, std::align_val_t{64})))
  {
  }
  /// The place of n elements, `phase` elements (less than a line) behind the beginning of a line.
  T* poisoned(std::size_t n, std::size_t phase = 0)
  {
    begin_ = guard + phase * sizeof(T) % 64;
    end_ = begin_ + n * sizeof(T);
    std::memset(bytes_.get() + begin_ - guard, poison, end_ - begin_ + 2 * guard);
    return reinterpret_cast<T*>(bytes_.get() + begin_);
  }
  /// Whether exactly these elements were written.
  bool is(std::vector<T> const& expected) const
  {
    T const* const own = reinterpret_cast<T const*>(bytes_.get() + begin_);
    return (end_ - begin_) / sizeof(T) == expected.size() && std::equal(expected.begin(), expected.end(), own) &&
           guards_intact();
  }
  bool guards_intact() const
  {
    static constexpr auto whole = [] {
      struct {
        unsigned char bytes[guard];
      } all{};
      for (unsigned char& each : all.bytes) each = poison;
      return all;
    }();
    return std::memcmp(bytes_.get() + begin_ - guard, whole.bytes, guard) == 0 &&
           std::memcmp(bytes_.get() + end_, whole.bytes, guard) == 0;
  }

private:
  static constexpr std::size_t guard = 256;
  static constexpr unsigned char poison = 0xA5;
  struct release {
    void operator()(unsigned char* bytes) const { ::operator delete(bytes, std::align_val_t{64}); }
  };

  std::unique_ptr<unsigned char, release> bytes_;
  std::size_t begin_ = guard;
  std::size_t end_ = guard;
};

/// n random values. Neighbours are equal only by chance.
template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed)
{
  std::vector<T> all(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const random = random_bits(seed, k);
    if constexpr (std::is_floating_point_v<T>)
      all[k] = static_cast<T>(static_cast<double>(random >> 40) * 0x1p-24 - 0.5);
    else
      all[k] = static_cast<T>(random);
  }
  return all;
}

/// Flags of n elements that fill words and blocks differently: none, all, one of 64, half, 63 of 64, the first ones,
/// the last ones, one, all but one.
inline std::vector<std::vector<std::uint8_t>> choices(std::size_t n)
{
  std::vector<std::vector<std::uint8_t>> all(9, std::vector<std::uint8_t>(n));
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const random = random_bits(n, k);
    all[1][k] = 1;
    all[2][k] = random % 64 == 0;
    all[3][k] = random % 2;
    all[4][k] = random % 64 != 1;
    all[5][k] = k < n / 3;
    all[6][k] = k >= n - n / 3;
    all[7][k] = k == n * 7 / 11;
    all[8][k] = k != n * 5 / 11;
  }
  return all;
}

struct is_set {
  bool operator()(std::uint8_t flag) const { return flag != 0; }
};

}  // namespace tally::test
