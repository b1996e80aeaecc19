#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tally::soak {

/// The choices of one try, each with a name. A choice depends only on the seed and its name, unless it is given. So a
/// try can be repeated with one of its choices made simpler.
class choices {
public:
  struct choice {
    std::string name;
    std::string value;
    std::string simplest;
  };

  choices(std::string family, std::uint64_t seed, std::size_t largest, std::vector<choice> given = {});

  /// One of `words`. The first is the simplest; a word listed twice is drawn twice as often.
  std::string word(std::string const& name, std::initializer_list<std::string_view> words);
  /// A number from `least`, the simplest, to `most`.
  std::uint64_t number(std::string const& name, std::uint64_t least, std::uint64_t most);
  /// `n`, a number of elements of `bytes` bytes, at most `most` and the largest of this run. Small numbers are more
  /// frequent, and half of all are close to a whole number of rows, tiles, spans or blocks.
  std::size_t size(std::size_t bytes, std::size_t most);

  std::uint64_t seed() const { return seed_; }
  /// All choices so far, in their order.
  std::vector<choice> const& made() const { return made_; }
  /// The line that repeats this try: "scan seed=7 n=1000 ...".
  std::string line() const;

private:
  std::uint64_t random(std::string_view name) const;
  std::string const* given(std::string_view name) const;
  void make(std::string const& name, std::string value, std::string simplest);

  std::string family_;
  std::uint64_t seed_;
  std::size_t largest_;
  std::vector<choice> given_;
  std::vector<choice> made_;
};

/// The parts of a line written by `choices::line`.
struct parsed_line {
  std::string family;
  std::uint64_t seed = 0;
  std::vector<choices::choice> given;
};
/// Throws    std::runtime_error, which names a word that is not NAME=VALUE.
parsed_line parse(std::string const& line);

/// A copy of the line of the current try, for a signal handler.
char const* line_of_this_try();

}  // namespace tally::soak
