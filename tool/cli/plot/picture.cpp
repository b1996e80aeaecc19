#include "plot/picture.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tally/error.hpp"

namespace tally::cli {

namespace {

constexpr char const* program = "rsvg-convert";

[[noreturn]] void fail(std::string const& what, int error_number)
{
  throw error(fmt::format("{}: {}: {}", program, what, std::generic_category().message(error_number)));
}

/// A file in memory, closed in other programs.
class memory_file {
public:
  explicit memory_file(char const* name) : fd_(::memfd_create(name, MFD_CLOEXEC))
  {
    if (fd_ < 0) fail("no memory for a file", errno);
  }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;
  ~memory_file() { ::close(fd_); }

  int fd() const { return fd_; }

  /// Writes the content, and goes back to its beginning.
  void fill(std::string_view content) const
  {
    while (!content.empty()) {
      ssize_t const n = ::write(fd_, content.data(), content.size());
      if (n < 0 && errno != EINTR) fail("no memory for a file", errno);
      if (n > 0) content.remove_prefix(static_cast<std::size_t>(n));
    }
    ::lseek(fd_, 0, SEEK_SET);
  }

  std::string content() const
  {
    std::string all(static_cast<std::size_t>(::lseek(fd_, 0, SEEK_END)), '\0');
    std::size_t have = 0;
    while (have < all.size()) {
      ssize_t const n = ::pread(fd_, all.data() + have, all.size() - have, static_cast<off_t>(have));
      if (n <= 0 && errno != EINTR) fail("cannot read its output", errno);
      if (n > 0) have += static_cast<std::size_t>(n);
    }
    return all;
  }

private:
  int fd_;
};

}  // namespace

bool has_png_program()
{
  char const* const path = std::getenv("PATH");
  for (std::string_view left = path == nullptr ? "" : path; !left.empty();) {
    std::string_view const folder = left.substr(0, left.find(':'));
    left.remove_prefix(std::min(folder.size() + 1, left.size()));
    if (::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string png_of(std::string const& svg)
{
  memory_file const in("svg"), out("png");
  in.fill(svg);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.fd(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.fd(), STDOUT_FILENO);
  std::string name = program, zoom = "--zoom=2";
  char* const arguments[] = {name.data(), zoom.data(), nullptr};
  pid_t child = 0;
  int const failed = ::posix_spawnp(&child, program, &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) fail("cannot be started", failed);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail("cannot be waited for", errno);
  if (WIFSIGNALED(status)) throw error(fmt::format("{}: ended by signal {}", program, WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) throw error(fmt::format("{}: ended with status {}", program, WEXITSTATUS(status)));
  return out.content();
}

}  // namespace tally::cli
