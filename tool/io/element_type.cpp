#include "io/element_type.hpp"

#include <array>
#include <utility>

namespace tally::io {

namespace {

constexpr std::array<std::string_view, 11> names = {"int8",   "int16",  "int32",   "int64",   "uint8", "uint16",
                                                    "uint32", "uint64", "float32", "float64", "int128"};
constexpr std::array<std::size_t, 11> sizes = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 16};
constexpr std::pair<std::string_view, element_type> other_names[] = {
    {"i8", element_type::int8},     {"i16", element_type::int16},     {"i32", element_type::int32},
    {"i64", element_type::int64},   {"u8", element_type::uint8},      {"u16", element_type::uint16},
    {"u32", element_type::uint32},  {"u64", element_type::uint64},    {"f32", element_type::float32},
    {"f64", element_type::float64}, {"float", element_type::float32}, {"double", element_type::float64}};

template <std::size_t... I>
values_view view_alternative(element_type type, void const* data, std::size_t count, std::index_sequence<I...>)
{
  values_view view;
  auto const try_one = [&]<std::size_t J>() {
    using span = std::variant_alternative_t<J, values_view>;
    if (static_cast<std::size_t>(type) == J) view.emplace<J>(static_cast<typename span::pointer>(data), count);
  };
  (try_one.template operator()<I>(), ...);
  return view;
}

}  // namespace

std::size_t size_of(values_view const& values)
{
  return std::visit([](auto const& span) { return span.size(); }, values);
}

std::size_t byte_size(element_type type)
{
  return sizes[static_cast<std::size_t>(type)];
}

bool is_integer(element_type type)
{
  return type != element_type::float32 && type != element_type::float64;
}

std::string_view name_of(element_type type)
{
  return names[static_cast<std::size_t>(type)];
}

std::optional<element_type> element_type_named(std::string_view name)
{
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<element_type>(i);
  for (auto const& [other, type] : other_names)
    if (other == name) return type;
  return std::nullopt;
}

values_view view_as(element_type type, void const* data, std::size_t count)
{
  return view_alternative(type, data, count, std::make_index_sequence<std::variant_size_v<values_view>>());
}

values_view slice(values_view const& values, std::size_t first, std::size_t count)
{
  return std::visit([&](auto const& span) -> values_view { return span.subspan(first, count); }, values);
}

}  // namespace tally::io
