#include "io/arrays/fortran_reader.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "io/axis/strided_read.hpp"

namespace tally::io {

namespace {

/// Moves the values of `rows` first indices from memory order, [rest][rows], to C order, [rows][rest in C order].
template <class Word>
void to_c_order(Word const* from, Word* to, std::size_t rows, std::vector<std::uint64_t> const& shape, std::size_t row)
{
  std::vector<std::size_t> stride(shape.size(), 1);  // of each axis in C order
  for (std::size_t axis = shape.size() - 1; axis > 1; --axis)
    stride[axis - 1] = stride[axis] * static_cast<std::size_t>(shape[axis]);
  constexpr std::size_t side = 16;  // rows at a time, each a stream of stores
  for (std::size_t first = 0; first < rows; first += side) {
    std::size_t const last = std::min(rows, first + side);
    std::vector<std::uint64_t> index(shape.size(), 0);
    std::size_t at = 0;  // of `index`, in C order
    for (std::size_t rest = 0; rest < row; ++rest) {
      for (std::size_t r = first; r < last; ++r) to[r * row + at] = from[rest * rows + r];
      for (std::size_t axis = 1; axis < shape.size(); ++axis) {
        at += stride[axis];
        if (++index[axis] < shape[axis]) break;
        at -= stride[axis] * static_cast<std::size_t>(shape[axis]);
        index[axis] = 0;
      }
    }
  }
}

}  // namespace

fortran_reader::fortran_reader(input source, npy_header header, std::size_t block_bytes)
    : source_(std::move(source)),
      header_(std::move(header)),
      rows_(header_.shape[0]),
      row_(header_.count() / rows_),
      block_(std::max<std::size_t>(1, block_bytes / byte_size(header_.type)))
{
}

bool fortran_reader::next(batch& into)
{
  begin_ = end_;
  if (begin_ == header_.count()) return false;
  std::size_t const count = row_ <= block_ ? read_rows(begin_ / row_) : read_stretch();
  end_ += count;
  std::byte* values = row_ <= block_ ? ordered_.data() : stored_.data();
  if (!header_.native()) {
    values_.reserve(count * byte_size(header_.type));
    to_values(header_, values, values_.data(), count);
    values = values_.data();
  }
  column_ = {view_as(header_.type, values, count), {}};
  into = batch_of(column_);
  return true;
}

std::size_t fortran_reader::read_rows(std::uint64_t row)
{
  auto const width = static_cast<std::size_t>(row_);
  auto const rows = static_cast<std::size_t>(std::min<std::uint64_t>(block_ / row_, rows_ - row));
  std::size_t const size = header_.size();
  stored_.reserve(rows * width * size);
  ordered_.reserve(rows * width * size);
  read_strided(source_, {header_.data_offset + row * size, rows * size, rows_ * size, width}, stored_.data(), workers_);
  auto const reorder = [&]<class Word>(Word) {
    to_c_order(reinterpret_cast<Word const*>(stored_.data()), reinterpret_cast<Word*>(ordered_.data()), rows,
               header_.shape, width);
  };
  switch (size) {
    case 1: reorder(std::uint8_t()); break;
    case 2: reorder(std::uint16_t()); break;
    case 4: reorder(std::uint32_t()); break;
    default: reorder(std::uint64_t()); break;
  }
  return rows * width;
}

std::size_t fortran_reader::read_stretch()
{
  std::size_t const size = header_.size();
  std::uint64_t const last_length = header_.shape.back();
  std::uint64_t const last_stride = header_.count() / last_length;  // of the last axis, in memory
  std::uint64_t const stretch = std::min<std::uint64_t>(block_, row_ - begin_ % row_);
  stored_.reserve(static_cast<std::size_t>(stretch) * size);
  for (std::uint64_t done = 0; done < stretch;) {
    // A run along the last axis is evenly spaced.
    std::uint64_t position = begin_ + done, memory = 0;
    std::uint64_t const run = std::min(stretch - done, last_length - position % last_length);
    std::uint64_t weight = header_.count();
    for (std::size_t axis = header_.shape.size(); axis-- > 0;) {
      weight /= header_.shape[axis];
      memory += position % header_.shape[axis] * weight;
      position /= header_.shape[axis];
    }
    read_strided(source_,
                 {header_.data_offset + memory * size, size, last_stride * size, static_cast<std::size_t>(run)},
                 stored_.data() + done * size, workers_);
    done += run;
  }
  return static_cast<std::size_t>(stretch);
}

progress fortran_reader::so_far() const
{
  return {header_.data_offset + end_ * header_.size(), source_.size()};
}

location fortran_reader::locate(std::size_t row, std::size_t) const
{
  return {source_.name() + ": value " + std::to_string(begin_ + row + 1) + " in C order"};
}

}  // namespace tally::io
