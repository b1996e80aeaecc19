#pragma once

#include <string>
#include <vector>

#include "draw/recording.hpp"
#include "textbook/catalogue.hpp"

/// Recorded runs of the catalogue's kernels.
namespace tally::test {

struct recorded {
  draw::recording run;
  std::size_t work = 0;
  std::vector<std::string> out;
};

inline std::vector<std::string> texts_of(textbook::values const& of)
{
  std::vector<std::string> texts;
  std::visit(
      [&](auto const& elements) {
        for (auto const& each : elements) texts.push_back(model::text_of(each));
      },
      of);
  return texts;
}

inline recorded record(textbook::kernel_entry const& kernel, textbook::values const& in)
{
  recorded result;
  model::machine on;
  on.watch_with(&result.run);
  result.out = texts_of(textbook::run(kernel, on, in).result);
  result.work = on.operations().work();
  return result;
}

inline recorded record(char const* name, textbook::values const& in)
{
  return record(*textbook::find_kernel(name), in);
}

/// 1, 2, 4, 8 ..: every sum shows its operands, up to n = 31.
inline std::vector<int> powers_of_two(int n)
{
  std::vector<int> values;
  for (int k = 0; k < n; ++k) values.push_back(static_cast<int>(1U << (k % 31)));
  return values;
}

inline std::vector<int> one_to(int n)
{
  std::vector<int> values;
  for (int k = 1; k <= n; ++k) values.push_back(k);
  return values;
}

/// The input of a kernel that cannot take these: a histogram counts elements below 8.
inline std::vector<int> taken_by(textbook::kernel_entry const& kernel, std::vector<int> values)
{
  if (kernel.result == textbook::result_kind::histogram)
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<int>(k * k % 7);
  return values;
}

/// a, b, c ..
inline std::vector<textbook::letters> alphabet(int n)
{
  std::vector<textbook::letters> values;
  for (int k = 0; k < n; ++k) values.push_back({static_cast<short>(k), static_cast<short>(k)});
  return values;
}

}  // namespace tally::test
