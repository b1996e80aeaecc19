#include "soak/choices.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "support/generator.hpp"

namespace tally::soak {

namespace {

std::array<char, 2048> this_try{};

}  // namespace

char const* line_of_this_try()
{
  return this_try.data();
}

choices::choices(std::string family, std::uint64_t seed, std::size_t largest, std::vector<choice> given)
    : family_(std::move(family)),
      seed_(seed),
      largest_(largest),
      given_(std::move(given))
{
}

std::uint64_t choices::random(std::string_view name) const
{
  std::uint64_t bits = seed_;
  for (char const letter : name) bits = test::random_bits(bits, static_cast<unsigned char>(letter));
  return bits;
}

std::string const* choices::given(std::string_view name) const
{
  for (choice const& one : given_)
    if (one.name == name) return &one.value;
  return nullptr;
}

void choices::make(std::string const& name, std::string value, std::string simplest)
{
  made_.push_back({name, std::move(value), std::move(simplest)});
  std::string const text = line();
  std::size_t const length = std::min(text.size(), this_try.size() - 1);
  std::memcpy(this_try.data(), text.data(), length);
  this_try[length] = '\0';
}

std::string choices::word(std::string const& name, std::initializer_list<std::string_view> words)
{
  std::string_view chosen = words.begin()[random(name) % words.size()];
  if (std::string const* const wanted = given(name)) {
    auto const* const found = std::find(words.begin(), words.end(), std::string_view(*wanted));
    if (found != words.end()) chosen = *found;
  }
  make(name, std::string(chosen), std::string(*words.begin()));
  return std::string(chosen);
}

std::uint64_t choices::number(std::string const& name, std::uint64_t least, std::uint64_t most)
{
  std::uint64_t chosen = least + random(name) % (most - least + 1);
  if (std::string const* const wanted = given(name))
    chosen = std::clamp<std::uint64_t>(std::stoull(*wanted), least, most);
  make(name, std::to_string(chosen), std::to_string(least));
  return chosen;
}

std::size_t choices::size(std::size_t bytes, std::size_t most)
{
  most = std::min(most, largest_);
  // The shares of sizes up to 2^16, 2^20, 2^23 and 2^26. The last three cost about the same in total.
  struct part {
    std::uint64_t of_hundred;
    int bits;
  };
  constexpr std::array<part, 4> parts{{{58, 16}, {30, 20}, {10, 23}, {2, 26}}};
  std::uint64_t rest = random("part of n") % 100;
  int bits = 0;
  for (part const& one : parts) {
    bits = one.bits;
    if (rest < one.of_hundred) break;
    rest -= one.of_hundred;
  }
  // A random number of binary digits, and random digits.
  int const digits = static_cast<int>(random("digits of n") % static_cast<std::uint64_t>(bits + 1));
  std::uint64_t n = (std::uint64_t{1} << digits) | (random("n") & ((std::uint64_t{1} << digits) - 1));
  if (random("beside") % 2 == 0) {
    std::array<std::size_t, 12> const units{
        16 / bytes,   512 / bytes, 4096 / bytes, 32768 / bytes, 131072 / bytes, 1048576 / bytes,
        n & (~n + 1), 1280,        2048,         4096,          8192,           std::uint64_t{1} << digits};
    std::uint64_t const unit = std::max<std::uint64_t>(1, units[random("unit") % units.size()]);
    std::uint64_t const around = random("width") % 2 == 0 ? 3 : std::max<std::uint64_t>(3, 512 / bytes);
    n = (n + unit - 1) / unit * unit + around - random("beside by") % (2 * around + 1);
  }
  std::size_t chosen = std::min<std::size_t>(n, most);
  if (std::string const* const wanted = given("n")) chosen = std::min<std::size_t>(std::stoull(*wanted), most);
  make("n", std::to_string(chosen), "0");
  return chosen;
}

std::string choices::line() const
{
  std::string text = family_ + " seed=" + std::to_string(seed_);
  for (choice const& one : made_) text += " " + one.name + "=" + one.value;
  return text;
}

parsed_line parse(std::string const& line)
{
  parsed_line result;
  std::istringstream words(line);
  words >> result.family;
  for (std::string word; words >> word;) {
    std::size_t const equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw std::runtime_error("'" + word + "' in a line to replay; expected NAME=VALUE");
    std::string const name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "seed")
      result.seed = std::stoull(value);
    else
      result.given.push_back({name, value, ""});
  }
  return result;
}

}  // namespace tally::soak
