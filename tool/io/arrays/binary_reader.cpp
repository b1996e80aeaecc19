#include "io/arrays/binary_reader.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "io/axis/strided_read.hpp"
#include "io/errors.hpp"

namespace tally::io {

namespace {

constexpr std::size_t batch_bytes = std::size_t(1) << 20;

}  // namespace

std::byte* value_buffer::reserve(std::size_t bytes)
{
  if (bytes > capacity_) {
    storage_.reset();
    storage_.reset(new (std::align_val_t(64)) std::byte[bytes]);
    capacity_ = bytes;
  }
  return storage_.get();
}

binary_reader::binary_reader(input source, stored_elements const& elements, std::uint64_t offset,
                             std::optional<std::uint64_t> count)
    : source_(std::move(source)),
      elements_(elements),
      offset_(offset),
      count_(count),
      at_once_(batch_bytes / byte_size(elements.type)),
      tasks_(0, {[this](binary_part& into) { return prepare(into); }, [this](binary_part& into) { work(into); },
                 [this] { return source_.ready(); }})
{
  if (!source_.size()) return;
  std::uint64_t const bytes = *source_.size() - offset_;
  if (!count_ && bytes % elements_.size() != 0) refuse_size(bytes);
  if (!count_) count_ = bytes / elements_.size();
}

std::byte* binary_reader::room_for_stored(binary_part& into) const
{
  into.values.reserve(batch_bytes);
  return elements_.stored_as == stored_elements::form::half ? into.stored.reserve(batch_bytes) : into.values.data();
}

bool binary_reader::prepare(binary_part& into)
{
  if (ended_) return false;
  into.first = prepared_;
  into.count = at_once_;
  if (count_) into.count = static_cast<std::size_t>(std::min<std::uint64_t>(into.count, *count_ - prepared_));
  if (source_.seekable()) {
    prepared_ += into.count;
    return into.count > 0;
  }
  // A pipe has one reader at a time: it is read here and now.
  std::size_t const size = elements_.size();
  std::size_t const got = source_.read_full(room_for_stored(into), into.count * size);
  if (got < into.count * size || into.count < at_once_) {
    ended_ = true;
    if (count_ && got < into.count * size) throw_truncated(source_, offset_ + *count_ * size);
    if (count_) expect_end();
    if (got % size != 0) refuse_size(prepared_ * size + got);
    into.count = got / size;
  }
  prepared_ += into.count;
  return into.count > 0;
}

void binary_reader::refuse_size(std::uint64_t bytes) const
{
  throw data_error({source_.name()}, std::to_string(bytes) + " bytes",
                   "a multiple of " + std::to_string(elements_.size()) + ", the size of " +
                       std::string(name_of(elements_.type)));
}

void binary_reader::expect_end()
{
  char behind;
  if (source_.read(&behind, 1) != 0)
    throw data_error({source_.name()}, "more bytes behind the last value",
                     std::to_string(*count_) + " values, as the header says");
}

void binary_reader::work(binary_part& into) const
{
  std::byte* const stored = room_for_stored(into);
  if (source_.seekable()) {
    std::size_t const bytes = into.count * elements_.size();
    std::uint64_t const offset = offset_ + into.first * elements_.size();
    if (source_.read_at(stored, bytes, offset) != bytes) throw_truncated(source_, offset + bytes);
  }
  if (!elements_.native()) to_values(elements_, stored, into.values.data(), into.count);
}

bool binary_reader::next(batch& into)
{
  current_ = tasks_.next();
  if (!current_) return false;
  column_ = {view_as(elements_.type, current_->values.data(), current_->count), {}};
  into = batch_of(column_);
  return true;
}

progress binary_reader::so_far() const
{
  std::uint64_t const values = current_ ? current_->first + current_->count : prepared_;
  return source_.so_far(offset_ + values * elements_.size());
}

location binary_reader::locate(std::size_t row, std::size_t) const
{
  return {source_.name() + ": value " + std::to_string(current_->first + row + 1)};
}

}  // namespace tally::io
