#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tally/execution.hpp"
#include "tally/temporary.hpp"

/// The results of lexer.hpp.
namespace tally {

/// A token: the place of its bytes in the text, and its kind.
class token {
public:
  /// A token whose values are not set.
  token() = default;
  constexpr token(std::uint64_t begin, std::uint64_t end, std::uint8_t kind)
      : begin_(begin),
        end_and_kind_(end | static_cast<std::uint64_t>(kind) << 56)
  {
  }

  constexpr std::uint64_t begin() const { return begin_; }
  constexpr std::uint64_t end() const { return end_and_kind_ & ((std::uint64_t{1} << 56) - 1); }
  constexpr std::uint8_t kind() const { return static_cast<std::uint8_t>(end_and_kind_ >> 56); }
  constexpr std::string_view in(std::string_view text) const { return text.substr(begin(), end() - begin()); }

  friend constexpr bool operator==(token const&, token const&) = default;

  /// Set one half of the token each. A lexer comes to know them at different bytes.
  void begin_at(std::uint64_t begin) { begin_ = begin; }
  void end_at(std::uint64_t end, std::uint8_t kind) { end_and_kind_ = end | static_cast<std::uint64_t>(kind) << 56; }

private:
  std::uint64_t begin_;
  std::uint64_t end_and_kind_;
};

/// Tokens in memory of their own, which can be reused.
class token_list {
public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  token const* begin() const { return tokens_ ? tokens_->data() : nullptr; }
  token const* end() const { return begin() + size_; }
  token* data() { return tokens_ ? tokens_->data() : nullptr; }
  token const& operator[](std::size_t k) const { return tokens_->data()[k]; }

  /// Makes room for `size` tokens, which are not set.
  void resize_for_overwrite(std::size_t size)
  {
    if (size > room_) {
      tokens_.reset();
      room_ = size_ = 0;
      tokens_ = std::make_unique<temporary<token, cpu>>(cpu{}, size);
      room_ = size;
    }
    size_ = size;
  }

private:
  std::size_t size_ = 0;
  std::size_t room_ = 0;
  std::unique_ptr<temporary<token, cpu>> tokens_;
};

}  // namespace tally
