#include "io/text/column_sink.hpp"

#include <string_view>

namespace tally::io {

namespace {

/// The end of the digits before the point of a token such as 12.00, in which only zeros follow the point; null for
/// others.
char const* end_of_whole_number(char const* begin, char const* end)
{
  while (end > begin && end[-1] == '0') --end;
  return end - begin > 1 && end[-1] == '.' ? end - 1 : nullptr;
}

}  // namespace

void column_sink::open(element_type type, std::byte* at, std::size_t first, number_form form)
{
  auto const address = reinterpret_cast<std::uintptr_t>(at);
  next_ = at + (alignof(int128) - address % alignof(int128)) % alignof(int128);
  runs_[run_count_++] = {type, first, 0, next_, form};
}

void column_sink::turn_to(element_type type, number_form form)
{
  end();
  open(type, next_, size(), form);
}

bool column_sink::add_other(char const* first, char const* last)
{
  number_form form = runs_[run_count_ - 1].form;
  token_value const value = decode(first, last, numbers_, form);
  if (unit_of(numbers_.rule) != number_unit::one) {
    if (value.kind == token_kind::garbage) return false;
    if (form != runs_[run_count_ - 1].form) turn_to(element_type::int128, form);
    put(value.wide);
    return true;
  }
  if (value.kind == token_kind::real && numbers_.rule == number_rule::integers) return false;
  if (value.kind == token_kind::narrow && value.narrow == 0 && *first == '-' &&
      runs_[run_count_ - 1].type == element_type::float64) {
    put(-0.0);
    return true;
  }
  return add_rest(value, first, last);
}

bool column_sink::add_rest(token_value const& value, char const* first, char const* last)
{
  element_type const type = runs_[run_count_ - 1].type;
  switch (value.kind) {
    case token_kind::garbage:
    case token_kind::float_too_large: return false;
    case token_kind::real:
      if (numbers_.rule == number_rule::integers) {
        char const* const digits_end = end_of_whole_number(first, last);
        return digits_end && add(first, digits_end);
      }
      if (type != element_type::float64) turn_to(element_type::float64);
      put(value.real);
      return true;
    case token_kind::integer_too_large:
      if (type != element_type::float64 || value.real - value.real != 0) return false;
      put(value.real);
      return true;
    case token_kind::narrow:
    case token_kind::wide:
      int128 const integer = value.kind == token_kind::narrow ? value.narrow : value.wide;
      if (type == element_type::float64) {
        put(static_cast<double>(integer));
        return true;
      }
      if (type == element_type::int64 && value.kind == token_kind::narrow) {
        put(value.narrow);
        return true;
      }
      if (type == element_type::int64) turn_to(element_type::int128);
      put(integer);
      return true;
  }
  return false;
}

offence column_sink::refusal(std::size_t at, char const* begin, char const* end) const
{
  std::string_view const token(begin, static_cast<std::size_t>(end - begin));
  std::size_t const nul = token.find('\0');
  if (nul != token.npos) at += nul;
  if (!plain_) return {at, describe(token), expected_number(numbers_)};
  char const* expected = numbers_.rule == number_rule::integers ? "an integer" : "a number";
  if (numbers_.rule == number_rule::integers)
    if (char const* const digits_end = end_of_whole_number(begin, end)) end = digits_end;
  token_kind const kind = decode(begin, end).kind;
  if (kind == token_kind::float_too_large && numbers_.rule != number_rule::integers) expected = expected_finite_double;
  if (kind == token_kind::integer_too_large)
    expected = runs_[run_count_ - 1].type == element_type::float64 ? expected_finite_double : expected_narrower_integer;
  return {at, describe(token), expected};
}

}  // namespace tally::io
