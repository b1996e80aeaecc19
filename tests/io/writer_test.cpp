#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <limits>
#include <numeric>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "io/arrays/npy_reader.hpp"
#include "io/text/reader.hpp"
#include "io/writer.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::everything;
using testing::read_all;
using testing::scratch_folder;
using testing::word;

std::vector<double> random_values(std::size_t count)
{
  std::mt19937_64 random(count);
  std::vector<double> values(count);
  for (double& value : values) value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 80) - 60);
  return values;
}

/// The bytes that `write` writes to a pipe.
template <class Write>
std::string through_pipe(Write write)
{
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  std::string result;
  std::thread reading([&] {
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) result.append(buffer, static_cast<std::size_t>(n));
  });
  write(output::descriptor(ends[1], "pipe"));
  close(ends[1]);
  reading.join();
  close(ends[0]);
  return result;
}

TEST(text_writer, values_of_every_type)
{
  scratch_folder const folder;
  text_writer to(output::file(folder.path("out")));
  to.write_text("# head\n");
  to.write(std::span<std::int8_t const>(std::vector<std::int8_t>{-128, 127}));
  to.write(std::span<std::uint64_t const>(std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max()}));
  to.write(std::span<float const>(std::vector<float>{0.1f, -0.0f}));
  to.write(std::span<double const>(std::vector<double>{0.1, 1e300, 5}));
  to.write(std::span<int128 const>(std::vector<int128>{int128(1) << 100}));
  to.write(std::span<double const>());
  to.finish();
  EXPECT_EQ(folder.read("out"),
            "# head\n-128\n127\n18446744073709551615\n0.1\n-0.0\n0.1\n1e+300\n5\n1267650600228229401496703205376\n");
}

TEST(text_writer, threads_and_pieces_change_nothing)
{
  scratch_folder const folder;
  std::vector<double> const values = random_values(100001);
  std::string expected;
  for (double const value : values) expected += to_text(value) + "\n";
  for (int const threads : {1, 4}) {
    for (std::size_t const piece : {1u, 100u, 8192u, 16384u, 20000u, 65537u, 1000000u}) {
      text_writer to(output::file(folder.path("out")), {.threads = threads});
      for (std::size_t first = 0; first < values.size(); first += piece)
        to.write(std::span<double const>(values).subspan(first, std::min(piece, values.size() - first)));
      to.finish();
      ASSERT_TRUE(folder.read("out") == expected) << threads << " threads, pieces of " << piece;
    }
  }
  everything const back = read_all(
      [&] { return read_text(input::file(folder.path("out")), {.numbers = {.rule = number_rule::floating}}); });
  std::vector<std::string> words;
  for (double const value : values) words.push_back(word(value));
  EXPECT_TRUE(back.values == words);
}

TEST(text_writer, flush_sends_what_waits)
{
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  text_writer to(output::descriptor(ends[1], "pipe"), {.line_end = ' '});
  to.write(std::span<std::int32_t const>(std::vector<std::int32_t>{1, 2}));
  to.flush();
  char got[8] = {};
  EXPECT_EQ(read(ends[0], got, 8), 4);
  EXPECT_STREQ(got, "1 2 ");
  close(ends[0]);
  close(ends[1]);
}

template <class T>
void expect_npy_round_trip()
{
  scratch_folder const folder;
  std::vector<T> values(300001);
  std::iota(values.begin(), values.end(), T(3));
  std::vector<std::string> words;
  for (T const value : values) words.push_back(word(value));
  for (std::size_t const piece : {1000u, 300001u}) {
    auto const write = [&](std::unique_ptr<writer> to) {
      for (std::size_t first = 0; first < values.size(); first += piece)
        to->write(std::span<T const>(values).subspan(first, std::min(piece, values.size() - first)));
      to->finish();
    };
    write(write_npy(output::file(folder.path("out.npy")), element_type_of<T>));
    std::string const file = folder.read("out.npy");
    EXPECT_EQ((file.size() - values.size() * sizeof(T)) % 64, 0u);
    EXPECT_TRUE(read_all([&] { return read_npy(input::file(folder.path("out.npy"))); }).values == words);
    EXPECT_TRUE(through_pipe([&](output to) { write(write_npy(std::move(to), element_type_of<T>)); }) == file);
    EXPECT_TRUE(through_pipe([&](output to) { write(write_npy(std::move(to), element_type_of<T>, {300001})); }) ==
                file);
    write(write_raw(output::file(folder.path("out.raw")), element_type_of<T>));
    EXPECT_TRUE(folder.read("out.raw") == file.substr(file.size() - values.size() * sizeof(T)));
  }
}

