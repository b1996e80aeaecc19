#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "commands/commands.hpp"
#include "gpu/on_gpu.hpp"
#include "input/source.hpp"
#include "io/files/output.hpp"
#include "model_gpu.hpp"
#include "output/report.hpp"
#include "tool.hpp"

namespace tally::test {

/// Commands of the tool with `--on gpu`, on a model of a GPU, beside the same on the CPU.
class on_model_gpu : public in_folder {
protected:
  /// The output of a reduction.
  static std::string reduced(words const& arguments, cli::gpu* device)
  {
    cli::command_settings const settings = cli::parse_reduce(arguments);
    cli::source from(settings.input, settings.threads);
    cli::accumulators const all = cli::make_accumulators(settings, from.type());
    if (device != nullptr) return report(settings, cli::reduce_on_gpu(settings, from, all, *device));
    cli::reduce_all(settings, from, {&all, 1});
    return report(settings, cli::results_of(all));
  }

  /// The output of a scan.
  std::string scanned(words arguments, std::string const& output, cli::gpu* device) const
  {
    arguments.insert(arguments.end(), {"-o", path(output)});
    cli::command_settings const settings = cli::parse_scan(arguments);
    cli::source from(settings.input, settings.threads);
    io::output to = io::output::named(settings.output.file);
    if (device != nullptr)
      cli::scan_on_gpu(settings, from, *device, std::move(to));
    else
      cli::scan_all(settings, from, from.type(), std::move(to));
    return read(output);
  }

  struct printed {
    std::string out;
    std::string notes;
    int calls;
  };

  static printed reduce_on_model(words const& arguments)
  {
    model_gpu device;
    ::testing::internal::CaptureStderr();
    std::string const out = reduced(arguments, &device);
    return {out, ::testing::internal::GetCapturedStderr(), device.calls()};
  }

  printed scan_on_model(words const& arguments, std::string const& output) const
  {
    model_gpu device;
    ::testing::internal::CaptureStderr();
    std::string const out = scanned(arguments, output, &device);
    return {out, ::testing::internal::GetCapturedStderr(), device.calls()};
  }

  void expect_the_same_reduction(words const& arguments) const
  {
    std::string what;
    for (std::string const& word : arguments) what += word + ' ';
    printed const got = reduce_on_model(arguments);
    EXPECT_EQ(got.out, reduced(arguments, nullptr)) << what;
    EXPECT_EQ(got.notes, "") << what;
    EXPECT_GT(got.calls, 0) << what;
  }

  void expect_the_same_scan(words const& arguments, std::string const& output) const
  {
    std::string what = output + ' ';
    for (std::string const& word : arguments) what += word + ' ';
    printed const got = scan_on_model(arguments, output);
    EXPECT_TRUE(got.out == scanned(arguments, "cpu_" + output, nullptr)) << what;
    EXPECT_EQ(got.notes, "") << what;
    EXPECT_GT(got.calls, 0) << what;
  }

  /// Values of a type without a pattern: all bits of integers, or few enough that sums fit.
  template <class T>
  std::string raw_file(std::size_t n, int bits) const
  {
    std::mt19937_64 random(n);
    std::vector<T> values(n);
    for (T& value : values) {
      if constexpr (std::is_floating_point_v<T>)
        value = static_cast<T>(static_cast<double>(random() >> 20) * 0x1p-40 - 4);
      else
        value = static_cast<T>(random() >> (64 - bits));
    }
    return file("values.raw", bytes_of(values));
  }
};

inline words plus_words(words first, words const& more)
{
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

}  // namespace tally::test
