#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace tally::cli {

/// Memory in blocks of 1, 2, 4, ... 64 words of eight bytes, each named by a number of four bytes. A block that is
/// given back is the next one taken of its size.
class word_blocks {
public:
  static constexpr unsigned largest = 6;  ///< the class of the blocks of 64 words

  /// A block of 2^size words, with any content.
  std::uint32_t take(unsigned size)
  {
    if (std::uint32_t const first = free_[size]; first != none) {
      std::uint64_t next = 0;
      std::memcpy(&next, at(first), sizeof next);
      free_[size] = static_cast<std::uint32_t>(next);
      return first;
    }
    std::uint32_t const words = std::uint32_t{1} << size;
    if (used_ + words > chunk_words) {
      if (chunks_.size() == std::size_t{1} << (32 - chunk_bits)) throw std::bad_alloc();
      chunks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(chunk_words));
      used_ = 0;
    }
    auto const block = static_cast<std::uint32_t>((chunks_.size() - 1) << chunk_bits) + used_;
    used_ += words;
    return block;
  }

  void give_back(std::uint32_t block, unsigned size)
  {
    std::uint64_t const next = free_[size];
    std::memcpy(at(block), &next, sizeof next);
    free_[size] = block;
  }

  /// A block of twice the size with the words of `block`, which is given back.
  std::uint32_t doubled(std::uint32_t block, unsigned size)
  {
    std::uint32_t const larger = take(size + 1);
    std::memcpy(at(larger), at(block), sizeof(std::uint64_t) << size);
    give_back(block, size);
    return larger;
  }

  void* at(std::uint32_t block) { return &chunks_[block >> chunk_bits][block & (chunk_words - 1)]; }
  void const* at(std::uint32_t block) const { return &chunks_[block >> chunk_bits][block & (chunk_words - 1)]; }

  std::size_t bytes() const { return chunks_.size() * chunk_words * sizeof(std::uint64_t); }

private:
  static constexpr unsigned chunk_bits = 11;  // 16 KiB
  static constexpr std::uint32_t chunk_words = std::uint32_t{1} << chunk_bits;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::uint32_t used_ = chunk_words;  // of the last chunk
  std::array<std::uint32_t, largest + 1> free_ = [] {
    std::array<std::uint32_t, largest + 1> all{};
    all.fill(none);
    return all;
  }();
};

}  // namespace tally::cli
