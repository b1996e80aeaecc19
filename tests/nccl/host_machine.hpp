#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../order/reference.hpp"
#include "../support/divisions.hpp"
#include "../support/virtual_ranks.hpp"
#include "tally/detail/nccl/backend.hpp"
#include "tally/detail/nccl/recurrence_rows.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/execution.hpp"

namespace tally::test {

/// A device_transport between the threads of a world.
class host_transport {
public:
  host_transport(world& all, int rank) : by_(all, rank) {}

  int rank() const { return by_.rank(); }
  int size() const { return by_.size(); }
  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes) { by_.allgather(mine, all, bytes); }
  void broadcast(std::byte* data, std::size_t bytes, int from) { by_.broadcast(data, bytes, from); }
  void add_up(std::uint64_t* numbers, std::size_t count) { by_.add_up(numbers, count); }
  void gather(std::byte const* mine, std::byte* all, std::size_t bytes) { by_.allgather(mine, all, bytes); }
  void send(int to, std::byte const* data, std::size_t bytes) { by_.send(to, data, bytes, 1); }
  void receive(int from, std::byte* data, std::size_t bytes) { by_.receive(from, data, bytes, 1); }
  void exchange() { by_.wait(); }
  void wait() {}

private:
  virtual_transport by_;
};

/// This machine's memory as a device whose tiles have few elements: no more than a group of the order, so that a tile's
/// values are folds from the left; those of recurrences may have any. It runs what kernels run, one place after the
/// other.
class host_machine {
public:
  using transport = host_transport;
  class work;

  std::size_t tile = 3;     ///< elements of a tile
  int refused_memory = -1;  ///< the request for memory that fails, counted from 0; or none
  bool refuses_operands = false;
  bool refuses_exact_scans = false;  ///< as a GPU does that gets no memory for them
  /// The execution of a rank's own work.
  cpu local() const { return cpu{1}; }

  bool goes_on_alone = false;  ///< scans know of the spans before the first one that begins in the part, and no others

private:
  std::vector<std::byte> memory_, value_;
  int requests_ = 0;
};

class host_machine::work {
public:
  work(host_machine& of, char const*) : of_(&of) {}

  template <class T>
  std::size_t tile() const
  {
    return of_->tile;
  }
  template <class T, class... Iterators>
  void prepare(std::size_t, Iterators const&...)
  {
    if (of_->refuses_operands) throw usage_error("operands that it does not take");
  }
  template <class T, class... Iterators>
  void check(std::size_t, Iterators const&...)
  {
    if (of_->refuses_operands) throw usage_error("operands that it does not take");
  }

  std::byte* memory() const
  {
    auto const at = reinterpret_cast<std::uintptr_t>(of_->memory_.data());
    return of_->memory_.data() + (256 - at % 256) % 256;
  }
  std::size_t capacity() const { return of_->memory_.size() < 256 ? 0 : of_->memory_.size() - 256; }
  void reserve(std::size_t bytes)
  {
    if (of_->requests_++ == of_->refused_memory) throw std::bad_alloc();
    of_->memory_.assign(bytes + bytes / 2 + 256, std::byte{0xA5});
  }
  void release() { of_->memory_.clear(); }

  template <class T>
  T* host_value()
  {
    of_->value_.resize(sizeof(T));
    return reinterpret_cast<T*>(of_->value_.data());
  }

  template <class T>
  static constexpr std::size_t exact_scratch(std::size_t)
  {
    return 0;
  }
  template <class T, class Lines>
  void exact_totals(Lines const& lines, nccl_backend::exact_sum<T>* sums, std::byte*)
  {
    for (std::size_t s = 0; s < lines.count(); ++s) {
      sums[s] = {};
      auto first = lines.first(s);
      for (std::size_t k = 0; k < lines.size(); ++k, ++first)
        sums[s].add(nccl_backend::as_term(static_cast<T>(lines.transform()(*first))));
    }
  }
  template <class T, class Lines, class Outs>
  void exact_scans(Lines const& lines, Outs const& outs, nccl_backend::exact_sum<T> const* before,
                   tally::detail::direction shift)
  {
    if (of_->refuses_exact_scans) throw std::bad_alloc();
    for (std::size_t s = 0; s < lines.count(); ++s) {
      nccl_backend::exact_sum<T> sum = before[s];
      auto first = lines.first(s);
      auto out = outs(s);
      for (std::size_t k = 0; k < lines.size(); ++k, ++first, ++out) {
        double const term = nccl_backend::as_term(static_cast<T>(lines.transform()(*first)));
        if (shift == tally::detail::direction::exclusive) *out = sum.template nearest<T>();
        sum.add(term);
        if (shift == tally::detail::direction::inclusive) *out = sum.template nearest<T>();
      }
    }
  }

