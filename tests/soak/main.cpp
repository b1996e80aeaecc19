// tally_soak and tally_soak_cuda: make random calls, and compare their results with plain loops.
#include <csignal>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "soak/choices.hpp"
#include "soak/family.hpp"
#include "support/generator.hpp"

namespace {

using namespace tally::soak;
using seconds = std::chrono::duration<double>;
using clock_type = std::chrono::steady_clock;

constexpr char const* usage =
    "usage: tally_soak [--seconds S] [--seed N] [--largest N] [FAMILY...]   tries for S seconds (5), n <= N (2^26)\n"
    "       tally_soak --replay 'FAMILY seed=N NAME=VALUE ...'              makes one try again\n"
    "       tally_soak --list                                               names the families\n";

/// The command that started the program, to be printed in messages.
char const* program_name = "tally_soak";

/// Seconds after which a try counts as one that does not end. The limit is long because on a machine with more work
/// than processors, threads that wait for each other at every tile run only now and then: such tries took minutes.
constexpr unsigned longest_try = 1200;

void say(char const* text)
{
  [[maybe_unused]] auto const written = write(STDOUT_FILENO, text, std::strlen(text));
}

extern "C" void on_signal(int number)
{
  say(number == SIGALRM ? "FAULT a call that does not end\n" : "FAULT a call that ends the program\n");
  say("  ");
  say(program_name);
  say(" --replay '");
  say(line_of_this_try());
  say("'\n");
  _exit(1);
}

family const& family_of(std::string const& name)
{
  for (family const& one : families())
    if (name == one.name) return one;
  throw std::runtime_error("no family '" + name + "'; tally_soak --list names them");
}

outcome attempt(family const& of, choices& what)
{
  alarm(longest_try);
  outcome result;
  try {
    result = of.attempt(what);
  } catch (std::exception const& error) {
    result = {std::string("threw: ") + error.what(), ""};
  }
  return result;
}

/// Reduces a failing line for up to ten seconds: the returned line still fails, with simpler choices and a smaller n.
struct smaller {
  std::vector<choices::choice> made;
  outcome result;
};

smaller shrink(family const& of, std::uint64_t seed, std::size_t largest, smaller found)
{
  auto const begin = clock_type::now();
  auto const still_wrong = [&](std::string const& name, std::string const& value) {
    if (clock_type::now() - begin > seconds(10)) return false;
    std::vector<choices::choice> given = found.made;
    for (choices::choice& one : given)
      if (one.name == name) one.value = value;
    // The schedule of threads is random.
    for (int turn = 0; turn < 3; ++turn) {
      choices what(of.name, seed, largest, given);
      outcome const result = attempt(of, what);
      if (result.wrong.empty()) continue;
      found = {what.made(), result};
      return true;
    }
    return false;
  };
  auto const smaller_n = [&] {
    auto const n = std::find_if(found.made.begin(), found.made.end(), [](auto const& one) { return one.name == "n"; });
    if (n == found.made.end()) return;
    std::size_t const now = std::stoull(n->value);
    for (std::size_t const less : {now / 16, now / 2, now - now / 4, now - now / 16, now - now / 128, now - 1})
      if (less < now && still_wrong("n", std::to_string(less))) return;
  };
  for (int turn = 0; turn < 40; ++turn) {
    std::vector<choices::choice> const before = found.made;
    smaller_n();
    if (turn % 8 == 0) {
      for (choices::choice const& one : before)
        if (one.name != "n" && one.value != one.simplest) still_wrong(one.name, one.simplest);
    }
    bool const same = std::equal(before.begin(), before.end(), found.made.begin(), found.made.end(),
                                 [](auto const& a, auto const& b) { return a.value == b.value; });
    if (same && turn % 8 == 0) break;
  }
  return found;
}

std::string line_of(family const& of, std::uint64_t seed, std::vector<choices::choice> const& made)
{
  std::string text = std::string(of.name) + " seed=" + std::to_string(seed);
  for (choices::choice const& one : made) text += " " + one.name + "=" + one.value;
  return text;
}

void report(family const& of, std::uint64_t seed, smaller const& found)
{
  std::printf("FAULT %s: %s\n  %s --replay '%s'\n", of.name, found.result.wrong.c_str(), program_name,
              line_of(of, seed, found.made).c_str());
  if (!found.result.program.empty()) std::printf("%s\n", found.result.program.c_str());
  std::fflush(stdout);
}

int replay(std::string const& line)
{
  parsed_line const what = parse(line);
  family const& of = family_of(what.family);
  choices made(what.family, what.seed, std::size_t{1} << 32, what.given);
  outcome const result = attempt(of, made);
  if (result.wrong.empty()) {
    std::printf("right: %s\n", made.line().c_str());
    return 0;
  }
  report(of, what.seed, {made.made(), result});
  return 1;
}

struct tally_of_family {
  family const* of;
  std::uint64_t tries = 0;
  double seconds = 0;
  bool failed = false;
};

int soak(double for_seconds, std::uint64_t seed, std::size_t largest, std::vector<std::string> const& names)
{
  std::vector<tally_of_family> all;
  for (family const& one : families())
    if (names.empty() || std::find(names.begin(), names.end(), one.name) != names.end()) all.push_back({&one});
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  auto const begin = clock_type::now();
  auto const spent = [&] { return seconds(clock_type::now() - begin).count(); };
  while (spent() < for_seconds) {
    // Every family has its share of the time. A family that has failed has reported its fault, and is not tried again.
    auto const next = std::min_element(all.begin(), all.end(), [](auto const& a, auto const& b) {
      return a.failed != b.failed ? b.failed : a.seconds < b.seconds;
    });
    if (next->failed) break;
    double const before = spent();
    std::uint64_t const own = tally::test::random_bits(seed, next->tries);
    choices what(next->of->name, own, largest);
    outcome const result = attempt(*next->of, what);
    ++next->tries;
    next->seconds += spent() - before;
    if (result.wrong.empty()) continue;
    next->failed = true;
    std::printf("after %.1f s and %llu tries of '%s':\n", spent(), static_cast<unsigned long long>(next->tries),
                next->of->name);
    report(*next->of, own, shrink(*next->of, own, largest, {what.made(), result}));
  }
  alarm(0);
  bool failed = false;
  for (tally_of_family const& one : all) {
    std::printf("tries %s %llu%s\n", one.of->name, static_cast<unsigned long long>(one.tries),
                one.failed ? " FAULT" : "");
    failed |= one.failed;
  }
  return failed ? 1 : 0;
}

int run(std::vector<std::string> arguments)
{
  double for_seconds = 5;
  std::uint64_t seed = std::random_device{}();
  std::size_t largest = std::size_t{1} << 26;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::string const& word = arguments[k];
    auto const value = [&]() -> std::string const& {
      if (k + 1 == arguments.size()) throw std::runtime_error(word + " needs a value");
      return arguments[++k];
    };
    if (word == "--seconds") {
      for_seconds = std::stod(value());
    } else if (word == "--seed") {
      seed = std::stoull(value());
    } else if (word == "--largest") {
      largest = std::stoull(value());
    } else if (word == "--replay") {
      return replay(value());
    } else if (word == "--list") {
      for (family const& one : families()) std::printf("%s\n", one.name);
      return 0;
    } else {
      names.emplace_back(family_of(word).name);
    }
  }
  return soak(for_seconds, seed, largest, names);
}

}  // namespace

int main(int count, char** words)
{
  program_name = words[0];
  for (int const number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(number, on_signal);
  try {
    return run({words + 1, words + count});
  } catch (std::exception const& error) {
    std::fprintf(stderr, "tally_soak: %s\n%s", error.what(), usage);
    return 2;
  }
}
