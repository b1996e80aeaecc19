#include "request.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

#include "tally/textbook/block.hpp"

namespace tally::model {

namespace {

constexpr int lanes = textbook::warp_lanes;
constexpr std::size_t banks = 32, bank_bytes = 4, sector_bytes = 32;

/// One access of a warp: the event of each lane that takes part.
using request = std::vector<event const*>;

/// The number of words in the fullest bank. Lanes that read or write the same word share it; atomic ones do not.
std::size_t degree_of(std::span<event const* const> part, array_base const& of)
{
  std::array<std::array<std::size_t, lanes>, banks> words;
  std::array<std::size_t, banks> filled{};
  bool const one_by_one = part.front()->what == action::atomic;
  for (event const* each : part) {
    std::size_t const address = of.address + static_cast<std::size_t>(each->index) * of.element_bytes();
    for (std::size_t word = address / bank_bytes; word <= (address + of.element_bytes() - 1) / bank_bytes; ++word) {
      std::size_t const bank = word % banks;
      auto const begin = words[bank].begin(), end = begin + static_cast<std::ptrdiff_t>(filled[bank]);
      if ((!one_by_one && std::find(begin, end, word) != end) || filled[bank] == lanes) continue;
      words[bank][filled[bank]++] = word;
    }
  }
  return *std::max_element(filled.begin(), filled.end());
}

void count_shared(request const& all, array_base const& of, shared_counts& into)
{
  ++into.requests;
  // Elements of 8 bytes are served for half a warp at a time, larger ones for a quarter.
  int const per_part = of.element_bytes() <= bank_bytes       ? lanes
                       : of.element_bytes() <= 2 * bank_bytes ? lanes / 2
                                                              : lanes / 4;
  for (std::size_t k = 0; k < all.size();) {
    std::size_t end = k;
    while (end < all.size() && all[end]->thread % lanes / per_part == all[k]->thread % lanes / per_part) ++end;
    std::size_t const degree = degree_of({all.data() + k, end - k}, of);
    std::size_t const passes =
        std::max<std::size_t>(1, of.element_bytes() * static_cast<std::size_t>(per_part) / (banks * bank_bytes));
    into.wavefronts += std::max(degree, std::size_t{1});
    into.ideal += std::min(std::max(degree, std::size_t{1}), passes);
    into.worst_degree = std::max(into.worst_degree, static_cast<int>(degree));
    k = end;
  }
}

void count_global(request const& all, array_base const& of, global_counts& into)
{
  std::vector<std::size_t> sectors;
  for (event const* each : all) {
    std::size_t const address = of.address + static_cast<std::size_t>(each->index) * of.element_bytes();
    for (std::size_t s = address / sector_bytes; s <= (address + of.element_bytes() - 1) / sector_bytes; ++s)
      sectors.push_back(s);
  }
  std::sort(sectors.begin(), sectors.end());
  auto const distinct = static_cast<std::size_t>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
  if (all.front()->what != action::write) into.sectors_read += distinct;
  if (all.front()->what != action::read) into.sectors_written += distinct;
}

void count_atomic(request const& all, atomic_counts& into)
{
  std::vector<int> words;
  for (event const* each : all) words.push_back(each->index);
  std::sort(words.begin(), words.end());
  std::size_t most = 0;
  for (auto first = words.begin(); first != words.end();) {
    auto const end = std::upper_bound(first, words.end(), *first);
    most = std::max(most, static_cast<std::size_t>(end - first));
    first = end;
  }
  into += {all.size(), 1, most};
}

/// The events of one lane, and how far they have been counted.
struct lane_events {
  event const* begin;
  event const* end;
};

class phase_counter {
public:
  phase_counter(std::vector<std::unique_ptr<array_base>> const& arrays, std::vector<request_counts>* requests)
      : arrays_(arrays),
        requests_(requests)
  {
  }

  void count_warp(std::vector<lane_events> const& warp, std::size_t there)
  {
    std::size_t active = 0;
    bool alike = true;
    lane_events const* first = nullptr;
    for (lane_events const& lane : warp) {
      if (lane.begin == lane.end) continue;
      ++active;
      if (first == nullptr)
        first = &lane;
      else
        alike = alike && same_course(*first, lane);
    }
    if (active == 0) return;
    ++counts.warps.steps;
    counts.warps.active_lanes += active;
    if (!alike || active != there) ++counts.warps.divergent;
    if (alike)
      count_in_step(warp, static_cast<std::size_t>(first->end - first->begin));
    else
      count_apart(warp);
  }