  template <class T, class I, class Out, class Transform>
  void copy(I first, std::size_t size, Out out, Transform& transform)
  {
    for (std::size_t k = 0; k < size; ++k, ++first, ++out) *out = static_cast<T>(transform(*first));
  }

  template <class T, class I, class Op, class Transform>
  void total(I first, std::size_t size, working_type<T>* totals, Op& op, Transform& transform)
  {
    using W = working_type<T>;
    for (std::size_t k = 0; k < size; ++k, ++first) {
      auto const element = static_cast<W>(static_cast<T>(transform(*first)));
      W& total = totals[k / of_->tile];
      total = k % of_->tile == 0 ? element : static_cast<W>(op(total, element));
    }
  }

  /// The results of a segment that lies in the part.
  template <class T, class Op>
  reference::results<T> scanned(std::vector<T> const& x, Op const& op, std::optional<T> const& init) const
  {
    return reference::scan(x, op, init, tiles_of(of_->tile));
  }

  /// Calls f(first, last) for each segment of n elements.
  template <class Heads, class F>
  static void for_each_segment(std::size_t n, Heads const& heads, F const& f)
  {
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
      for (end = begin + 1; end < n && !heads(end);) ++end;
      f(begin, end);
    }
  }
  template <tally::detail::direction Shift, class T, class Heads, class Values, class Out, class Op>
  void scan_segments(std::size_t n, Heads const& heads, Values values, Out out, std::optional<T> const& init,
                     Op const& op)
  {
    for_each_segment(n, heads, [&](std::size_t begin, std::size_t end) {
      auto const first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
      auto const all = scanned(std::vector<T>(values + first, values + last), op, init);
      auto const& results = Shift == tally::detail::direction::inclusive ? all.inclusive : all.exclusive;
      std::copy(results.begin(), results.end(), out + first);
    });
  }
  template <class T, class Heads, class Values, class Out, class Keep, class Op>
  std::size_t reduce_segments(std::size_t n, std::size_t, Heads const& heads, Values values, Out out, Keep const& keep,
                              Op const& op)
  {
    std::size_t count = 0;
    for_each_segment(n, heads, [&](std::size_t begin, std::size_t end) {
      auto const first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
      keep(count, begin);
      out[static_cast<std::ptrdiff_t>(count++)] =
          *scanned(std::vector<T>(values + first, values + last), op, std::optional<T>()).reduced;
    });
    return count;
  }

  /// Calls f(s, begin, end, results) for each segment between offsets.
  template <class T, class From, class Values, class Offsets, class Op, class F>
  void for_each_between(Values values, Offsets const& offsets, std::size_t count,
                        tally::detail::batch::ends<T> const& ends, Op const& op, F const& f)
  {
    for (std::size_t s = 0; s < count; ++s) {
      auto const begin = static_cast<std::ptrdiff_t>(tally::detail::at_index(offsets, s)),
                 end = static_cast<std::ptrdiff_t>(tally::detail::at_index(offsets, s + 1));
      std::vector<T> own(values + begin, values + end);
      constexpr bool from_back = std::is_same_v<From, tally::detail::batch::from_back>;
      if (from_back) std::reverse(own.begin(), own.end());
      auto all = scanned(own, op, ends.initials != nullptr ? std::optional<T>(ends.initials[s]) : ends.initial);
      if (from_back) {
        std::reverse(all.inclusive.begin(), all.inclusive.end());
        std::reverse(all.exclusive.begin(), all.exclusive.end());
      }
      f(s, begin, end, all);
    }
  }
  template <class T, class From, class Values, class Offsets, class Out, class Op>
  void reduce_between(Values values, Offsets const& offsets, std::size_t count, Out out, T const& nothing,
                      tally::detail::batch::ends<T> const& ends, Op const& op, std::size_t)
  {
    for_each_between<T, From>(values, offsets, count, ends, op,
                              [&](std::size_t s, std::ptrdiff_t, std::ptrdiff_t, reference::results<T> const& all) {
                                tally::detail::at_index(out, s) = all.reduced ? *all.reduced : nothing;
                              });
  }
  template <class T, class From, class Values, class Offsets, class Out, class Op>
  void scan_between(Values values, Offsets const& offsets, std::size_t count, Out out,
                    tally::detail::batch::ends<T> const& ends, Op const& op, tally::detail::direction shift,
                    std::size_t)
  {
    for_each_between<T, From>(
        values, offsets, count, ends, op,
        [&](std::size_t s, std::ptrdiff_t begin, std::ptrdiff_t end, reference::results<T> const& all) {
          auto const& results = shift == tally::detail::direction::inclusive ? all.inclusive : all.exclusive;
          if (begin < end) std::copy(results.begin(), results.end(), out + begin);
          if (ends.lasts == nullptr) return;
          if (all.reduced)
            ends.lasts[s] = *all.reduced;
          else if constexpr (tally::has_identity<Op, T>)
            ends.lasts[s] = tally::reduction_of_nothing<T>(op);
        });
  }

  template <class F>
  void for_each(std::size_t n, F const& f)
  {
    for (std::size_t k = 0; k < n; ++k) f(k);
  }

  template <class T, class Inputs, class Op, class Rows>
  void total_lines(Inputs const& inputs, std::size_t count, std::size_t size, working_type<T>* totals,
                   std::uint64_t totals_each, Op& op, [[maybe_unused]] Rows const& rows)
  {
    if constexpr (tally::detail::recurrence::is_in_order<Op, T>) {
      nccl_backend::total_recurrences(*this, inputs, count, rows, totals);
    } else {
      std::identity same;
      for (std::size_t s = 0; s < count; ++s) total<T>(inputs(s), size, totals + s * totals_each, op, same);
    }
  }

  template <class T, class Sharing>
  void share(Sharing const& of, nccl_backend::shared_header* header, std::size_t sequences)
  {
    *header = of.header;
    for (std::size_t s = 0; s < sequences; ++s)
      for (std::uint64_t k = 0; k < of.header.values(); ++k) of.share(s, k);
  }

  template <class T, class Put, class Op>
  void fold(nccl_backend::shared_blocks const& blocks, int ranks, std::size_t sequences, Put const& put, Op& op)
  {
    auto const ignore = [](auto&&...) {};
    for (std::size_t s = 0; s < sequences; ++s) put(s, walk<T>(blocks, ranks, s, false, op, ignore, ignore).last);
  }

  template <class T, class I, class Out, class Op, class Transform>
  bool goes_on_alone(I const&, std::size_t, Out const&, nccl_backend::carries<T, Op> const&, Op const&,
                     Transform const&)
  {
    return of_->goes_on_alone;
  }
  template <class T, class Op>
  void find_carries(nccl_backend::shared_blocks const& blocks, int rank, std::size_t sequences, bool to_span,
                    nccl_backend::carries<T, Op> const& all, Op& op)
  {
    for (std::size_t s = 0; s < sequences; ++s) {
      auto const to = all.of(s);
      auto const write = [&](int r, std::uint64_t tile, auto const& spans) {
        if (r == rank) const_cast<carry_type<Op, T>*>(to.starts)[to.span_of(tile)] = spans;
      };
      auto const at_span = [&](int r, std::uint64_t tile, auto const& at) {
        if (r == rank && tile == 0)
          *const_cast<nccl_backend::carry_state<T, Op>*>(to.first) = at;
        else
          write(r, tile, at.spans.value);
      };
      walk<T>(blocks, rank + 1, s, to_span, op, at_span, write);
    }
  }

  template <class T, class Inputs, class Outputs, class Op, class Rows>
  void scan_lines(Inputs const& inputs, std::size_t count, std::size_t size, Outputs const& outputs,
                  nccl_backend::carries<T, Op> const& before, std::uint64_t tile, Op& op,
                  tally::detail::direction shift, [[maybe_unused]] Rows const& rows)
  {
    if constexpr (tally::detail::recurrence::is_in_order<Op, T>) {
      nccl_backend::scan_recurrences(*this, inputs, count, rows, outputs, before, tile);
    } else {
      std::identity same;
      for (std::size_t s = 0; s < count; ++s)
        scan_tiles<T>(inputs(s), size, outputs(s), before.of(s), tile, op, same, shift, false);
    }
  }

  template <class T, class I, class Out, class Op, class Transform>
  void scan(I first, std::size_t size, Out out, nccl_backend::carries<T, Op> const& before, std::uint64_t tile, Op& op,
            Transform& transform, tally::detail::direction shift)
  {
    scan_tiles<T>(first, size, out, before, tile, op, transform, shift, of_->goes_on_alone && tile == 0);
  }

