#include "ranks/part.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "input/source.hpp"
#include "io/arrays/npy_header.hpp"
#include "io/errors.hpp"
#include "io/files/input.hpp"
#include "io/files/memory_file.hpp"

namespace tally::cli {

namespace {

/// Where part r of [0, n) begins. Parts of arrays of many tiles are whole tiles, so that few elements travel.
std::uint64_t cut(std::uint64_t n, std::uint64_t unit, int r, int ranks)
{
  auto const rank = static_cast<std::uint64_t>(r), all = static_cast<std::uint64_t>(ranks);
  std::uint64_t const units = (n + unit - 1) / unit;
  return std::min(n, (units / all * rank + std::min(rank, units % all)) * unit);
}

/// The place behind the first line end at or behind `at` - 1: where the first line begins that begins at `at` or later.
std::uint64_t line_at(network& by, std::uint64_t at, std::uint64_t bytes)
{
  if (at == 0) return 0;
  std::vector<char> block(std::size_t{1} << 14);
  for (--at; at < bytes;) {
    auto const n = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), bytes - at));
    by.read_at(block.data(), n, at);
    if (auto const* const end = static_cast<char const*>(std::memchr(block.data(), '\n', n)))
      return at + static_cast<std::uint64_t>(end - block.data()) + 1;
    at += n;
  }
  return bytes;
}

void append_integer(std::vector<std::byte>& to, io::int128 value)
{
  auto const bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// Ends the work on parts, for a file that ranks do not divide.
[[noreturn]] void refuse(std::string const& why)
{
  throw error(why);
}

}  // namespace

part part::read(command_settings const& settings, network& by, steps& all)
{
  std::uint64_t bytes = 0;
  all.take([&] {
    io::input const file = settings.input.opening.open(settings.input.files[0]);
    if (!file.seekable()) refuse("the input is " + file.not_seekable());
    bytes = *file.size();
  });
  bytes = of_all_ranks(by, bytes)[0];
  all.take([&] { by.open_to_read(settings.input.files[0]); });
  part own;
  io::file_format const format = settings.input.format_of(settings.input.files[0]);
  if (format == io::file_format::npy || format == io::file_format::raw)
    own.read_array(settings, by, all, bytes);
  else
    own.read_lines(settings, by, all, bytes);
  all.take([&] { by.close(); });
  return own;
}

void part::read_array(command_settings const& settings, network& by, steps& all, std::uint64_t bytes)
{
  all.attempt([&] {
    io::stored_elements elements;
    std::uint64_t begins = 0;
    if (settings.input.format_of(settings.input.files[0]) == io::file_format::npy) {
      io::input file = settings.input.opening.open(settings.input.files[0]);
      io::npy_header const header = io::read_npy_header(file);
      elements = header;
      begins = header.data_offset;
      if (header.fortran_order && header.shape.size() > 1) refuse("an array in Fortran order");
      if (settings.input.type && *settings.input.type != header.type) refuse("an array of another type than --type");
    } else {
      elements.type = *settings.input.type;
      elements.order = settings.input.order;
    }
    if ((bytes - begins) % elements.size() != 0) refuse("a part of a value");
    type_ = elements.type;
    std::uint64_t const n = (bytes - begins) / elements.size();
    std::uint64_t const tile = std::uint64_t{32768} / io::byte_size(*type_);
    std::uint64_t const unit = n / tile >= static_cast<std::uint64_t>(by.size()) ? tile : 1;
    std::uint64_t const first = cut(n, unit, by.rank(), by.size());
    count_ = static_cast<std::size_t>(cut(n, unit, by.rank() + 1, by.size()) - first);
    stored_.resize(count_ * io::byte_size(*type_));
    bool const half = elements.stored_as == io::stored_elements::form::half;
    std::vector<std::byte> halves(half ? count_ * elements.size() : 0);
    std::byte* const to = half ? halves.data() : stored_.data();
    by.read_at(to, count_ * elements.size(), begins + first * elements.size());
    if (!elements.native()) io::to_values(elements, to, stored_.data(), count_);
  });
  all.agree();
}

