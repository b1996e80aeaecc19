#include "io/compression/packed_source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <poll.h>

#include "io/arrays/descriptor.hpp"

namespace tally::io {

packed_source::packed_source(int descriptor, std::string name, std::uint64_t begin, std::uint64_t size)
    : descriptor_(descriptor),
      name_(std::move(name)),
      begin_(begin),
      size_(size)
{
}

packed_source::packed_source(int descriptor, std::string name, std::string first)
    : descriptor_(descriptor),
      name_(std::move(name)),
      first_(std::move(first))
{
}

std::size_t packed_source::read(char* to, std::size_t n, int stop)
{
  if (size_) {
    std::uint64_t const left = *size_ - at_;
    std::size_t const got =
        read_at(descriptor_, to, static_cast<std::size_t>(std::min<std::uint64_t>(n, left)), begin_ + at_, name_);
    at_ += got;
    return got;
  }
  if (!first_.empty()) {
    std::size_t const got = std::min(n, first_.size());
    std::memcpy(to, first_.data(), got);
    first_.erase(0, got);
    return got;
  }
  pollfd waiting[] = {{stop, POLLIN, 0}, {descriptor_, POLLIN, 0}};
  while (poll(waiting, 2, -1) <= 0) continue;
  return waiting[0].revents != 0 ? 0 : read_some(descriptor_, to, n, name_);
}

bool packed_source::ready() const
{
  return size_ || !first_.empty() || readable(descriptor_);
}

}  // namespace tally::io
