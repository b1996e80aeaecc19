#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tally/detail/contract.hpp"
#include "tally/detail/nccl/carries.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/ranks/division.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/error.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// A call on a sequence whose parts lie in the memory of several devices: the steps of each rank, for any kind of
/// device and any transport. docs/distributed.md describes them.
namespace tally::nccl_backend {

/// Carries bytes between the memories of devices. What it does is queued behind the rank's other work, as a stream's
/// work is; only `rounds` wait.
///
///     gather(mine, all, bytes)          `bytes` from each rank, in the order of ranks
///     send(to, data, bytes)             to one other rank,
///     receive(from, data, bytes)        and from one: all that are begun before `exchange` go on together
///     exchange()
///     wait()                            until all of that is done
template <class T>
concept device_transport =
    ranks_backend::rounds<T> && requires(T& by, std::byte const* from, std::byte* to, std::size_t bytes, int rank) {
      by.gather(from, to, bytes);
      by.send(rank, from, bytes);
      by.receive(rank, to, bytes);
      by.exchange();
      by.wait();
    };

/// The state that an execution keeps between calls. Machine is a kind of device: its work is queued by a Machine::work,
/// one for each call.
template <class Machine>
struct group {
  ranks_backend::communicator<typename Machine::transport> ranks;
  Machine machine;
  std::vector<std::uint64_t> parts;  ///< the sizes of all parts, if they are known; else none

  group(typename Machine::transport by, Machine device, std::span<std::size_t const> sizes)
      : ranks(std::move(by), std::nullopt),
        machine(std::move(device)),
        parts(sizes.begin(), sizes.end())
  {
    if (!parts.empty() && parts.size() != ranks.reports.size())
      throw usage_error("tally::nccl: " + std::to_string(parts.size()) + " sizes of parts for " +
                        std::to_string(ranks.reports.size()) + " ranks: give one for each rank");
  }
};

/// The part of one rank among the tiles of the whole sequence.
struct rank_part {
  std::size_t head = 0;          ///< elements of a tile that an earlier rank holds
  int holder = 0;                ///< that rank, if there is a head
  std::size_t tail = 0;          ///< elements of the last tile, if later ranks have others of it
  std::size_t border = 0;        ///< all elements of that tile
  std::uint64_t first_tile = 0;  ///< the number of the rank's first tile
  std::uint64_t tiles = 0;       ///< that the rank holds
};

/// The blocks of all ranks in memory, one after the other: a header and slots each.
struct shared_blocks {
  std::byte const* first;
  std::size_t bytes;  ///< of each
};

/// A call on all ranks, from the sizes of all parts on. Every rank makes it with the same sizes, so all need the same
/// memory.
template <class T, class Op, class Machine, class I, class Transform>
class call {
public:
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using work = typename Machine::work;

  /// Operators in any order need no tiles that cross borders: each part has tiles and spans of its own.
  static constexpr bool in_any_order = exactly_associative<Op, T>;

  /// [first, first + size) is this rank's part.
  call(group<Machine>& all, work& on, I first, std::size_t size, std::optional<T> const& init, Op& op,
       Transform& transform)
      : all_(&all),
        work_(&on),
        first_(std::move(first)),
        size_(size),
        init_(&init),
        op_(&op),
        transform_(&transform),
        tile_(on.template tile<T>())
  {
    own_ = part(rank());
    std::uint64_t most_tiles = 0, most_values = 0;
    for (int r = 0; r < ranks(); ++r) {
      most_tiles = std::max(most_tiles, part(r).tiles);
      most_values = std::max(most_values, header(r).values());
    }
    std::size_t const most_border = ranks() == 1 || in_any_order ? 0 : tile_ * sizeof(T);
    block_bytes_ = aligned(sizeof(shared_header) + most_values * sizeof(slot<T, Op>));
    auto const place = [&](std::size_t bytes) { return std::exchange(bytes_, bytes_ + aligned(bytes)); };
    all_blocks_ = place(block_bytes_ * static_cast<std::size_t>(ranks()));
    own_block_ = place(block_bytes_);
    totals_ = place(most_tiles * sizeof(W));
    state_ = place(sizeof(carry_state<T, Op>));
    starts_ = place((most_tiles / order::span_tiles + 2) * sizeof(C));
    border_ = place(most_border);
    head_ = place(most_border);
  }

  /// The memory of the device that the call needs, on every rank.
  std::size_t bytes() const { return bytes_; }

