#include "io/tables/key_table.hpp"

#include <cstring>
#include <utility>

#include "io/element_type.hpp"

namespace tally::io {

namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b)
{
  io::uint128 const product = io::uint128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t word_at(char const* bytes, std::size_t n)
{
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, n);
  return word;
}

}  // namespace

std::uint64_t hash_of(std::string_view key)
{
  // The multiplication of 64 by 64 bits mixes well (as in wyhash); the constants are odd, with half of their bits set.
  constexpr std::uint64_t first = 0xa0761d6478bd642f;
  constexpr std::uint64_t second = 0xe7037ed1a0b428db;
  char const* at = key.data();
  std::size_t left = key.size();
  std::uint64_t hash = first ^ left;
  for (; left > 16; at += 16, left -= 16) hash = mixed(word_at(at, 8) ^ hash, word_at(at + 8, 8) ^ second);
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (left >= 8) {
    low = word_at(at, 8);
    high = word_at(at + left - 8, 8);
  } else if (left >= 4) {
    low = word_at(at, 4);
    high = word_at(at + left - 4, 4);
  } else if (left > 0) {
    auto const byte = [&](std::size_t k) { return std::uint64_t{static_cast<unsigned char>(at[k])}; };
    low = byte(0) | byte(left / 2) << 8 | byte(left - 1) << 16;
  }
  return mixed(second ^ left, mixed(low ^ hash, high ^ second));
}

void key_index::clear()
{
  hashes_.clear();
  // The table keeps its size: the next keys are likely to be as many.
  table_.assign(table_.size(), vacant);
}

void key_index::grow()
{
  table_.assign(2 * table_.size(), vacant);
  for (std::size_t number = 0; number < hashes_.size(); ++number) {
    std::size_t at = hashes_[number] & (table_.size() - 1);
    while (table_[at] != vacant) at = (at + 1) & (table_.size() - 1);
    table_[at] = static_cast<std::uint32_t>(number);
  }
}

void key_table::clear(bool distinct)
{
  distinct_ = distinct;
  looks_up_ = true;
  groups_.clear();
  names_.clear();
  index_.clear();
  copies_.clear();
}

void key_table::add(std::string_view key)
{
  // In many tables equal keys are adjacent.
  if (looks_up_ && !groups_.empty() && names_[groups_.back()] == key) {
    groups_.push_back(groups_.back());
    return;
  }
  bool is_new = false;
  groups_.push_back(number_of(key, is_new));
}

void key_table::add_copy(std::string key)
{
  bool is_new = false;
  std::uint32_t const number = number_of(key, is_new);
  if (is_new) names_[number] = copies_.emplace_back(std::move(key));
  groups_.push_back(number);
}

std::uint32_t key_table::number_of(std::string_view key, bool& is_new)
{
  // 7/8 of 1024 keys differ if each of 4000 keys is as likely: then a chunk of 12,000 rows has each key three times.
  if (!distinct_ && groups_.size() == trial) looks_up_ = names_.size() <= trial / 8 * 7;
  std::uint32_t const number =
      looks_up_ ? index_.number_of(hash_of(key), [&](std::uint32_t known) { return names_[known] == key; })
                : static_cast<std::uint32_t>(names_.size());
  is_new = number == names_.size();
  if (is_new) names_.push_back(key);
  return number;
}

}  // namespace tally::io