TEST(npy_writer, what_is_written_reads_back)
{
  expect_npy_round_trip<std::int8_t>();
  expect_npy_round_trip<std::uint16_t>();
  expect_npy_round_trip<std::int64_t>();
  expect_npy_round_trip<float>();
  expect_npy_round_trip<double>();
}

TEST(npy_writer, broken_contracts)
{
  scratch_folder const folder;
  EXPECT_THROW(write_npy(output::file(folder.path("out")), element_type::int128), data_error);
  auto const to = write_npy(output::file(folder.path("out")), element_type::int8, {2});
  EXPECT_THROW(to->write(std::span<float const>(std::vector<float>{1})), usage_error);
  EXPECT_THROW(to->finish(), usage_error);
}

TEST(output, a_file_appears_when_it_is_whole)
{
  scratch_folder const folder;
  folder.write("out", "old");
  {
    output to = output::file(folder.path("out"));
    to.write("new", 3);
    EXPECT_EQ(folder.read("out"), "old");
    output moved = std::move(to);
    moved.commit();
    EXPECT_EQ(folder.read("out"), "new");
  }
  EXPECT_EQ(folder.count(), 1u);
  {
    output to = output::file(folder.path("out"));
    to.write("lost", 4);
  }
  EXPECT_EQ(folder.read("out"), "new");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(output, permissions_and_links_stay)
{
  scratch_folder const folder;
  folder.write("target", "old");
  chmod(folder.path("target").c_str(), 0640);
  std::filesystem::create_symlink(folder.path("target"), folder.path("link"));
  output to = output::file(folder.path("link"));
  to.write("new", 3);
  to.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(folder.read("target"), "new");
  struct stat status;
  ASSERT_EQ(stat(folder.path("target").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(output, what_cannot_be_opened)
{
  EXPECT_THROW(output::file("/no/such/folder/out"), file_error);
  EXPECT_THROW(output::file("/"), file_error);
}

TEST(output, a_full_disk)
{
  std::vector<double> const values = random_values(100000);
  text_writer to(output::file("/dev/full"));
  EXPECT_THROW((to.write(std::span<double const>(values)), to.finish()), disk_full);
  output direct = output::file("/dev/full");
  try {
    direct.write("x", 1);
    FAIL();
  } catch (disk_full const& failure) {
    EXPECT_STREQ(failure.what(), "/dev/full: cannot write: No space left on device");
  }
}

TEST(output, a_broken_pipe)
{
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  std::vector<double> const values = random_values(100000);
  text_writer to(output::descriptor(ends[1], "pipe"), {.threads = 4});
  EXPECT_THROW((to.write(std::span<double const>(values)), to.finish()), broken_pipe);
  close(ends[1]);
}

TEST(output, rewriting_behind_what_is_there)
{
  scratch_folder const folder;
  for (int const flags : {0, O_APPEND}) {
    int const fd = open(folder.write("out", "").c_str(), O_WRONLY | O_TRUNC | flags);
    ASSERT_EQ(write(fd, "before ", 7), 7);
    output to = output::descriptor(fd, "out");
    to.allow_write_at();
    to.write_at("??st", 4, 0);
    to.write_at("la", 2, 0);
    to.commit();
    ASSERT_EQ(write(fd, " after", 6), 6);
    close(fd);
    EXPECT_EQ(folder.read("out"), "before last after");
  }
}

/// Writes half of a file in a process that `end` ends, and returns the status of the process.
template <class End>
int status_of_half_a_file(std::string const& path, unfinished kept, End end)
{
  pid_t const child = fork();
  if (child == 0) {
    output to = output::file(path, kept);
    to.write("half", 4);
    end();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(output, a_signal_leaves_nothing_behind)
{
  rlimit const no_cores{0, 0};
  setrlimit(RLIMIT_CORE, &no_cores);
  scratch_folder const folder;
  for (unfinished const kept : {unfinished::nameless, unfinished::named}) {
    for (bool const exists : {false, true}) {
      for (int const signal_number :
           {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2, SIGKILL, SIGSEGV}) {
        bool const can_be_caught = signal_number != SIGKILL && signal_number != SIGSEGV;
        if (kept == unfinished::named && !can_be_caught) continue;
        if (exists) folder.write("out", "old");
        // A shell starts background processes with SIGINT ignored.
        if (can_be_caught) std::signal(signal_number, SIG_DFL);
        int const status = status_of_half_a_file(folder.path("out"), kept, [&] {
          // A sanitizer would catch it.
          if (signal_number == SIGSEGV) std::signal(SIGSEGV, SIG_DFL);
          raise(signal_number);
        });
        ASSERT_TRUE(WIFSIGNALED(status)) << signal_number;
        EXPECT_EQ(WTERMSIG(status), signal_number);
        EXPECT_EQ(folder.count(), exists ? 1u : 0u) << signal_number;
        if (exists) {
          EXPECT_EQ(folder.read("out"), "old");
        }
        std::filesystem::remove(folder.path("out"));
      }
    }
  }
}

TEST(output, too_large_a_file_is_a_full_disk)
{
  scratch_folder const folder;
  for (unfinished const kept : {unfinished::nameless, unfinished::named}) {
    int const status = status_of_half_a_file(folder.path("out"), kept, [&] {
      rlimit const small{100, 100};
      setrlimit(RLIMIT_FSIZE, &small);
      try {
        output to = output::file(folder.path("large"), kept);
        to.write(std::string(101, 'x').data(), 101);
        to.commit();
      } catch (disk_full const&) {
        _exit(3);
      }
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_LE(folder.count(), kept == unfinished::named ? 1u : 0u) << "_exit leaves the named file of the half";
  }
}

TEST(output, both_kinds_of_unfinished_files_become_the_same)
{
  for (unfinished const kept : {unfinished::nameless, unfinished::named}) {
    for (bool const exists : {false, true}) {
      scratch_folder const folder;
      if (exists) {
        folder.write("out", "old");
        chmod(folder.path("out").c_str(), 0640);
      }
      mode_t const mask = umask(027);
      {
        output to = output::file(folder.path("out"), kept);
        EXPECT_EQ(folder.count(), std::size_t(exists) + (kept == unfinished::named)) << "a name before the end";
        to.write("new", 3);
        to.commit();
      }
      umask(mask);
      EXPECT_EQ(folder.read("out"), "new");
      EXPECT_EQ(folder.count(), 1u);
      struct stat status;
      ASSERT_EQ(stat(folder.path("out").c_str(), &status), 0);
      EXPECT_EQ(status.st_mode & 07777, 0640u);
    }
  }
}

TEST(output, names_that_are_taken_do_not_matter)
{
  scratch_folder const folder;
  folder.write("out", "old");
  // An earlier process of the same number may have left these when it was killed between two system calls.
  folder.write(".out." + std::to_string(getpid()) + ".0", "left");
  output to = output::file(folder.path("out"));
  to.write("new", 3);
  to.commit();
  EXPECT_EQ(folder.read("out"), "new");
  EXPECT_EQ(folder.count(), 2u);
}

TEST(output, a_name_without_a_folder)
{
  scratch_folder const folder;
  std::filesystem::path const before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path("."));
  {
    output to = output::file("out");
    to.write("new", 3);
    to.commit();
  }
  std::filesystem::current_path(before);
  EXPECT_EQ(folder.read("out"), "new");
}

}  // namespace
}  // namespace tally::io
