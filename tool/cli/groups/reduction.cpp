#include "groups/reduction.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <queue>
#include <ranges>
#include <type_traits>
#include <utility>

#include "groups/refused_place.hpp"
#include "io/errors.hpp"

namespace tally::cli {

namespace {

/// The bytes of batches that threads share out at once: enough that a thread has milliseconds of work.
constexpr std::size_t usual_window = std::size_t{24} << 20;

/// The groups that a thread writes at a time.
constexpr std::size_t block_groups = 4096;

/// Where groups are in the order of their first rows, a block is the groups between samples. It has block_groups on
/// average, and never more than sample_stride for each partition and each of its samples.
constexpr std::uint32_t sample_stride = 64;
constexpr std::size_t block_samples = block_groups / sample_stride;

}  // namespace

group_reduction::group_reduction(command_settings const& settings, std::optional<io::element_type> type,
                                 std::size_t columns)
    : settings_(settings),
      type_(type),
      states_(settings, type, columns),
      most_bytes_(settings.memory),
      window_bytes_(std::min(usual_window, most_bytes_ / 4)),
      failing_(states_.may_fail()),
      workers_(settings.threads)
{
  for (std::size_t p = 0; p < partition_count; ++p) partitions_.push_back(std::make_unique<partition>(states_));
}

group_reduction::~group_reduction() = default;

std::optional<failed_value> group_reduction::take(io::batch const& batch)
{
  bool const weighted = !settings_.input.weights.empty();
  bool const may_fail = !failing_ && std::ranges::any_of(batch.columns, [&](io::column const& each) {
    return io::type_of(each.values) == io::element_type::int128 || (weighted && has_long_integers(each.values));
  });
  if (may_fail) {
    flush();  // no value in an earlier batch is wrong
    failing_ = true;
  }
  if (kept_ == window_.size()) window_.push_back(std::make_unique<kept_batch>());
  window_[kept_]->copy(batch, rows_);
  kept_bytes_ += window_[kept_++]->bytes();
  rows_ += batch.groups.size();
  // A value that an operation cannot take has a place only as long as its batch is the reader's last one.
  return failing_ || kept_bytes_ >= window_bytes_ ? flush() : std::nullopt;
}

/// Decides which rows the partitions take from here on.
void group_reduction::admit()
{
  std::size_t total = 0;
  for (auto const& each : partitions_) total += each->bytes();
  if (total > most_bytes_)
    admitted_ = admission::none;
  else if (total > most_bytes_ / 2)
    admitted_ = std::max(admitted_, admission::known_keys);
  if (admitted_ != admission::all && !file_) file_ = std::make_unique<io::piece_file>();
}

/// Gives the batches of the window to the partitions.
std::optional<failed_value> group_reduction::flush()
{
  workers_.for_each(kept_, [this](std::size_t k) { window_[k]->sort(); });
  constexpr std::size_t together = 8;  // partitions, in a job
  std::vector<std::optional<failed_value>> failed(partition_count / together);
  workers_.for_each(failed.size(), [&](std::size_t job) {
    for (std::size_t p = job * together; p < (job + 1) * together; ++p) {
      for (std::size_t k = 0; k < kept_; ++k) {
        std::optional<failed_value> here = partitions_[p]->take(*window_[k], p, states_, admitted_, file_.get());
        if (here && (!failed[job] || here->stands_before(*failed[job]))) failed[job].swap(here);
      }
    }
  });
  kept_ = 0;
  kept_bytes_ = 0;
  admit();
  std::optional<failed_value> first;
  for (std::optional<failed_value>& each : failed)
    if (each && (!first || each->stands_before(*first))) first.swap(each);
  return first;
}

/// A group, and its results if there is room for them.
group_result group_reduction::at(place where, group_states& states, std::vector<result>* results)
{
  partition& here = *partitions_[where.partition];
  if (results) states.results(here.records.state(where.group), here.memory, *results);
  return {here.records.key(where.group), here.records.first_row(where.group),
          results ? std::span<result const>(*results) : std::span<result const>()};
}

/// Calls `use` with the groups of a block and their results.
void group_reduction::for_block(std::size_t block, block_of_places const& find, visitor const& use)
{
  group_states states(settings_, type_, states_.columns());  // of this thread: they compute with accumulators
  std::vector<place> places;
  find(block, places);
  std::vector<result> results;
  constexpr std::size_t ahead = 8;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (k + ahead < places.size()) {
      place const& soon = places[k + ahead];
      partitions_[soon.partition]->records.prefetch_key(soon.group);
    }
    use(at(places[k], states, &results));
  }
}

