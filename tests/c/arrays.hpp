#pragma once

#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "tally.h"
#include "tally/half.hpp"

/// Arrays of any type, as a test describes them. Values are small integers, which all types hold exactly.
namespace tally_c_test {

inline std::int64_t load(tally_type type, std::byte const* at)
{
  auto const read = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (type.code * 1000 + type.bits) {
    case TALLY_INT * 1000 + 8: return read(std::int8_t());
    case TALLY_INT * 1000 + 16: return read(std::int16_t());
    case TALLY_INT * 1000 + 32: return read(std::int32_t());
    case TALLY_INT * 1000 + 64: return read(std::int64_t());
    case TALLY_UINT * 1000 + 8: return read(std::uint8_t());
    case TALLY_UINT * 1000 + 16: return read(std::uint16_t());
    case TALLY_UINT * 1000 + 32: return read(std::uint32_t());
    case TALLY_UINT * 1000 + 64: return static_cast<std::int64_t>(read(std::uint64_t()));
    case TALLY_FLOAT * 1000 + 16: return static_cast<std::int64_t>(static_cast<float>(read(tally::half())));
    case TALLY_BFLOAT * 1000 + 16: return static_cast<std::int64_t>(static_cast<float>(read(tally::bfloat16())));
    case TALLY_FLOAT * 1000 + 32: return static_cast<std::int64_t>(read(float()));
    case TALLY_FLOAT * 1000 + 64: return static_cast<std::int64_t>(read(double()));
    default: return read(std::uint8_t());
  }
}

inline void store(tally_type type, std::byte* at, std::int64_t value)
{
  auto const write = [&](auto typed) { std::memcpy(at, &typed, sizeof typed); };
  switch (type.code * 1000 + type.bits) {
    case TALLY_INT * 1000 + 16:
    case TALLY_UINT * 1000 + 16: return write(static_cast<std::int16_t>(value));
    case TALLY_INT * 1000 + 32:
    case TALLY_UINT * 1000 + 32: return write(static_cast<std::int32_t>(value));
    case TALLY_INT * 1000 + 64:
    case TALLY_UINT * 1000 + 64: return write(value);
    case TALLY_FLOAT * 1000 + 16: return write(tally::half(static_cast<float>(value)));
    case TALLY_BFLOAT * 1000 + 16: return write(tally::bfloat16(static_cast<float>(value)));
    case TALLY_FLOAT * 1000 + 32: return write(static_cast<float>(value));
    case TALLY_FLOAT * 1000 + 64: return write(static_cast<double>(value));
    default: return write(static_cast<std::int8_t>(value));
  }
}

/// Options of a call; null for none.
inline tally_options options_with(std::uint32_t flags, tally_array const* initial = nullptr,
                                  tally_array const* last = nullptr, tally_type accumulator = {})
{
  tally_options options{};
  options.size = sizeof options;
  options.flags = flags;
  options.initial = initial;
  options.last = last;
  options.accumulator = accumulator;
  return options;
}

/// An array with memory of its own, its axes in any order in memory, some of them turned round, with gaps.
class test_array {
public:
  template <class Random>
  test_array(tally_type type, std::vector<std::int64_t> shape, Random& random) : type_(type),
                                                                                 shape_(std::move(shape))
  {
    std::size_t const rank = shape_.size(), bytes = type.bits * type.lanes / 8u;
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
    strides_.resize(rank);
    std::int64_t step = random() % 3 == 0 ? 2 : 1, first = 0;
    for (std::size_t d = rank; d-- > 0;) {
      std::size_t const axis = order[d];
      bool const turned = random() % 4 == 0 && shape_[axis] > 0;
      strides_[axis] = turned ? -step : step;
      if (turned) first += step * (shape_[axis] - 1);
      step *= std::max<std::int64_t>(shape_[axis], 1) + static_cast<std::int64_t>(random() % 3 == 0);
    }
    memory_.assign(static_cast<std::size_t>(step + 1) * bytes, std::byte{0x5a});
    offset_ = static_cast<std::size_t>(first) * bytes;
  }

  tally_array view()
  {
    return {memory_.data(),  {TALLY_CPU, 0}, static_cast<std::int32_t>(shape_.size()), type_, shape_.data(),
            strides_.data(), offset_};
  }
  std::byte* at(std::vector<std::int64_t> const& index)
  {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < index.size(); ++d) place += index[d] * strides_[d];
    return memory_.data() + static_cast<std::int64_t>(offset_) + place * (type_.bits * type_.lanes / 8);
  }
  std::vector<std::int64_t> const& shape() const { return shape_; }
  tally_type type() const { return type_; }

  /// Calls `f(index)` for the indices of all elements.
  template <class F>
  static void for_each_index(std::vector<std::int64_t> const& shape, F const& f)
  {
    for (std::int64_t const extent : shape)
      if (extent == 0) return;
    std::vector<std::int64_t> index(shape.size(), 0);
    for (;;) {
      f(index);
      std::size_t d = shape.size();
      for (; d-- > 0;) {
        if (++index[d] < shape[d]) break;
        index[d] = 0;
      }
      if (d == static_cast<std::size_t>(-1)) return;
    }
  }

private:
  tally_type type_;
  std::vector<std::int64_t> shape_, strides_;
  std::vector<std::byte> memory_;
  std::size_t offset_ = 0;
};

}  // namespace tally_c_test
