#include "io/arrays/descriptor.hpp"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

#include "io/errors.hpp"

namespace tally::io {

namespace {

/// One call of read(2) moves at most this much: Linux stops at 2^31 - 4096.
constexpr std::size_t largest_read = std::size_t(1) << 30;

}  // namespace

std::size_t read_some(int descriptor, void* to, std::size_t n, std::string const& name)
{
  for (;;) {
    ssize_t const got = read(descriptor, to, std::min(n, largest_read));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // The other end shares our terminal or pipe and has made it non-blocking.
      pollfd waiting{descriptor, POLLIN, 0};
      poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      throw_file_error(name, "cannot read", errno);
    }
  }
}

std::size_t read_at(int descriptor, void* to, std::size_t n, std::uint64_t offset, std::string const& name)
{
  std::size_t done = 0;
  while (done < n) {
    std::size_t const want = std::min(n - done, largest_read);
    ssize_t const got = pread(descriptor, static_cast<char*>(to) + done, want, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(name, "cannot read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

bool readable(int descriptor)
{
  pollfd waiting{descriptor, POLLIN, 0};
  return poll(&waiting, 1, 0) > 0;
}

}  // namespace tally::io
