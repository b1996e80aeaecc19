#include "sorting/value_store.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include <tally/algorithms/radix_sort.hpp>

#include "io/errors.hpp"

namespace tally::cli {

namespace {

constexpr std::size_t piece = std::size_t{1} << 20;  // bytes written at once

template <class T>
void sort_values(std::vector<T>& values, cpu on)
{
  if constexpr (std::is_same_v<T, int128>)
    std::ranges::sort(values);
  else
    tally::radix_sort(on, values);
}

/// Runs begin at multiples of the size of every type.
std::size_t aligned(std::size_t bytes)
{
  return (bytes + 15) / 16 * 16;
}

/// The values converted to T, which holds them or, of doubles, their nearest ones.
template <class T, class U>
std::vector<T> converted_to(std::vector<U> const& from)
{
  std::vector<T> to;
  to.reserve(from.size());
  for (U const value : from) to.push_back(static_cast<T>(value));
  return to;
}

}  // namespace

std::uint64_t value_store::write(void const* data, std::size_t bytes)
{
  std::lock_guard const lock(file_mutex_);
  auto const* const first = static_cast<std::byte const*>(data);
  waiting_.resize(aligned(waiting_.size()));
  if (waiting_.size() + bytes >= piece) flush();
  std::uint64_t const at = written_ + waiting_.size();
  if (bytes >= piece)
    put(first, bytes);
  else
    waiting_.insert(waiting_.end(), first, first + bytes);
  return at;
}

int value_store::complete_file()
{
  std::lock_guard const lock(file_mutex_);
  flush();
  return file_->descriptor();
}

void value_store::flush()
{
  put(waiting_.data(), waiting_.size());
  waiting_.clear();
}

void value_store::put(std::byte const* data, std::size_t bytes)
{
  if (!file_) file_ = std::make_unique<io::spool>();
  for (std::size_t done = 0; done < bytes;) {
    ssize_t const count = pwrite(file_->descriptor(), data + done, bytes - done, static_cast<off_t>(written_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) io::throw_file_error("(temporary file)", "cannot write to it", errno);
    done += static_cast<std::size_t>(count);
  }
  written_ += aligned(bytes);
}

sorted_values::mapping::mapping(int descriptor, std::uint64_t at, std::size_t bytes)
{
  auto const page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  before_ = static_cast<std::size_t>(at % page);
  size_ = before_ + bytes;
  place_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(at - before_));
  if (place_ == MAP_FAILED) io::throw_file_error("(temporary file)", "cannot read from it", errno);
}

sorted_values::mapping::~mapping()
{
  if (place_ != nullptr) munmap(place_, size_);
}

sorted_values::sorted_values(std::shared_ptr<value_store> store) : store_(std::move(store))
{
  ++store_->sequences_;
}

sorted_values::~sorted_values()
{
  store_->held_ -= held_bytes();
  --store_->sequences_;
}

std::size_t sorted_values::held_bytes() const
{
  return std::visit([]<class T>(std::vector<T> const& held) { return held.size() * sizeof(T); }, held_);
}

void sorted_values::append(io::values_view const& values)
{
  std::visit(
      [&]<class T>(std::span<T const> in) {
        if (in.empty()) return;
        size_ += in.size();
        sorted_ = false;
        if (std::is_floating_point_v<T>) integers_ = false;
        hold(in);
      },
      values);
}

/// Holds the values beside the others, in a type that holds all: doubles once there is one, and integers of 128 bits
/// where one needs them.
template <class T>
void sorted_values::hold(std::span<T const> values)
{
  std::size_t const before = held_bytes();
  auto const change_to = [&]<class U>(U) {
    if (!std::holds_alternative<std::vector<U>>(held_))
      held_ = std::visit([](auto const& held) { return converted_to<U>(held); }, held_);
    auto& held = std::get<std::vector<U>>(held_);
    for (T const value : values) held.push_back(static_cast<U>(value));
  };
  constexpr bool may_be_wide = std::is_same_v<T, int128> || std::is_same_v<T, std::uint64_t>;
  bool wide = std::holds_alternative<std::vector<int128>>(held_);
  if constexpr (may_be_wide) {
    for (T const value : values)
      wide = wide || static_cast<int128>(value) > std::numeric_limits<std::int64_t>::max() ||
             static_cast<int128>(value) < std::numeric_limits<std::int64_t>::min();
  }
  if (!integers_)
    change_to(double{});
  else if (wide)
    change_to(int128{});
  else
    change_to(std::int64_t{});
  std::size_t const now = held_bytes();
  store_->held_ += now;
  store_->held_ -= before;
  if (store_->should_write(now)) write_run();
}

void sorted_values::clear()
{
  store_->held_ -= held_bytes();
  held_.emplace<std::vector<std::int64_t>>();
  written_.clear();
  mapped_.clear();
  size_ = 0;
  integers_ = true;
  sorted_ = true;
}

void sorted_values::sort()
{
  if (sorted_) return;
  std::visit([&](auto& held) { sort_values(held, store_->on_); }, held_);
  sorted_ = true;
}

void sorted_values::write_run()
{
  sort();
  std::visit(
      [&]<class T>(std::vector<T>& held) {
        if (held.empty()) return;
        written_.push_back({store_->write(held.data(), held.size() * sizeof(T)), held.size(), io::element_type_of<T>});
        store_->held_ -= held.size() * sizeof(T);
        held = {};
      },
      held_);
}

std::vector<sorted_values::run> const& sorted_values::runs()
{
  sort();
  runs_.clear();
  if (mapped_.size() < written_.size()) {
    int const file = store_->complete_file();
    for (std::size_t k = mapped_.size(); k < written_.size(); ++k)
      mapped_.emplace_back(file, written_[k].at, written_[k].count * io::byte_size(written_[k].type));
  }
  for (std::size_t k = 0; k < written_.size(); ++k) {
    written_run const& each = written_[k];
    void const* const place = mapped_[k].data();
    if (each.type == io::element_type::int64)
      runs_.emplace_back(std::span(static_cast<std::int64_t const*>(place), each.count));
    else if (each.type == io::element_type::int128)
      runs_.emplace_back(std::span(static_cast<int128 const*>(place), each.count));
    else
      runs_.emplace_back(std::span(static_cast<double const*>(place), each.count));
  }
  std::visit(
      [&](auto const& held) {
        if (!held.empty()) runs_.emplace_back(std::span(held));
      },
      held_);
  return runs_;
}

}  // namespace tally::cli
