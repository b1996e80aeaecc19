#include "plot/picture.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "io/files/memory_file.hpp"
#include "tally/error.hpp"

namespace tally::cli {

namespace {

constexpr char const* program = "rsvg-convert";

[[noreturn]] void fail(std::string const& what, int error_number)
{
  throw error(fmt::format("{}: {}: {}", program, what, std::generic_category().message(error_number)));
}

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
  io::memory_file in, out;
  in.write(svg);
  in.rewind();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.descriptor(), STDOUT_FILENO);
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
  return std::string(out.content());
}

}  // namespace tally::cli
