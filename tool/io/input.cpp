#include "io/input.hpp"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "io/errors.hpp"

namespace tally::io {

namespace {

/// One call of read(2) moves at most this much: Linux stops at 2^31 - 4096.
constexpr std::size_t largest_read = std::size_t(1) << 30;

constexpr char const* reading = "cannot read";

}  // namespace

input::input(int fd, std::string name, bool owned) : fd_(fd), owned_(owned), name_(std::move(name))
{
  struct stat status;
  int failure = 0;
  if (fstat(fd_, &status) != 0)
    failure = errno;
  else if (S_ISDIR(status.st_mode))
    failure = EISDIR;
  if (failure != 0) {
    if (owned_) close(fd_);
    throw_file_error(name_, reading, failure);
  }
  if (S_ISREG(status.st_mode)) {
    off_t const position = lseek(fd_, 0, SEEK_CUR);
    start_ = position > 0 ? static_cast<std::uint64_t>(position) : 0;
    auto const end = static_cast<std::uint64_t>(status.st_size);
    // Files under /proc say that they are empty and are not: they are read to their end like pipes.
    if (end > 0) size_ = end > start_ ? end - start_ : 0;
    posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  } else if (S_ISFIFO(status.st_mode)) {
    // Fewer switches between the two ends. A failure only costs speed.
    fcntl(fd_, F_SETPIPE_SZ, 1 << 20);
  }
}

input input::file(std::string const& path)
{
  int const fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw_file_error(path, reading, errno);
  return input(fd, path, true);
}

input input::standard_input()
{
  static off_t const begin = lseek(STDIN_FILENO, 0, SEEK_CUR);  // -1 for a pipe
  if (begin >= 0) lseek(STDIN_FILENO, begin, SEEK_SET);
  return input(STDIN_FILENO, "(standard input)", false);
}

void input::keep_standard_input()
{
  input pipe(STDIN_FILENO, "(standard input)", false);
  if (pipe.seekable()) return;
  int const copy = memfd_create("standard input", MFD_CLOEXEC);
  if (copy < 0) throw_file_error(pipe.name(), reading, errno);
  std::vector<char> piece(std::size_t{1} << 20);
  while (std::size_t const n = pipe.read(piece.data(), piece.size())) {
    for (std::size_t done = 0; done < n;) {
      ssize_t const written = write(copy, piece.data() + done, n - done);
      if (written < 0) throw_file_error(pipe.name(), reading, errno);
      done += static_cast<std::size_t>(written);
    }
  }
  lseek(copy, 0, SEEK_SET);
  dup2(copy, STDIN_FILENO);
  close(copy);
}

input input::named(std::string const& path)
{
  return path == "-" ? standard_input() : file(path);
}

input input::descriptor(int fd, std::string name)
{
  return input(fd, std::move(name), false);
}

input::input(input&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      owned_(std::exchange(other.owned_, false)),
      name_(std::move(other.name_)),
      size_(other.size_),
      start_(other.start_)
{
}

input& input::operator=(input&& other) noexcept
{
  std::swap(fd_, other.fd_);
  std::swap(owned_, other.owned_);
  std::swap(name_, other.name_);
  std::swap(size_, other.size_);
  std::swap(start_, other.start_);
  return *this;
}

input::~input()
{
  if (owned_) close(fd_);
}

std::size_t input::read(void* to, std::size_t n)
{
  for (;;) {
    ssize_t const got = ::read(fd_, to, n < largest_read ? n : largest_read);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // The other end shares our terminal or pipe and has made it non-blocking.
      pollfd waiting{fd_, POLLIN, 0};
      poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      throw_file_error(name_, reading, errno);
    }
  }
}

std::size_t input::read_full(void* to, std::size_t n)
{
  std::size_t done = 0;
  while (done < n) {
    std::size_t const got = read(static_cast<char*>(to) + done, n - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::size_t input::read_at(void* to, std::size_t n, std::uint64_t offset) const
{
  std::size_t done = 0;
  while (done < n) {
    std::size_t const want = n - done < largest_read ? n - done : largest_read;
    ssize_t const got = pread(fd_, static_cast<char*>(to) + done, want, static_cast<off_t>(start_ + offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(name_, reading, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

bool input::ready() const
{
  if (size_) return true;
  pollfd waiting{fd_, POLLIN, 0};
  return poll(&waiting, 1, 0) > 0;
}

}  // namespace tally::io
