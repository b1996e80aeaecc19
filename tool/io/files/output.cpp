#include "io/files/output.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "io/errors.hpp"
#include "io/files/spool.hpp"
#include "io/files/temporary_files.hpp"

namespace tally::io {

namespace {

constexpr char const* writing = "cannot write";

/// One call of write(2) moves at most this much: Linux stops at 2^31 - 4096.
constexpr std::size_t largest_write = std::size_t(1) << 30;

/// Calls `some(data, n, done)`, which returns what write(2) does, until it has taken all n bytes.
template <class Some>
void write_all(std::string const& name, void const* data, std::size_t n, Some some)
{
  for (std::size_t done = 0; done < n;) {
    std::size_t const left = n - done < largest_write ? n - done : largest_write;
    ssize_t const written = some(static_cast<char const*>(data) + done, left, done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_file_error(name, writing, errno);
    if (written == 0) throw_file_error(name, writing, ENOSPC);
    done += static_cast<std::size_t>(written);
  }
}

/// The file of a path: the target of a symbolic link, if that exists.
std::string resolve(std::string const& path)
{
  std::unique_ptr<char, decltype(&std::free)> const resolved(realpath(path.c_str(), nullptr), std::free);
  return resolved ? resolved.get() : path;
}

/// Everything before the last part of a path.
std::string folder_of(std::string const& path)
{
  std::size_t const slash = path.rfind('/') + 1;  // 0 if there is none
  return slash == 0 ? "." : path.substr(0, slash);
}

/// The name of an unfinished file: hidden, and in the folder of its target.
std::string name_beside(std::string const& target, std::string const& ending)
{
  std::size_t const slash = target.rfind('/') + 1;
  return target.substr(0, slash) + "." + target.substr(slash, 200) + "." + ending;
}

/// A path that leads to an open file, with a name or without.
std::string path_of(int fd)
{
  return "/proc/self/fd/" + std::to_string(fd);
}

mode_t mode_of_new_files()
{
  mode_t const mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

output::output(int fd, std::string name, bool owned) : fd_(fd), owned_(owned), name_(std::move(name)) {}

output output::file(std::string const& path, unfinished kept)
{
  struct stat status;
  bool const exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    int const fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) throw_file_error(path, writing, errno);
    return output(fd, path, true);
  }
  if (exists && access(path.c_str(), W_OK) != 0) throw_file_error(path, writing, errno);
  std::signal(SIGXFSZ, SIG_IGN);
  output result(-1, path, true);
  result.target_ = resolve(path);
  if (kept == unfinished::named || !result.open_nameless(folder_of(result.target_))) result.open_temporary();
  // So far only the owner may read them.
  fchmod(result.fd_, exists ? status.st_mode & 07777 : mode_of_new_files());
  return result;
}

/// Returns false if the file system has no nameless files, or none that can be given a name.
bool output::open_nameless(std::string const& folder)
{
  fd_ = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd_ >= 0 && access(path_of(fd_).c_str(), F_OK) == 0) return true;
  if (fd_ >= 0) close(std::exchange(fd_, -1));
  return false;
}

void output::open_temporary()
{
  std::string path = name_beside(target_, "XXXXXX");
  fd_ = mkostemp(path.data(), O_CLOEXEC);
  if (fd_ < 0) throw_file_error(name_, "cannot create a temporary file beside it", errno);
  temporary_ = std::move(path);
  remove_on_signal(temporary_);
}

/// Links the nameless file to its target or, if that exists, to a name beside it, which is then renamed.
void output::give_name()
{
  std::string const nameless = path_of(fd_);
  auto const link = [&](std::string const& to) {
    return linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  };
  int problem = link(target_);
  for (int tries = 0; problem == EEXIST && tries < 100; ++tries) {
    temporary_ = name_beside(target_, std::to_string(getpid()) + "." + std::to_string(tries));
    remove_on_signal(temporary_);
    problem = link(temporary_);
    if (problem == 0) return;
    keep_on_signal(temporary_);
    temporary_.clear();
  }
  if (problem != 0) throw_file_error(name_, writing, problem);
}

output output::standard_output()
{
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return output(STDOUT_FILENO, "(standard output)", false);
}

output output::named(std::string const& path)
{
  return path == "-" ? standard_output() : file(path);
}

output output::descriptor(int fd, std::string name)
{
  return output(fd, std::move(name), false);
}

output::output(output&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      owned_(std::exchange(other.owned_, false)),
      spool_(std::exchange(other.spool_, -1)),
      start_(other.start_),
      end_(other.end_),
      name_(std::move(other.name_)),
      target_(std::exchange(other.target_, {})),
      temporary_(std::exchange(other.temporary_, {}))
{
}

output::~output()
{
  if (owned_ && fd_ >= 0) close(fd_);
  if (spool_ >= 0) close(spool_);
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
    keep_on_signal(temporary_);
  }
}

void output::write(void const* data, std::size_t n)
{
  auto const some = [this](char const* from, std::size_t left, std::size_t) { return ::write(fd_, from, left); };
  write_all(name_, data, n, some);
}

void output::allow_write_at()
{
  struct stat status;
  bool const regular = fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
  int const flags = fcntl(fd_, F_GETFL);
  off_t const position = regular ? lseek(fd_, 0, SEEK_CUR) : -1;
  // In append mode pwrite(2) ignores the offset.
  if (position >= 0 && flags >= 0 && (flags & O_APPEND) == 0)
    start_ = static_cast<std::uint64_t>(position);
  else
    open_spool();
}

void output::open_spool()
{
  spool_ = spool().release();
}

void output::write_at(void const* data, std::size_t n, std::uint64_t offset)
{
  int const to = random_access();
  auto const some = [&](char const* from, std::size_t left, std::size_t done) {
    return pwrite(to, from, left, static_cast<off_t>(start_ + offset + done));
  };
  write_all(spool_ >= 0 ? "(temporary file)" : name_, data, n, some);
  if (offset + n > end_) end_ = offset + n;
}

void output::copy_spool()
{
  constexpr std::size_t portion = std::size_t(1) << 20;
  auto const buffer = std::make_unique_for_overwrite<char[]>(portion);
  for (std::uint64_t done = 0; done < end_;) {
    ssize_t const got = pread(spool_, buffer.get(), portion, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw_file_error("(temporary file)", "cannot read", got < 0 ? errno : EIO);
    write(buffer.get(), static_cast<std::size_t>(got));
    done += static_cast<std::uint64_t>(got);
  }
  close(std::exchange(spool_, -1));
}

void output::commit()
{
  if (spool_ >= 0)
    copy_spool();
  else if (end_ > 0)
    lseek(fd_, static_cast<off_t>(start_ + end_), SEEK_SET);  // other users of the descriptor continue here
  if (!owned_) return;
  // Some file systems report that they are full only when a descriptor is closed. A nameless file needs its descriptor.
  bool const nameless = !target_.empty() && temporary_.empty();
  int const closed = nameless ? fcntl(fd_, F_DUPFD_CLOEXEC, 0) : std::exchange(fd_, -1);
  if (closed < 0 || (close(closed) != 0 && errno != EINTR)) throw_file_error(name_, writing, errno);
  if (nameless) give_name();
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) throw_file_error(name_, writing, errno);
  keep_on_signal(temporary_);
  temporary_.clear();
}

void write_whole(output to, std::string_view text)
{
  to.write(text.data(), text.size());
  to.commit();
}

}  // namespace tally::io
