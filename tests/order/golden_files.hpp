#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "golden.hpp"

namespace tally::test::golden {

template <class T>
inline constexpr char const* type_name = nullptr;
template <>
inline constexpr char const* type_name<float> = "f32";
template <>
inline constexpr char const* type_name<double> = "f64";
template <>
inline constexpr char const* type_name<half> = "f16";
template <>
inline constexpr char const* type_name<bfloat16> = "bf16";

template <class Case, class T>
std::string file_name()
{
  return std::string(Case::name) + "_" + type_name<T> + ".txt";
}

/// The rule of the elements of Case, as a comment: the bits of element k from r.
template <class Case, class T>
std::string rule_of_elements()
{
  using format = float_format<T>;
  std::ostringstream out;
  if constexpr (std::is_same_v<Case, products>) {
    constexpr int width = near_one_bits<T>;
    out << "# Its bits, as an integer: those of 1, plus ";
    if (width > 0)
      out << "r >> " << 64 - width << " if r is odd, minus r >> " << 63 - width << " if r is even.\n";
    else
      out << "r >> 63 if r is odd, minus 2 * (r >> 63) if r is even.\n";
  } else {
    out << "# Its sign bit is r & 1, its biased exponent " << format::bias - exponent_range<T> << " + (r >> 8) % "
        << 2 * exponent_range<T> + 1 << ", its fraction r >> " << 64 - format::fraction_bits << ".\n";
  }
  return out.str();
}
/// The comment's beginning.
inline std::string beginning(std::string const& of, char const* elements)
{
  std::ostringstream out;
  out << "# What docs/order.md gives for " << of << ".\n"
      << "# Written by write_golden from the reference implementation; a change of any bit is a change of the "
         "contract.\n#\n"
      << "# " << elements << " made from r = splitmix64(k): z = " << seed << " + (k + 1) * 0x9E3779B97F4A7C15,\n"
      << "# z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9, z = (z ^ z >> 27) * 0x94D049BB133111EB, r = z ^ z >> 31, modulo "
         "2^64.\n";
  return out.str();
}

/// The comment at the top of a golden file. It has all the information that another program needs to check itself.
template <class Case, class T>
std::string header()
{
  std::ostringstream out;
  out << beginning(std::string("the operator ") + Case::name + " on " + type_name<T>, "Element k of the input is")
      << rule_of_elements<Case, T>();
  if constexpr (sizeof(T) == 2)
    out << "# Elements are combined as float, and each result is rounded to " << type_name<T> << " once.\n";
  if constexpr (std::is_same_v<Case, halvings>) out << "# halve_and_add(a, b) is a / 2 + b.\n";
  out << "# The initial value is element 2^32.\n#\n"
      << "# n, hash of the inclusive scan without initial value, its reduction; hash of the exclusive scan with the "
         "initial\n"
      << "# value, the reduction with it. Values are their bits in hexadecimal, - is no value. A hash is FNV-1a (64 "
         "bits) over the\n"
      << "# results' bytes in index order, the lowest byte of each first. Some sizes are followed by the scans "
         "themselves.\n";
  return out.str();
}

template <class T>
std::string recurrence_file_name()
{
  return std::string("recurrence_") + type_name<T> + ".txt";
}
template <class T>
std::string recurrence_header()
{
  return beginning(std::string("linear recurrences of ") + type_name<T>, "Coefficient k and term k are both") +
         "# The coefficient:\n" + rule_of_elements<products, T>() + "# The term:\n" + rule_of_elements<sums, T>() +
         "# The state before the first step is what term 2^32 would be.\n#\n"
         "# n, hash of the states, the last one. Values are their bits in hexadecimal, - is no value. A hash is FNV-1a "
         "(64 bits)\n# over the states' bytes in index order, the lowest byte of each first. One size is followed by "
         "its states.\n";
}

inline std::string read(std::string const& path)
{
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The folder of the golden files: `golden` beside the program if a bundle has both, else the one of the checkout.
inline std::string folder(std::string const& in_checkout,
                          std::filesystem::path const& program = std::filesystem::read_symlink("/proc/self/exe"))
{
  std::filesystem::path const carried = program.parent_path() / "golden";
  return std::filesystem::is_directory(carried) ? carried.string() : in_checkout;
}

/// The rows of a golden file for sizes up to `largest`, without its comment.
inline std::string rows_of_file(std::string const& path, std::size_t largest = std::size_t(-1))
{
  std::istringstream text(read(path));
  std::string rows;
  for (std::string line; std::getline(text, line);) {
    bool const counted = !line.empty() && line[0] >= '0' && line[0] <= '9';
    if (line.starts_with('#') || (counted && std::stoull(line) > largest)) continue;
    rows += line + '\n';
  }
  return rows;
}
/// Those of the file in `folder`.
template <class Case, class T>
std::string rows_in(std::string const& folder, std::size_t largest = std::size_t(-1))
{
  return rows_of_file(folder + "/" + file_name<Case, T>(), largest);
}

/// Calls `visit.operator()<Case, T>()` for every case and type that has a golden file.
template <class Visit>
void for_each_file(Visit const& visit)
{
  auto const types = [&]<class Case>() {
    visit.template operator()<Case, float>();
    visit.template operator()<Case, double>();
    visit.template operator()<Case, half>();
    visit.template operator()<Case, bfloat16>();
  };
  types.template operator()<sums>();
  types.template operator()<products>();
  types.template operator()<halvings>();
}

/// Calls `visit.operator()<T>()` for every type that has a golden file of recurrences.
template <class Visit>
void for_each_recurrence_file(Visit const& visit)
{
  visit.template operator()<float>();
  visit.template operator()<double>();
  visit.template operator()<half>();
  visit.template operator()<bfloat16>();
}

/// The reference implementation's states.
struct recurrences_by_reference {
  template <class T>
  std::vector<T> operator()(std::vector<T> const& a, std::vector<T> const& b, T const& before) const
  {
    return reference::recurrence<T>(a, b, before);
  }
};

}  // namespace tally::test::golden
