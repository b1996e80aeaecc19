#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "values.hpp"

namespace tally::cli {

/// Takes groups and their results, in the order of the output.
class group_sink {
public:
  virtual ~group_sink() = default;
  group_sink(group_sink const&) = delete;
  group_sink& operator=(group_sink const&) = delete;

  using add_group = std::function<void(std::string_view key, std::span<result const> results)>;

  virtual void group(std::string_view key, std::span<result const> results) = 0;
  /// Takes blocks of some thousand groups. Several threads call `fill(k, add)`, which calls `add` with each group of
  /// block k.
  virtual void blocks(std::size_t count, std::function<void(std::size_t, add_group const&)> const& fill) = 0;

protected:
  group_sink() = default;
};

}  // namespace tally::cli
