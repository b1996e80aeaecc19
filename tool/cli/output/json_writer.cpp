#include "output/json_writer.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "io/numbers/number.hpp"
#include "output/json.hpp"

namespace tally::cli {

namespace {

class json_values final : public io::writer {
public:
  json_values(io::output to, operation op, io::number_style const& style) : to_(std::move(to)), style_(style)
  {
    text_ = json{{"op", name_of(op)}, {"values", json::array()}}.text();
    text_.resize(text_.size() - end_.size());
  }

  void write(io::values_view const& values) override
  {
    std::visit(
        [&](auto in) {
          for (auto const value : in) append(value);
        },
        values);
  }

  void set_form(io::number_form form) override { style_.form = form; }

  void flush() override
  {
    to_.write(text_.data(), text_.size());
    text_.clear();
  }

  void finish() override
  {
    (text_ += end_) += '\n';
    flush();
    to_.commit();
  }

private:
  template <class T>
  void append(T value)
  {
    if (!first_) text_ += ',';
    first_ = false;
    if (!style_.plain()) {
      text_ += json::number(result_of(value, style_.form), style_).text();
      if (text_.size() >= flush_at) flush();
      return;
    }
    bool quoted = false;
    if constexpr (std::is_floating_point_v<T>) quoted = !std::isfinite(value);
    char digits[io::max_number_length];
    char* const end = io::format_number(digits, value);
    if (quoted) text_ += '"';
    text_.append(digits, end);
    if (quoted) text_ += '"';
    if (text_.size() >= flush_at) flush();
  }

  static constexpr std::string_view end_ = "]}";
  static constexpr std::size_t flush_at = std::size_t{1} << 16;

  io::output to_;
  io::number_style style_;
  std::string text_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<io::writer> write_json_values(io::output to, operation op, io::number_style const& style)
{
  return std::make_unique<json_values>(std::move(to), op, style);
}

}  // namespace tally::cli
