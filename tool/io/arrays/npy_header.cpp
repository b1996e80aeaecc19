#include "io/arrays/npy_header.hpp"

#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "io/compression/signature.hpp"
#include "io/errors.hpp"
#include "io/numbers/token.hpp"

namespace tally::io {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t(1) << 20;
constexpr std::size_t highest_rank = 64;
constexpr std::uint64_t largest_size = std::numeric_limits<std::int64_t>::max();

/// Reads the dictionary that describes the array: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class header_parser {
public:
  header_parser(std::string_view text, std::string const& source) : text_(text), source_(source) {}

  npy_header parse()
  {
    npy_header header;
    std::optional<std::string_view> descr;
    bool has_order = false, has_shape = false;
    take('{');
    while (!peek('}')) {
      std::string_view const key = string("a key");
      take(':');
      if (key == "descr" && !descr) {
        if (peek('[')) fail("records of several fields", "an array of numbers");
        descr = string("a type");
      } else if (key == "fortran_order" && !has_order) {
        header.fortran_order = truth();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = shape();
        has_shape = true;
      } else {
        fail("the key " + describe(key) + " in the header", "'descr', 'fortran_order' and 'shape', once each");
      }
      if (!peek('}')) take(',');
    }
    take('}');
    if (at_ != text_.size()) fail(rest() + " behind the header's dictionary", "nothing");
    if (!descr || !has_order || !has_shape)
      fail(std::string("a header without ") + (!descr       ? "'descr'"
                                               : !has_order ? "'fortran_order'"
                                                            : "'shape'"),
           "'descr', 'fortran_order' and 'shape'");
    static_cast<stored_elements&>(header) = elements(*descr);
    check_size(header);
    return header;
  }

