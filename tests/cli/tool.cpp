#include "tool.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace tally::test {

namespace {

struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe()
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {ends[0], ends[1]};
}

void drain(int descriptor, std::function<void(std::string_view)> const& take)
{
  char buffer[1 << 16];
  for (ssize_t n = 0; (n = read(descriptor, buffer, sizeof buffer)) > 0;) take({buffer, static_cast<std::size_t>(n)});
  close(descriptor);
}

outcome run(words command_line, surroundings const& around)
{
  pipe_ends const in = make_pipe();
  pipe_ends const out = make_pipe();
  pipe_ends const err = make_pipe();
  std::vector<char*> pointers;
  for (std::string& word : command_line) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // posix_spawn shares this process's memory until the other program begins. fork() copies its page tables, of which a
  // sanitizer makes many.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, around.directory.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t of_pipes;
  sigemptyset(&of_pipes);
  sigaddset(&of_pipes, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &of_pipes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  int const failure = posix_spawn(&child, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) throw std::runtime_error("no process");
  close(in.read);
  close(out.write);
  close(err.write);
  outcome result;
  std::thread feeder([&] {
    around.feed(in.write);
    close(in.write);
  });
  std::thread complaints([&] { drain(err.read, [&](std::string_view text) { result.err += text; }); });
  drain(out.read, around.take ? around.take : [&](std::string_view text) { result.out += text; });
  complaints.join();
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  feeder.join();
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.peak_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  return result;
}

/// SIGPIPE is ignored, so that a feeder survives a tool that does not read to the end.
bool const pipe_signals_ignored = signal(SIGPIPE, SIG_IGN) != SIG_ERR;

}  // namespace

std::string tool_path()
{
  // scripts/mutate names another tool than the one built with the tests.
  char const* const other = std::getenv("TALLY_TOOL");
  return other != nullptr ? other : TALLY_TOOL;
}

bool feed_all(int descriptor, std::string_view text)
{
  while (!text.empty()) {
    ssize_t const n = write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

outcome run_tool(words const& arguments, std::string_view input)
{
  surroundings around;
  around.feed = [&](int descriptor) { feed_all(descriptor, input); };
  return run_tool(arguments, around);
}

outcome run_tool(words const& arguments, surroundings const& around)
{
  words command_line = {tool_path()};
  command_line.insert(command_line.end(), arguments.begin(), arguments.end());
  return run(std::move(command_line), around);
}

outcome run_shell(std::string const& command, std::string const& directory)
{
  surroundings around;
  around.directory = directory;
  std::string const folder = std::filesystem::path(tool_path()).parent_path();
  return run({"/bin/bash", "-c", "PATH='" + folder + "':$PATH\n" + command}, around);
}

in_folder::in_folder()
{
  std::string pattern = std::filesystem::temp_directory_path() / "tally-cli-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder");
  folder_ = pattern;
}

in_folder::~in_folder()
{
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string in_folder::file(std::string const& name, std::string_view content) const
{
  // A file cut to nothing and written again is flushed to the disk by ext4: 3 ms, for which the processor waits.
  std::filesystem::remove(folder_ / name);
  std::ofstream(folder_ / name, std::ios::binary) << content;
  return path(name);
}

std::string in_folder::read(std::string const& name) const
{
  std::ifstream in(folder_ / name, std::ios::binary);
  if (!in) throw std::runtime_error("no file " + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string in_folder::listing() const
{
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  std::string all;
  for (std::string const& name : names) all += (all.empty() ? "" : " ") + name;
  return all;
}

std::string npy(std::string const& type, std::string const& shape, std::string const& bytes, bool fortran_order)
{
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header + bytes;
}

array parse_npy(std::string const& file)
{
  if (file.size() < 10 || file.compare(0, 6, "\x93NUMPY") != 0) throw std::runtime_error("no .npy file");
  std::size_t const length = static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
  return {file.substr(10, length), file.substr(10 + length)};
}

}  // namespace tally::test