  /// Shares the totals of all ranks' tiles. A tile that crosses a border is totalled by its holder, from the heads that
  /// later ranks send.
  void share_totals()
  {
    memory_ = work_->memory();
    if (own_.head > 0) {
      detail::took("nccl: a head for an earlier rank");
      work_->template copy<T>(first_, own_.head, memory_of(head_), *transform_);
    }
    if (own_.tail > 0) work_->template copy<T>(at(size_ - own_.tail), own_.tail, memory_of(border_), *transform_);
    std::uint64_t const whole = own_.tiles - (own_.tail > 0);
    if (whole > 0) work_->template total<T>(at(own_.head), size_ - own_.head - own_.tail, totals(), *op_, *transform_);
    for_each_contributor([&](int from, std::size_t count, std::size_t place) {
      by().receive(from, bytes_of(memory_of(border_) + place), count * sizeof(T));
    });
    if (own_.head > 0) by().send(own_.holder, bytes_of(memory_of(head_)), own_.head * sizeof(T));
    if (own_.head > 0 || own_.tail > 0) by().exchange();
    if (own_.tail > 0) {
      detail::took("nccl: a tile that crosses a border");
      std::identity same;
      work_->template total<T>(static_cast<T const*>(memory_of(border_)), own_.border, totals() + whole, *op_, same);
    }
    W const init = *init_ ? static_cast<W>(**init_) : W();
    auto* const block = memory_ + own_block_;
    work_->template share<T>(sharing<T, Op>{header(rank()), totals(), init,
                                            reinterpret_cast<slot<T, Op>*>(block + sizeof(shared_header)), *op_},
                             reinterpret_cast<shared_header*>(block));
    by().gather(block, memory_ + all_blocks_, block_bytes_);
  }

  /// The elements of all parts.
  std::uint64_t elements() const { return parts().size(); }

  /// Writes the value of the whole to `*result`, or `nothing` if there is none.
  template <class Result>
  void reduce(Result* result, T const& nothing)
  {
    work_->template fold<T>(blocks(), ranks(), result, nothing, *op_);
  }

  /// Writes the results of this part.
  template <class Out>
  void scan(Out out, detail::direction shift)
  {
    if (size_ == 0) return;  // such a part has no head and no tile
    std::size_t const whole = size_ - own_.head - own_.tail;
    carries<T, Op> before;
    if (own_.tiles > 0) {
      before = {totals(), reinterpret_cast<carry_state<T, Op>*>(memory_ + state_),
                reinterpret_cast<C*>(memory_ + starts_), own_.first_tile};
      // A tail is scanned first, and needs the spans before it.
      bool const to_span =
          own_.tail == 0 &&
          work_->template goes_on_alone<T>(at(own_.head), whole, place(out, own_.head), before, *op_, *transform_);
      work_->template find_carries<T>(blocks(), rank(), to_span, before, *op_);
    }
    if (own_.tail > 0) {
      std::identity same;
      work_->template scan<T>(static_cast<T const*>(memory_of(border_)), own_.border, memory_of(border_), before,
                              own_.tiles - 1, *op_, same, shift);
    }
    if (whole > 0)
      work_->template scan<T>(at(own_.head), whole, place(out, own_.head), before, 0, *op_, *transform_, shift);
    for_each_contributor([&](int to, std::size_t count, std::size_t place) {
      by().send(to, bytes_of(memory_of(border_) + place), count * sizeof(T));
    });
    if (own_.head > 0) by().receive(own_.holder, bytes_of(memory_of(head_)), own_.head * sizeof(T));
    if (own_.head > 0 || own_.tail > 0) by().exchange();
    std::identity same;
    if (own_.head > 0) work_->template copy<T>(static_cast<T const*>(memory_of(head_)), own_.head, out, same);
    if (own_.tail > 0)
      work_->template copy<T>(static_cast<T const*>(memory_of(border_)), own_.tail, place(out, size_ - own_.tail),
                              same);
  }

private:
  typename Machine::transport& by() const { return all_->ranks.by; }
  int rank() const { return by().rank(); }
  int ranks() const { return by().size(); }

  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  template <class J>
  static J place(J const& from, std::size_t k)
  {
    return from + static_cast<std::iter_difference_t<J>>(k);
  }
  I at(std::size_t k) const { return place(first_, k); }
  T* memory_of(std::size_t place) const { return reinterpret_cast<T*>(memory_ + place); }
  static std::byte* bytes_of(T* elements) { return reinterpret_cast<std::byte*>(elements); }
  W* totals() const { return reinterpret_cast<W*>(memory_ + totals_); }
  shared_blocks blocks() const { return {memory_ + all_blocks_, block_bytes_}; }