void part::read_lines(command_settings const& settings, network& by, steps& all, std::uint64_t bytes)
{
  std::optional<io::memory_file> lines;
  bool first_is_other = false;  // the first line is that of the file, for the layout of a table
  bool is_empty = true;
  all.take([&] {
    std::uint64_t const begin = line_at(by, cut(bytes, 1, by.rank(), by.size()), bytes);
    std::uint64_t const end = line_at(by, cut(bytes, 1, by.rank() + 1, by.size()), bytes);
    is_empty = begin == end;
    std::string text;
    bool const table = io::is_table(settings.input.format_of(settings.input.files[0]));
    if (table) {
      std::uint64_t const behind_first = line_at(by, 1, bytes);
      text.resize(static_cast<std::size_t>(behind_first));
      by.read_at(text.data(), text.size(), 0);
      if (text.find_first_not_of(" \t\r\n") == text.npos) refuse("a table that begins with an empty line");
      first_is_other = begin > 0;
      if (!first_is_other) text.clear();
    }
    std::size_t const before = text.size();
    text.resize(before + static_cast<std::size_t>(end - begin));
    by.read_at(text.data() + before, text.size() - before, begin);
    if (table && text.find('"') != text.npos) refuse("a quote, which may have line ends behind it");
    lines.emplace();
    lines->write(text);
  });
  // A rank without lines knows the type too, of --type alone.
  all.take([&] {
    type_ = settings.input.type;
    if (!is_empty) parse(settings, lines->descriptor(), first_is_other);
  });
  // Numbers behind the first double of the file are read as doubles: -0 is one.
  std::vector<char> const has_reals = of_all_ranks<char>(by, !reals_.empty());
  bool const behind = std::find(has_reals.begin(), has_reals.begin() + by.rank(), 1) != has_reals.begin() + by.rank();
  all.take([&] {
    if (type_ || !behind || count_ == 0) return;
    command_settings as_doubles = settings;
    as_doubles.input.type = io::element_type::float64;
    part again;
    again.parse(as_doubles, lines->descriptor(), first_is_other);
    auto const values = std::get<std::span<double const>>(again.values());
    reals_.assign(values.begin(), values.end());
    stored_.clear();
    count_ = 0;
    wide_ = false;
  });
}

void part::parse(command_settings const& settings, int descriptor, bool first_is_other)
{
  input_settings input = settings.input;
  input.format = settings.input.format_of(settings.input.files[0]);
  input.files = {"/proc/self/fd/" + std::to_string(descriptor)};
  input.opening.as_they_stand = true;
  source from(input, settings.threads);
  type_ = from.type();
  bool at_first = first_is_other;
  for (io::batch batch; from.next(batch);) {
    if (!batch.is_whole() || batch.columns.size() != 1) refuse("missing cells, or several columns");
    io::values_view values = batch.values();
    if (std::exchange(at_first, false) && (from.head() == nullptr || !from.head()->line))
      values = io::slice(values, 1, io::size_of(values) - 1);
    append(values);
  }
}

void part::append(io::values_view const& values)
{
  std::visit(
      [&]<class T>(std::span<T const> in) {
        if constexpr (std::is_same_v<T, double>) {
          if (!type_) {
            reals_.insert(reals_.end(), in.begin(), in.end());
            return;
          }
        }
        if (!type_ && !wide_ && sizeof(T) > 8) widen();
        if (type_ || sizeof(T) > 8 || !wide_) {
          auto const bytes = std::as_bytes(in);
          stored_.insert(stored_.end(), bytes.begin(), bytes.end());
        } else {
          for (T const value : in) append_integer(stored_, static_cast<io::int128>(value));
        }
        count_ += in.size();
      },
      values);
}

void part::widen()
{
  std::vector<std::byte> wide;
  wide.reserve(count_ * sizeof(io::int128));
  auto const narrow = std::get<std::span<std::int64_t const>>(values());
  for (std::int64_t const value : narrow) append_integer(wide, value);
  stored_ = std::move(wide);
  wide_ = true;
}

io::values_view part::values() const
{
  io::element_type const of_text = wide_ ? io::element_type::int128 : io::element_type::int64;
  return io::view_as(type_.value_or(of_text), stored_.data(), count_);
}

}  // namespace tally::cli
