#include "io/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "io/decompressor.hpp"
#include "io/descriptor.hpp"
#include "io/errors.hpp"

namespace tally::io {

namespace {

constexpr char const* reading = "cannot read";

}  // namespace

input::input(int fd, std::string name, bool owned, unpacking how)
    : fd_(fd),
      owned_(owned),
      name_(std::move(name)),
      looked_(how == unpacking::none)
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
    if (size_ && !looked_) look_at_first_bytes();
  } else if (S_ISFIFO(status.st_mode)) {
    // Fewer switches between the two ends. A failure only costs speed.
    fcntl(fd_, F_SETPIPE_SZ, 1 << 20);
  }
}

void input::look_at_first_bytes()
{
  looked_ = true;
  if (size_) {
    char bytes[compression_bytes];
    std::size_t const got = read_at(bytes, std::min<std::uint64_t>(sizeof bytes, *size_), 0);
    packed_ = compression_of({bytes, got}).value_or(compression::none);
    if (packed_ == compression::none) return;
    content_ = std::make_unique<decompressor>(packed_source(fd_, name_, start_, *size_), make_decoder(packed_),
                                              std::string(name_of(packed_)));
    size_.reset();
    return;
  }
  std::optional<compression> kind;
  while (!(kind = compression_of(first_))) {
    char bytes[compression_bytes];
    std::size_t const got = read_some(fd_, bytes, compression_bytes - first_.size(), name_);
    if (got == 0) return;
    first_.append(bytes, got);
  }
  if (*kind != compression::none)
    content_ = std::make_unique<decompressor>(packed_source(fd_, name_, std::move(first_)), make_decoder(*kind),
                                              std::string(name_of(*kind)));
}

input input::file(std::string const& path, unpacking how)
{
  int const fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw_file_error(path, reading, errno);
  return input(fd, path, true, how);
}

input input::standard_input(unpacking how)
{
  static off_t const begin = lseek(STDIN_FILENO, 0, SEEK_CUR);  // -1 for a pipe
  if (begin >= 0) lseek(STDIN_FILENO, begin, SEEK_SET);
  return input(STDIN_FILENO, "(standard input)", false, how);
}

void input::keep_standard_input()
{
  input pipe(STDIN_FILENO, "(standard input)", false, unpacking::none);
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

input input::named(std::string const& path, unpacking how)
{
  return path == "-" ? standard_input(how) : file(path, how);
}

input input::descriptor(int fd, std::string name, unpacking how)
{
  return input(fd, std::move(name), false, how);
}

input::input(input&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      owned_(std::exchange(other.owned_, false)),
      name_(std::move(other.name_)),
      size_(other.size_),
      start_(other.start_),
      looked_(other.looked_),
      first_(std::move(other.first_)),
      packed_(other.packed_),
      content_(std::move(other.content_))
{
}

input& input::operator=(input&& other) noexcept
{
  std::swap(fd_, other.fd_);
  std::swap(owned_, other.owned_);
  std::swap(name_, other.name_);
  std::swap(size_, other.size_);
  std::swap(start_, other.start_);
  std::swap(looked_, other.looked_);
  std::swap(first_, other.first_);
  std::swap(packed_, other.packed_);
  std::swap(content_, other.content_);
  return *this;
}

input::~input()
{
  content_.reset();  // it reads the descriptor
  if (owned_) close(fd_);
}

std::string input::not_seekable() const
{
  return packed_ == compression::none ? "a pipe" : "a file compressed by " + std::string(name_of(packed_));
}

progress input::so_far(std::uint64_t bytes) const
{
  if (content_) return {content_->packed_bytes(), content_->packed_size()};
  return {bytes, size_};
}

std::size_t input::read(void* to, std::size_t n)
{
  if (!looked_) look_at_first_bytes();
  if (content_) return content_->read(to, n);
  if (first_.empty()) return read_some(fd_, to, n, name_);
  std::size_t const got = std::min(n, first_.size());
  std::memcpy(to, first_.data(), got);
  first_.erase(0, got);
  return got;
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
  return io::read_at(fd_, to, n, start_ + offset, name_);
}

bool input::ready() const
{
  if (content_) return content_->ready();
  return size_ || !first_.empty() || readable(fd_);
}

}  // namespace tally::io
