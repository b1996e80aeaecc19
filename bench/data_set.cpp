#include "data_set.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "elements.hpp"

namespace tally::bench {
namespace {

/// Room behind the last element, since the checks look beyond the end.
constexpr std::size_t slack = 4096;

/// The k-th word of a random sequence, from k alone: Steele, Lea and Flood (2014).
constexpr std::uint64_t split_mix(std::uint64_t k)
{
  std::uint64_t z = (k + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class T>
T random_value(std::uint64_t word);

template <>
float random_value<float>(std::uint64_t word)
{
  return static_cast<float>((word >> 40) + 1) / static_cast<float>(units_in_one<float>);
}

template <>
double random_value<double>(std::uint64_t word)
{
  return static_cast<double>((word >> 29) + 1) / units_in_one<double>;
}

template <>
std::int32_t random_value<std::int32_t>(std::uint64_t word)
{
  return static_cast<std::int32_t>(word >> 53) - 1024;  // a walk of 2^28 such steps stays below 2^25
}

template <>
std::int64_t random_value<std::int64_t>(std::uint64_t word)
{
  return static_cast<std::int64_t>(word >> 33) - (std::int64_t{1} << 30);
}

template <>
std::int16_t random_value<std::int16_t>(std::uint64_t word)
{
  return static_cast<std::int16_t>(word >> 48);
}

template <>
std::int8_t random_value<std::int8_t>(std::uint64_t word)
{
  return static_cast<std::int8_t>(word >> 56);
}

template <class T>
void fill(std::byte* to, std::size_t elements)
{
  T* const values = reinterpret_cast<T*>(to);
  using range = oneapi::tbb::blocked_range<std::size_t>;
  oneapi::tbb::parallel_for(range(0, elements, 1 << 16), [=](range const& r) {
    for (std::size_t k = r.begin(); k < r.end(); ++k) values[k] = random_value<T>(split_mix(k));
  });
}

}  // namespace

pages::pages(std::size_t bytes) : bytes_(bytes)
{
  void* const got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  madvise(got, bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(got);
}

pages::~pages()
{
  munmap(data_, bytes_);
}

data_set::data_set(element type, std::size_t elements)
    : type_(type),
      elements_(elements),
      in_(elements * size_of(type) + slack),
      out_(elements * size_of(type) + slack)
{
  for_each_element([&]<class T>() {
    if (element_of<T>::value == type) fill<T>(in_.data(), elements);
  });
  std::memset(out_.data(), 1, out_.size());  // so that every page is there before the first contender
}

std::byte const* data_set::in(std::size_t first) const
{
  return in_.data() + first * size_of(type_);
}

std::byte* data_set::out(std::size_t first) const
{
  return out_.data() + first * size_of(type_);
}

}  // namespace tally::bench