  phase_counts counts;

private:
  static bool same_course(lane_events const& a, lane_events const& b)
  {
    return std::equal(a.begin, a.end, b.begin, b.end,
                      [](event const& x, event const& y) { return x.where == y.where && x.what == y.what; });
  }
  void count_in_step(std::vector<lane_events> const& warp, std::size_t length)
  {
    for (std::size_t k = 0; k < length; ++k) {
      request_.clear();
      for (lane_events const& lane : warp)
        if (lane.begin != lane.end) request_.push_back(lane.begin + k);
      count_request();
    }
  }
  /// Counts lanes that diverge: their actions at one place for the same time are one.
  void count_apart(std::vector<lane_events> const& warp)
  {
    struct key {
      std::uint32_t where, time;
      event const* what;
    };
    std::vector<key> keys;
    std::vector<std::uint32_t> times;  // so far, of each place and action
    constexpr std::uint32_t actions = 5;
    for (lane_events const& lane : warp) {
      times.assign(times.size(), 0);
      for (event const* e = lane.begin; e != lane.end; ++e) {
        std::size_t const slot = e->where * actions + static_cast<std::uint32_t>(e->what);
        if (slot >= times.size()) times.resize(slot + 1);
        keys.push_back({e->where, times[slot]++, e});
      }
    }
    auto const request_of = [](key const& each) { return std::tuple(each.where, each.what->what, each.time); };
    std::sort(keys.begin(), keys.end(), [&](key const& a, key const& b) {
      return std::tuple(request_of(a), a.what) < std::tuple(request_of(b), b.what);  // lane by lane
    });
    for (std::size_t k = 0; k < keys.size();) {
      request_.clear();
      std::size_t const begin = k;
      for (; k < keys.size() && request_of(keys[begin]) == request_of(keys[k]); ++k) request_.push_back(keys[k].what);
      count_request();
    }
  }
  void count_request()
  {
    if (request_.front()->array < 0) return;
    // Lanes may access different arrays at one place: `(odd ? x : y)[k]`.
    while (!request_.empty()) {
      part_.clear();
      rest_.clear();
      for (event const* each : request_) (each->array == request_.front()->array ? part_ : rest_).push_back(each);
      count_part(*arrays_[static_cast<std::size_t>(part_.front()->array)]);
      request_.swap(rest_);
    }
  }
  void count_part(array_base const& of)
  {
    action const what = part_.front()->what;
    std::size_t const reads = what != action::write ? part_.size() : 0,
                      writes = what != action::read ? part_.size() : 0;
    if (what == action::atomic) count_atomic(part_, counts.atomics);
    if (of.space() == memory::shared) {
      shared_counts one{.reads = reads, .writes = writes};
      count_shared(part_, of, one);
      counts.shared += one;
      keep(one.wavefronts, one.worst_degree);
    } else {
      counts.transfers = true;
      global_counts one{.reads = reads, .writes = writes};
      count_global(part_, of, one);
      counts.global += one;
      keep(std::max(one.sectors_read, one.sectors_written), 0);
    }
  }

  void keep(std::size_t wavefronts, int degree)
  {
    if (requests_ == nullptr) return;
    event const& first = *part_.front();
    requests_->push_back({first.what, first.thread / lanes, first.where, first.array, static_cast<int>(part_.size()),
                          static_cast<int>(wavefronts), degree});
  }

  std::vector<std::unique_ptr<array_base>> const& arrays_;
  std::vector<request_counts>* requests_;
  request request_, part_, rest_;
};

}  // namespace

phase_counts count_phase(std::span<event const> events, int threads,
                         std::vector<std::unique_ptr<array_base>> const& arrays, std::vector<request_counts>* requests)
{
  phase_counter counter(arrays, requests);
  std::vector<lane_events> warp(static_cast<std::size_t>(lanes));
  event const* at = events.data();
  event const* const end = at + events.size();
  while (at != end) {
    int const first = at->thread / lanes * lanes;
    for (int lane = 0; lane < lanes; ++lane) {
      event const* const begin = at;
      std::size_t applications = 0;
      for (; at != end && at->thread == first + lane; ++at) applications += at->what == action::apply;
      warp[static_cast<std::size_t>(lane)] = {begin, at};
      counter.counts.steps = std::max(counter.counts.steps, applications);
    }
    counter.count_warp(warp, static_cast<std::size_t>(std::min(lanes, threads - first)));
  }
  return counter.counts;
}

}  // namespace tally::model