private:
  template <class T, class I, class Out, class Op, class Transform>
  void scan_tiles(I first, std::size_t size, Out out, nccl_backend::carries<T, Op> const& before, std::uint64_t tile,
                  Op& op, Transform& transform, tally::detail::direction shift, bool alone)
  {
    using W = working_type<T>;
    // A scan that goes on alone knows the totals of its tiles, from the first border of a span on.
    std::uint64_t const border = (order::span_tiles - before.first_tile % order::span_tiles) % order::span_tiles;
    auto own = nccl_backend::carry_state<T, Op>::nothing();
    for (std::size_t begin = 0; begin < size; begin += of_->tile, ++tile) {
      nccl_backend::before_tile<T> at;
      if (alone && tile > border)
        at = {own.next(op), own.last};
      else
        at = before.before(tile, op, [&](std::uint64_t k) { return before.totals[k]; });
      if (alone && tile == border) {
        own = tile == 0 ? *before.first : nccl_backend::carry_state<T, Op>::of_spans(before.starts[1]);
        at.carry = own.next(op);
      }
      if (alone && tile >= border) own.push(before.totals[tile], op);
      std::optional<W> local, previous;
      if (at.previous.is_present) previous = at.previous.value;
      for (std::size_t k = begin; k < std::min(size, begin + of_->tile); ++k, ++first, ++out) {
        auto const element = static_cast<W>(static_cast<T>(transform(*first)));
        local = local ? static_cast<W>(op(*local, element)) : element;
        W const result = at.carry.before(*local, op);
        *out = static_cast<T>(shift == tally::detail::direction::inclusive ? result : *previous);
        previous = result;
      }
    }
  }

  /// Folds what the first `ranks` ranks have shared, in pieces of 37 values; the last one's up to a span or all.
  template <class T, class Op, class AtSpan, class AtChained>
  static nccl_backend::carry_state<T, Op> walk(nccl_backend::shared_blocks const& blocks, int ranks,
                                               std::size_t sequence, bool to_span, Op& op, AtSpan const& at_span,
                                               AtChained const& at_chained)
  {
    constexpr std::uint64_t piece = 37;
    using slot = nccl_backend::slot<T, Op>;
    nccl_backend::shared_walk<T, Op> walk;
    for (int r = 0; r < ranks; ++r) {
      std::byte const* const block = blocks.at(r);
      auto const& of = *reinterpret_cast<nccl_backend::shared_header const*>(block);
      std::uint64_t const values = to_span && r + 1 == ranks ? of.values_to_span() : of.values();
      auto const* const first = reinterpret_cast<slot const*>(block + sizeof(of)) + sequence * of.values();
      std::vector<slot> slots(first, first + of.values());
      for (std::uint64_t k = 0; k < values; k += piece) {
        std::uint64_t const end = std::min(k + piece, values);
        walk.take(of, slots.data() + k, k, end, op, [&](std::uint64_t tile) { at_span(r, tile, walk.at); });
        nccl_backend::places const chained = walk.chained(of, k, end);
        for (std::uint64_t c = chained.first; c < chained.last; ++c)
          at_chained(r, walk.tile_of_span(of, c), slots[c].template load<carry_type<Op, T>>());
      }
    }
    return walk.at;
  }

  host_machine* of_;
};

using host_ranks = nccl_backend::execution<host_machine>;

/// Runs body(on, rank) on `size` ranks, and returns what crossed between them. `sizes` are those of the parts, or none.
template <class Body>
traffic on_host_ranks(int size, host_machine const& machine, std::span<std::size_t const> sizes, Body const& body)
{
  world all(size);
  on_threads(all, [&](int rank) { body(host_ranks(host_transport(all, rank), machine, sizes), rank); });
  return all.counted();
}

}  // namespace tally::test

template <>
inline constexpr bool tally::is_execution<tally::test::host_ranks> = true;