  [[noreturn]] void fail(std::string const& found, std::string const& expected) const
  {
    throw data_error({source_}, found, expected);
  }

private:
  void skip_space()
  {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool peek(char wanted)
  {
    skip_space();
    return at_ < text_.size() && text_[at_] == wanted;
  }
  std::string rest() const { return at_ == text_.size() ? "the header's end" : describe(text_.substr(at_)); }
  void take(char wanted)
  {
    if (!peek(wanted)) fail(rest() + " in the header", describe({&wanted, 1}));
    ++at_;
    skip_space();
  }

  std::string_view string(char const* what)
  {
    skip_space();
    char const quote = at_ < text_.size() ? text_[at_] : '\0';
    std::size_t const end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : text_.npos;
    if (end == text_.npos) fail(rest() + " in the header", what);
    std::string_view const inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  bool truth()
  {
    for (bool const value : {true, false}) {
      std::string_view const word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail(rest() + " in the header", "True or False");
  }

  std::vector<std::uint64_t> shape()
  {
    std::vector<std::uint64_t> lengths;
    take('(');
    while (!peek(')')) {
      if (peek('-')) fail(rest() + " in the shape", "lengths that are not negative");
      std::uint64_t length = 0;
      char const* const end = text_.data() + text_.size();
      auto const [stop, error] = std::from_chars(text_.data() + at_, end, length);
      if (error == std::errc::result_out_of_range || length > largest_size)
        fail(rest() + " in the shape", "lengths below 2^63");
      if (error != std::errc()) fail(rest() + " in the shape", "a length");
      at_ = static_cast<std::size_t>(stop - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote it
      if (lengths.size() == highest_rank) fail("more than 64 axes", "at most 64");
      lengths.push_back(length);
      if (!peek(')')) take(',');
    }
    take(')');
    return lengths;
  }

  /// Parses the type string: byte order, kind, size.
  stored_elements elements(std::string_view descr) const
  {
    using form = stored_elements::form;
    char const* const expected = "integers or floats of at most 8 bytes, or truth values";
    stored_elements result;
    std::string_view kind = descr;
    if (!kind.empty() && std::string_view("<>=|").find(kind[0]) != kind.npos) {
      if (kind[0] == '<') result.order = std::endian::little;
      if (kind[0] == '>') result.order = std::endian::big;
      kind.remove_prefix(1);
    }
    struct known {
      std::string_view kind;
      element_type type;
      form stored_as = form::plain;
    };
    constexpr known all[] = {
        {"i1", element_type::int8},    {"i2", element_type::int16},   {"i4", element_type::int32},
        {"i8", element_type::int64},   {"u1", element_type::uint8},   {"u2", element_type::uint16},
        {"u4", element_type::uint32},  {"u8", element_type::uint64},  {"f2", element_type::float32, form::half},
        {"f4", element_type::float32}, {"f8", element_type::float64}, {"b1", element_type::uint8, form::boolean},
    };
    for (known const& one : all) {
      if (one.kind != kind) continue;
      result.type = one.type;
      result.stored_as = one.stored_as;
      return result;
    }
    std::string what = "values of type " + describe(descr);
    if (kind.starts_with("c")) what = "complex numbers (" + describe(descr) + ")";
    if (kind.starts_with("M") || kind.starts_with("m")) what = "dates or times (" + describe(descr) + ")";
    if (kind.starts_with("O")) what = "Python objects (" + describe(descr) + ")";
    if (kind.starts_with("S") || kind.starts_with("U") || kind.starts_with("a"))
      what = "strings (" + describe(descr) + ")";
    fail(what, expected);
  }

  void check_size(npy_header const& header) const
  {
    // The number of bytes as if no length were zero, so that every product of lengths fits.
    std::uint64_t size = header.size() < 8 ? 8 : header.size();
    for (std::uint64_t const length : header.shape)
      if (length != 0 && (__builtin_mul_overflow(size, length, &size) || size > largest_size))
        fail("a shape of more than 2^60 values", "an array that can exist");
  }

  std::string_view text_;
  std::string const& source_;
  std::size_t at_ = 0;
};

[[noreturn]] void fail_short(input const& source, char const* what)
{
  throw data_error({source.name()}, std::string("the end of the file within ") + what, "a whole .npy file");
}

}  // namespace

std::uint64_t npy_header::count() const
{
  std::uint64_t product = 1;
  for (std::uint64_t const length : shape) product *= length;
  return product;
}

npy_header read_npy_header(input& source)
{
  unsigned char begin[12];
  std::size_t const got = source.read_full(begin, magic.size());
  if (got == 0) throw data_error({source.name()}, "an empty file", "a .npy file");
  if (std::memcmp(begin, magic.data(), got) != 0) {
    std::string_view const found(reinterpret_cast<char*>(begin), got);
    std::string const expected = "a .npy file, which begins with '\\x93NUMPY'";
    refuse_other_formats(found, source.name(), expected);
    throw data_error({source.name()}, describe(found), expected);
  }
  if (got < magic.size() || source.read_full(begin + 6, 2) < 2) fail_short(source, "the first 8 bytes");
  unsigned const major = begin[6];
  if (major < 1 || major > 3)
    throw data_error({source.name()}, "version " + std::to_string(major) + " of the .npy format", "version 1, 2 or 3");
  std::size_t const length_size = major == 1 ? 2 : 4;
  if (source.read_full(begin + 8, length_size) < length_size) fail_short(source, "the header's length");
  std::size_t length = begin[8] | std::size_t(begin[9]) << 8;
  if (major > 1) length |= std::size_t(begin[10]) << 16 | std::size_t(begin[11]) << 24;
  if (length > longest_header)
    throw data_error({source.name()}, "a header of " + std::to_string(length) + " bytes",
                     "at most " + std::to_string(longest_header));
  std::string text(length, '\0');
  if (source.read_full(text.data(), length) < length) fail_short(source, "the header");

  header_parser parser(text, source.name());
  npy_header header = parser.parse();
  header.data_offset = 8 + length_size + length;
  if (std::optional<std::uint64_t> const size = source.size()) {
    std::uint64_t const expected = header.data_offset + header.count() * header.size();
    if (*size != expected)
      parser.fail("a file of " + std::to_string(*size) + " bytes",
                  std::to_string(expected) + ", which is what the header says: " + std::to_string(header.data_offset) +
                      " and " + std::to_string(header.count()) + " values of " + std::to_string(header.size()) +
                      (header.size() == 1 ? " byte" : " bytes"));
  }
  return header;
}

std::size_t npy_header_size(std::size_t rank)
{
  // Room for the fixed part and for lengths of 20 digits with a comma and a blank.
  std::size_t const needed = 10 + 80 + 22 * rank;
  return (needed + 63) / 64 * 64;
}

std::string make_npy_header(element_type type, std::vector<std::uint64_t> const& shape, bool fortran_order)
{
  char const kind = type == element_type::float32 || type == element_type::float64 ? 'f'
                    : type >= element_type::uint8 && type <= element_type::uint64  ? 'u'
                                                                                   : 'i';
  char const order = byte_size(type) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  std::string text = std::string("{'descr': '") + order + kind + std::to_string(byte_size(type)) +
                     "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += std::to_string(shape[i]) + (shape.size() == 1 ? "," : i + 1 < shape.size() ? ", " : "");
  text += "), }";
  std::size_t const size = npy_header_size(shape.size());
  text.resize(size - 10, ' ');
  text.back() = '\n';
  std::string const length = {static_cast<char>((size - 10) & 0xff), static_cast<char>((size - 10) >> 8)};
  return std::string(magic) + std::string("\x01\x00", 2) + length + text;
}

}  // namespace tally::io
