#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "groups/kept_batch.hpp"
#include "groups/order.hpp"
#include "groups/partition.hpp"
#include "groups/sink.hpp"
#include "groups/states/group_states.hpp"
#include "io/files/piece_file.hpp"
#include "io/threads/worker_pool.hpp"
#include "settings/settings.hpp"

namespace tally::cli {

/// The reductions of the groups of a table.
///
/// Batches are copied until there are enough of them. Then threads sort the copies, and then take the partitions of the
/// keys in turn: each has the rows of its keys in the order of the input, whatever the threads.
///
/// Memory is bounded. As the groups take half of the limit, rows of new keys wait in a temporary file; as they take all
/// of it, so do the rows of known keys. At the end the partitions are completed one after the other, and their results
/// are merged.
class group_reduction {
public:
  /// Of columns of values of `type`, or of text if there is none. `settings` must outlive it.
  group_reduction(command_settings const& settings, std::optional<io::element_type> type, std::size_t columns);
  ~group_reduction();

  /// Takes the next rows. Returns the first of their values that an operation cannot take; after that the object may
  /// only be destroyed.
  std::optional<failed_value> take(io::batch const& batch);

  /// Gives each group and its results to `to`, in the order of the settings. To be called once.
  void finish(group_sink& to);

private:
  struct place {
    std::uint32_t partition;
    std::uint32_t group;
  };
  /// Writes the groups of block k to `places`, in order. Called by several threads.
  using block_of_places = std::function<void(std::size_t k, std::vector<place>& places)>;
  /// Takes so many blocks.
  using use_blocks = std::function<void(std::size_t count, block_of_places const& find)>;
  using visitor = std::function<void(group_result const&)>;

  std::optional<failed_value> flush();
  void admit();
  std::size_t bytes() const;
  void in_order(std::span<std::uint32_t const> partitions, use_blocks const& use);
  void by_first_rows(std::span<std::uint32_t const> partitions, use_blocks const& use);
  void sorted(std::span<std::uint32_t const> partitions, use_blocks const& use);
  group_result at(place where, group_states& states, std::vector<result>* results);
  void for_block(std::size_t block, block_of_places const& find, visitor const& use);
  void write_run(std::span<std::uint32_t const> partitions);
  void complete_partitions();
  void merge_runs(group_sink& to);

  command_settings const& settings_;
  std::optional<io::element_type> type_;
  group_states states_;
  std::size_t most_bytes_;
  std::size_t window_bytes_;
  std::vector<std::unique_ptr<partition>> partitions_;
  std::vector<std::unique_ptr<kept_batch>> window_;
  std::size_t kept_ = 0;  // batches in the window
  std::size_t kept_bytes_ = 0;
  std::uint64_t rows_ = 0;
  admission admitted_ = admission::all;
  bool failing_ = false;  // a value may be one that an operation cannot take
  std::unique_ptr<io::piece_file> file_;
  std::vector<spilled_records> runs_;  // results in order
  io::worker_pool workers_;
};

}  // namespace tally::cli
