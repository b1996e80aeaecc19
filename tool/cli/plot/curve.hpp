#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tally::cli {

/// A sequence of numbers, kept as a drawing needs it: in at most `most_stretches` stretches of one length, a power of
/// two, which doubles when they do not suffice. The stretches follow from the numbers alone.
class curve {
public:
  struct stretch {
    double first, least, greatest, last;
  };
  static constexpr std::size_t most_stretches = 2048;

  /// Appends a number. One that is not finite has a place, but is not drawn.
  void add(double value);

  std::uint64_t size() const { return size_; }
  std::uint64_t not_finite() const { return not_finite_; }
  /// The stretches that have a finite number, and where each begins, counted from 0.
  std::vector<stretch> const& stretches() const { return stretches_; }
  std::vector<std::uint64_t> const& begins() const { return begins_; }
  std::uint64_t length() const { return length_; }

private:
  void halve();

  std::vector<stretch> stretches_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t length_ = 1;
  std::uint64_t size_ = 0;
  std::uint64_t not_finite_ = 0;
};

/// The curve in characters of Braille, 2 by 4 dots each: `columns` wide with its axes, and `rows` high.
std::string text_of(curve const& of, std::string const& title, std::size_t columns, std::size_t rows);
/// The curve as an SVG file.
std::string svg_of(curve const& of, std::string const& title);

}  // namespace tally::cli
