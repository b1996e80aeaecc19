#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace tally::io {

/// The types of the values that readers give and writers take, in the order of the alternatives of `values_view`.
enum class element_type { int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, int128 };

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/// A view of values of one type.
using values_view =
    std::variant<std::span<std::int8_t const>, std::span<std::int16_t const>, std::span<std::int32_t const>,
                 std::span<std::int64_t const>, std::span<std::uint8_t const>, std::span<std::uint16_t const>,
                 std::span<std::uint32_t const>, std::span<std::uint64_t const>, std::span<float const>,
                 std::span<double const>, std::span<int128 const>>;

/// The element type of T.
template <class T>
inline constexpr element_type element_type_of =
    static_cast<element_type>(values_view(std::in_place_type<std::span<T const>>).index());

inline element_type type_of(values_view const& values)
{
  return static_cast<element_type>(values.index());
}

std::size_t size_of(values_view const& values);  ///< how many values
std::size_t byte_size(element_type type);        ///< bytes in one value
bool is_integer(element_type type);

/// "int8" ... "uint64", "float32", "float64", "int128".
std::string_view name_of(element_type type);

/// The type of that name: one of the names above, i8 i16 i32 i64 u8 u16 u32 u64 f32 f64, float or double; else nothing.
std::optional<element_type> element_type_named(std::string_view name);

/// A view of `count` values of `type` at `data`, which must be aligned for that type.
values_view view_as(element_type type, void const* data, std::size_t count);

/// The part [first, first + count) of a view. Requires: it lies inside.
values_view slice(values_view const& values, std::size_t first, std::size_t count);

}  // namespace tally::io
