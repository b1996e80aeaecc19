#include "io/files/input.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "io/arrays/descriptor.hpp"
#include "io/compression/decompressor.hpp"
#include "io/compression/zip_archive.hpp"
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
    unpack_file({bytes, read_at(bytes, std::min<std::uint64_t>(sizeof bytes, *size_), 0)});
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

void input::unpack_file(std::string_view first_bytes)
{
  if (first_bytes.starts_with(zip_signature)) return become_member("");
  compression const kind = compression_of(first_bytes).value_or(compression::none);
  if (kind == compression::none) return;
  packed_by_ = io::name_of(kind);
  content_ = std::make_unique<decompressor>(packed_source(fd_, name_, start_, *size_), make_decoder(kind),
                                            std::string(packed_by_));
  size_.reset();
}

/// Turns a zip archive into its member of that name, or into its only member.
void input::become_member(std::string_view member)
{
  std::vector<zip_member> const all = read_zip_directory(*this);
  zip_member const& chosen = choose_member(all, member, name_);
  start_ += begin_of(chosen, *this);
  name_ += ":" + chosen.name;
  if (chosen.method == 0) {
    size_ = chosen.size;
    member_read_ = 0;
    return;
  }
  packed_by_ = "zip";
  content_ = std::make_unique<decompressor>(packed_source(fd_, name_, start_, chosen.packed),
                                            make_deflate_decoder(chosen.size, chosen.checksum), "zip");
  size_.reset();
}

input input::followed(std::string const& path)
{
  int const fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw_file_error(path, reading, errno);
  input file(fd, path, true, unpacking::none);
  file.size_.reset();
  file.followed_ = true;
  return file;
}

input input::file(std::string const& path, unpacking how)
{
  int const fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) return input(fd, path, true, how);
  int const failure = errno;
  for (std::size_t colon = path.rfind(':'); failure == ENOENT && how == unpacking::by_first_bytes;) {
    if (colon == path.npos || colon == 0) break;
    int const archive_fd = open(path.substr(0, colon).c_str(), O_RDONLY | O_CLOEXEC);
    if (archive_fd >= 0) {
      input archive(archive_fd, path.substr(0, colon), true, unpacking::none);
      char bytes[zip_signature.size()];
      if (archive.size_ >= sizeof bytes && archive.read_at(bytes, sizeof bytes, 0) == sizeof bytes &&
          std::string_view(bytes, sizeof bytes) == zip_signature) {
        archive.become_member(std::string_view(path).substr(colon + 1));
        return archive;
      }
    }
    colon = path.rfind(':', colon - 1);
  }
  throw_file_error(path, reading, failure);
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
      packed_by_(other.packed_by_),
      content_(std::move(other.content_)),
      member_read_(other.member_read_),
      followed_(other.followed_)
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
  std::swap(packed_by_, other.packed_by_);
  std::swap(content_, other.content_);
  std::swap(member_read_, other.member_read_);
  std::swap(followed_, other.followed_);
  return *this;
}

input::~input()
{
  content_.reset();  // it reads the descriptor
  if (owned_) close(fd_);
}

std::string input::not_seekable() const
{
  if (followed_) return "a file that is followed";
  return packed_by_.empty() ? "a pipe" : "a file compressed by " + std::string(packed_by_);
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
  if (followed_) return read_while_it_grows(to, n);
  if (member_read_) {
    auto const wanted = static_cast<std::size_t>(std::min<std::uint64_t>(n, *size_ - *member_read_));
    std::size_t const got = read_at(to, wanted, *member_read_);
    *member_read_ += got;
    return got;
  }
  if (first_.empty()) return read_some(fd_, to, n, name_);
  std::size_t const got = std::min(n, first_.size());
  std::memcpy(to, first_.data(), got);
  first_.erase(0, got);
  return got;
}

std::size_t input::read_while_it_grows(void* to, std::size_t n)
{
  for (;;) {
    if (std::size_t const got = read_some(fd_, to, n, name_)) return got;
    struct stat status;
    if (fstat(fd_, &status) != 0) throw_file_error(name_, reading, errno);
    if (status.st_size < lseek(fd_, 0, SEEK_CUR))
      throw data_error({name_}, "a file that has got shorter", "one that only grows, to follow it");
    if (status.st_nlink == 0) return read_some(fd_, to, n, name_);  // with what came before its name went
    if (status.st_size == lseek(fd_, 0, SEEK_CUR)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
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
  return io::read_at(fd_, to, n, start_ + offset, name_);
}

bool input::ready() const
{
  if (content_) return content_->ready();
  struct stat status;
  if (followed_ && fstat(fd_, &status) == 0) return status.st_size != lseek(fd_, 0, SEEK_CUR);
  return size_ || !first_.empty() || readable(fd_);
}

}  // namespace tally::io