/// Parallel sorting by regular sampling (Shi and Schaeffer, 1992): the groups of a partition are in the order of their
/// first rows, and some of these bound the blocks.
void group_reduction::by_first_rows(std::span<std::uint32_t const> partitions, use_blocks const& use)
{
  std::vector<std::uint64_t> bounds;  // the first rows of every sample_stride-th group
  for (std::uint32_t const p : partitions)
    for (std::uint32_t group = 0; group < partitions_[p]->records.size(); group += sample_stride)
      bounds.push_back(partitions_[p]->records.first_row(group));
  std::sort(bounds.begin(), bounds.end());
  std::size_t blocks = 0;
  for (std::size_t k = 0; k < bounds.size(); k += block_samples) bounds[blocks++] = bounds[k];
  bounds.resize(blocks);

  use(blocks, [&](std::size_t block, std::vector<place>& places) {
    using entry = std::pair<std::uint64_t, place>;
    std::vector<entry> entries;
    std::uint64_t const end = block + 1 < blocks ? bounds[block + 1] : ~std::uint64_t{0};
    for (std::uint32_t const p : partitions) {
      group_records const& records = partitions_[p]->records;
      auto const groups = std::views::iota(std::uint32_t{0}, records.size());
      auto const first_row = [&](std::uint32_t group) { return records.first_row(group); };
      auto const first = std::ranges::lower_bound(groups, bounds[block], {}, first_row);
      for (auto group = static_cast<std::uint32_t>(first - groups.begin()); group < records.size(); ++group) {
        std::uint64_t const row = first_row(group);
        if (row >= end) break;
        entries.push_back({row, {p, group}});
      }
    }
    std::sort(entries.begin(), entries.end(), [](entry const& a, entry const& b) { return a.first < b.first; });
    places.clear();
    for (entry const& each : entries) places.push_back(each.second);
  });
}

void group_reduction::sorted(std::span<std::uint32_t const> partitions, use_blocks const& use)
{
  struct entry {
    double rank;
    place where;
  };
  group_order const by = settings_.sort;
  std::vector<result> results, others;
  std::vector<result>* const needed = is_by_value(by) ? &results : nullptr;
  std::vector<entry> all;
  for (std::uint32_t const p : partitions) {
    for (std::uint32_t group = 0; group < partitions_[p]->records.size(); ++group)
      all.push_back({rank_of(at({p, group}, states_, needed), by), {p, group}});
  }
  std::sort(all.begin(), all.end(), [&](entry const& a, entry const& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    return stands_before(at(a.where, states_, needed), at(b.where, states_, needed ? &others : nullptr), a.rank, by);
  });
  use((all.size() + block_groups - 1) / block_groups, [&](std::size_t block, std::vector<place>& places) {
    places.clear();
    for (std::size_t k = block * block_groups; k < std::min(all.size(), (block + 1) * block_groups); ++k)
      places.push_back(all[k].where);
  });
}

void group_reduction::in_order(std::span<std::uint32_t const> partitions, use_blocks const& use)
{
  if (settings_.sort == group_order::first)
    by_first_rows(partitions, use);
  else
    sorted(partitions, use);
}