  ranks_backend::division parts() const { return {all_->ranks.offsets, tile_, order::span_tiles}; }
  rank_part part(int r) const
  {
    ranks_backend::division const all = parts();
    std::uint64_t const size = all.end(r) - all.begin(r);
    if constexpr (in_any_order) return {.tiles = size / tile_ + (size % tile_ != 0)};
    rank_part of{.head = all.head(r), .tail = all.tail(r), .first_tile = all.first_tile(r), .tiles = all.tiles(r)};
    if (of.head > 0) of.holder = all.holder_of_head(r);
    if (of.tail > 0) of.border = all.border_tile(r);
    return of;
  }
  shared_header header(int r) const
  {
    rank_part const of = part(r);
    return {ranks_backend::shared_totals::of(of.tiles, of.first_tile, order::span_tiles), of.first_tile,
            r == 0 && init_->has_value()};
  }
  template <class F>
  void for_each_contributor(F const& f) const
  {
    if (own_.tail > 0) parts().for_each_contributor(rank(), f);
  }

  group<Machine>* all_;
  work* work_;
  I first_;
  std::size_t size_;
  std::optional<T> const* init_;
  Op* op_;
  Transform* transform_;
  std::size_t tile_;
  rank_part own_;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0, block_bytes_ = 0;
  // Places in memory: the blocks of all ranks, that of this one, the totals of its tiles, the values before its first
  // tile and before its spans, the tile that crosses the end of its part, and its head.
  std::size_t all_blocks_ = 0, own_block_ = 0, totals_ = 0, state_ = 0, starts_ = 0, border_ = 0, head_ = 0;
};

/// Learns the sizes of all parts, and that all ranks make the same call; or takes them as they are known.
/// Throws    rank_error on every rank, if prepare() throws on one or the calls differ.
template <class Machine, class Prepare>
void begin_call(group<Machine>& all, ranks_backend::session<typename Machine::transport>& by, std::size_t size,
                Prepare const& prepare)
{
  std::vector<std::uint64_t>& offsets = all.ranks.offsets;
  if (all.parts.empty()) {
    by.attempt(prepare);
    auto const reports = by.meet({.elements = size});
    for (std::size_t r = 0; r < reports.size(); ++r) offsets[r + 1] = offsets[r] + reports[r].elements;
  } else {
    auto const known = all.parts[static_cast<std::size_t>(by.rank())];
    if (size != known)
      throw usage_error("tally::nccl: the part of rank " + std::to_string(by.rank()) + " has " + std::to_string(size) +
                        " elements, and the execution was made for " + std::to_string(known));
    prepare();
    for (std::size_t r = 0; r < all.parts.size(); ++r) offsets[r + 1] = offsets[r] + all.parts[r];
  }
}

/// Takes the memory that a call needs. All ranks need the same, and so take more in the same calls: they then meet, for
/// one may get none.
template <class Machine>
void take_memory(group<Machine>& all, ranks_backend::session<typename Machine::transport>& by,
                 typename Machine::work& work, std::size_t bytes)
{
  if (bytes <= work.capacity()) return;
  if (all.parts.empty()) {
    detail::took("nccl: more memory than before");
    by.attempt([&] { work.reserve(bytes); });
    try {
      by.meet({});
    } catch (...) {
      work.release();  // so that all ranks still have the same
      throw;
    }
  } else {
    work.reserve(bytes);
  }
}

/// Calls of all ranks. A copy stands for the same ranks.
template <class Machine>
class execution {
public:
  using machine = Machine;

  execution(typename Machine::transport by, Machine device, std::span<std::size_t const> sizes)
      : all_(std::make_shared<group<Machine>>(std::move(by), std::move(device), sizes))
  {
  }

  int rank() const { return all_->ranks.by.rank(); }
  int size() const { return all_->ranks.by.size(); }

  group<Machine>& all() const { return *all_; }

private:
  std::shared_ptr<group<Machine>> all_;
};

/// Runs body(call) on this rank's elements, after all ranks have met.
template <class T, class Machine, class I, class Op, class Transform, class Prepare, class Body>
void run_call(execution<Machine> const& on, char const* function, I first, std::size_t size,
              std::optional<T> const& init, Op& op, Transform& transform, Prepare const& prepare, Body const& body)
{
  group<Machine>& all = on.all();
  ranks_backend::call_name const name(function, " of ", ranks_backend::type_name<T>(), " (", sizeof(T),
                                      " bytes), operator ", ranks_backend::type_name<Op>(),
                                      init ? ", with an initial value" : "");
  typename Machine::work work(all.machine, function);
  ranks_backend::session<typename Machine::transport> by(all.ranks, name);
  begin_call(all, by, size, [&] { prepare(work); });
  call<T, Op, Machine, I, Transform> own(all, work, std::move(first), size, init, op, transform);
  take_memory(all, by, work, own.bytes());
  own.share_totals();
  body(own, work);
}

}  // namespace tally::nccl_backend