/// Writes the results of partitions in order, and forgets their groups.
void group_reduction::write_run(std::span<std::uint32_t const> partitions)
{
  static_assert(std::is_trivially_copyable_v<result>);
  spilled_records& run = runs_.emplace_back();
  auto const write = [&](group_result const& group) {
    run.put(group.first_row);
    run.put(static_cast<std::uint32_t>(group.key.size()));
    run.put(static_cast<std::uint32_t>(group.results.size()));
    run.put_bytes(group.key.data(), group.key.size());
    run.put_bytes(group.results.data(), group.results.size_bytes());
    run.end_record(*file_);
  };
  in_order(partitions, [&](std::size_t blocks, block_of_places const& find) {
    for (std::size_t block = 0; block < blocks; ++block) for_block(block, find, write);
  });
  run.flush(*file_);
  for (std::uint32_t const p : partitions) {
    spilled_records waiting = std::move(partitions_[p]->waiting);
    partitions_[p] = std::make_unique<partition>(states_);
    partitions_[p]->waiting = std::move(waiting);
  }
}

/// Takes the rows that wait, and writes all results.
void group_reduction::complete_partitions()
{
  std::vector<std::uint32_t> all(partition_count);
  std::iota(all.begin(), all.end(), 0U);
  if (admitted_ != admission::none) write_run(all);  // none of the rows that wait belongs to these groups
  for (std::uint32_t const p : all) {
    do {
      spilled_records rows = std::exchange(partitions_[p]->waiting, {});
      rows.flush(*file_);
      try {
        partitions_[p]->replay(rows, states_, most_bytes_ / 2, *file_);
      } catch (refused_value const& refused) {
        throw io::data_error(place_of(settings_, refused), refused.problem.found(), refused.problem.expected());
      }
      write_run(std::span(&p, 1));
    } while (!partitions_[p]->waiting.empty());
  }
}

void group_reduction::merge_runs(group_sink& to)
{
  struct run_head {
    spilled_records* records;
    std::string piece;
    record_reader left{{}};
    std::vector<result> results;
    group_result group;
    double rank;

    bool next(io::piece_file const& file, group_order by)
    {
      if (left.empty()) {
        if (!records->next(file, piece)) return false;
        left = record_reader(piece);
      }
      group.first_row = left.take<std::uint64_t>();
      auto const key_bytes = left.take<std::uint32_t>();
      auto const count = left.take<std::uint32_t>();
      group.key = left.take_bytes(key_bytes);
      results.resize(count);
      std::string_view const bytes = left.take_bytes(count * sizeof(result));
      std::memcpy(static_cast<void*>(results.data()), bytes.data(), bytes.size());
      group.results = results;
      rank = rank_of(group, by);
      return true;
    }
  };
  group_order const by = settings_.sort;
  auto const later = [by](run_head const* a, run_head const* b) {
    return a->rank != b->rank ? a->rank > b->rank : stands_before(b->group, a->group, a->rank, by);
  };
  std::vector<std::unique_ptr<run_head>> heads;
  std::priority_queue<run_head*, std::vector<run_head*>, decltype(later)> next(later);
  for (spilled_records& run : runs_) {
    heads.push_back(std::make_unique<run_head>());
    heads.back()->records = &run;
    if (heads.back()->next(*file_, by)) next.push(heads.back().get());
  }
  while (!next.empty()) {
    run_head* const first = next.top();
    next.pop();
    to.group(first->group.key, first->group.results);
    if (first->next(*file_, by)) next.push(first);
  }
}

void group_reduction::finish(group_sink& to)
{
  flush();
  window_.clear();
  if (file_) {
    complete_partitions();
    return merge_runs(to);
  }
  std::vector<std::uint32_t> all(partition_count);
  std::iota(all.begin(), all.end(), 0U);
  in_order(all, [&](std::size_t blocks, block_of_places const& find) {
    to.blocks(blocks, [&](std::size_t block, group_sink::add_group const& add) {
      for_block(block, find, [&](group_result const& group) { add(group.key, group.results); });
    });
  });
}

}  // namespace tally::cli
