// Short sequences, one after the other, without the work that a call on each would have at its ends. Whole vectors are
// read and written, also beyond a sequence's end: no result depends on an element behind it.
#if defined(TALLY_CPU_SHORT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_SHORT_INL
#undef TALLY_CPU_SHORT_INL
#else
#define TALLY_CPU_SHORT_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "src/cpu/exact-inl.hpp"
#include "src/cpu/ordered-inl.hpp"
#include "src/cpu/places-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// One sequence: sets of a row in registers, only as many as it has.
template <class Op, class T>
class ordered_sequence {
  using vec = vector<T>;
  using dom = domain<Op, T>;

public:
  static HWY_INLINE void scan(T const* in, T* out, std::size_t size, vec carry)
  {
    constexpr std::size_t row = order::row<T>;
    vec rows = hn::Set(d, Op::template identity<T>());
    for (; size > row; size -= row, in += row, out += row) rows = scan_row<sets<T>>(in, out, rows, carry);
    scan_rest<1>(in, out, (size + set_size<T> - 1) / set_size<T>, rows, carry);
  }

private:
  template <std::size_t Sets>
  static HWY_INLINE void scan_rest(T const* in, T* out, std::size_t present, vec rows, vec carry)
  {
    if constexpr (Sets < sets<T>)
      if (present > Sets) return scan_rest<2 * Sets>(in, out, present, rows, carry);
    scan_row<Sets>(in, out, rows, carry);
  }

  /// Scans the first sets of a row on top of the `rows` before it, and returns those with it.
  template <std::size_t Sets>
  static HWY_INLINE vec scan_row(T const* in, T* out, vec rows, vec carry)
  {
    vec const identity = hn::Set(d, Op::template identity<T>());
    set_values<T> value[Sets];
    vec total[Sets];
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < Sets; ++s) load_set<Op>(in + s * set_size<T>, value[s], total[s]);
    kogge_stone<Op, T>(total, identity);
    HWY_UNROLL(16)
    for (std::size_t s = 0; s < Sets; ++s) {
      vec const before = dom::op(rows, shift_in_groups<1, T>(s > 0 ? total[s - 1] : identity, total[s]));
      HWY_UNROLL(4)
      for (std::size_t m = 0; m < members<T>; ++m)
        value[s][m] = apply_elsewhere<Op, T>(carry, apply_elsewhere<Op, T>(before, value[s][m]));
      store_set<T>(cached_writer<T>{out}, s * set_size<T>, value[s]);
    }
    return dom::op(rows, broadcast_last<T>(total[Sets - 1]));
  }

  static constexpr vector_tag<T> d{};
};

/// Sequences side by side, as many as a group has elements: vector v of sequence i is value[v][i]. Transposed, its lane
/// b * group + i is an element of block b of sequence i, and blocks are groups.
///
/// Where sequences are shorter than half a vector, a vector has one in each `Blocks` blocks.
template <class Op, class T, std::size_t Vectors, std::size_t Blocks = blocks<T>>
struct ordered_side_by_side {
  static constexpr std::size_t count = members<T>;  // sequences, or vectors of them
  using vec = vector<T>;
  using dom = domain<Op, T>;

  static HWY_INLINE void scan(vec (&value)[Vectors][count], vec carry)
  {
    vec total[Vectors];
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < Vectors; ++v) {
      transpose<T>(value[v]);
      HWY_UNROLL(4)
      for (std::size_t m = 1; m < count; ++m) value[v][m] = dom::op(value[v][m - 1], value[v][m]);
      total[v] = value[v][count - 1];
    }
    step<1>(total);
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < Vectors; ++v) {
      vec const before = left<1>(total, v);
      HWY_UNROLL(4)
      for (std::size_t m = 0; m < count; ++m)
        value[v][m] = apply_elsewhere<Op, T>(carry, apply_elsewhere<Op, T>(before, value[v][m]));
      transpose<T>(value[v]);
    }
  }

private:
  /// The totals `Stride` groups before those of vector v.
  template <std::size_t Stride>
  static HWY_INLINE vec left(vec const (&total)[Vectors], std::size_t v)
  {
    vec const identity = hn::Set(d, Op::template identity<T>());
    vec const before = shift_in_blocks<Stride, T>(v > 0 ? total[v - 1] : identity, total[v]);
    if constexpr (Blocks == blocks<T>) {
      return before;
    } else {
      static constexpr auto taken = [] {
        struct table {
          alignas(64) T of[lanes<T>];
        } t{};
        for (std::size_t k = 0; k < lanes<T>; ++k) t.of[k] = k / members<T> % Blocks >= Stride ? T(1) : T(0);
        return t;
      }();
      return hn::IfThenElse(hn::Ne(hn::Load(d, taken.of), hn::Zero(d)), before, identity);
    }
  }

  template <std::size_t Stride>
  static HWY_INLINE void step(vec (&total)[Vectors])
  {
    if constexpr (Stride < Blocks) {
      HWY_UNROLL(4)
      for (std::size_t i = 0; i < Vectors; ++i) {
        std::size_t const v = Vectors - 1 - i;
        total[v] = dom::op(left<Stride>(total, v), total[v]);
      }
      step<2 * Stride>(total);
    } else if constexpr (Stride < Blocks * Vectors) {
      constexpr std::size_t apart = Stride / Blocks;  // vectors
      HWY_UNROLL(4)
      for (std::size_t v = Vectors - 1; v >= apart; --v) total[v] = dom::op(total[v - apart], total[v]);
      step<2 * Stride>(total);
    }
  }

  static constexpr vector_tag<T> d{};
};

/// The same for an operator that is exactly associative.
template <class Op, class T>
class exact_sequence {
  using vec = vector<T>;
  using dom = domain<Op, T>;

public:
  static HWY_INLINE void scan(T const* in, T* out, std::size_t size, vec carry)
  {
    log_steps<Op, T> const scan_vector(dom::enter(hn::Set(d, Op::template identity<T>())));
    vec running = dom::enter(carry);
    for (std::size_t k = 0; k < size; k += lanes<T>) {
      vec const local = scan_vector(dom::enter(hn::LoadU(d, in + k)));
      hn::StoreU(dom::leave(dom::op(running, local)), d, out + k);
      running = dom::op(running, broadcast_last<T>(local));
    }
  }

private:
  static constexpr vector_tag<T> d{};
};

/// The reduction of a sequence alone.
template <class Op, class T>
class exact_reduction {
  using vec = vector<T>;
  using dom = domain<Op, T>;

public:
  static HWY_INLINE T of(T const* in, std::size_t size, T initial)
  {
    vec const identity = dom::enter(hn::Set(d, Op::template identity<T>()));
    vec even = identity, odd = identity;
    std::size_t k = 0;
    for (; k + 2 * lanes<T> <= size; k += 2 * lanes<T>) {
      even = dom::op(even, dom::enter(hn::LoadU(d, in + k)));
      odd = dom::op(odd, dom::enter(hn::LoadU(d, in + k + lanes<T>)));
    }
    if (k + lanes<T> <= size) {
      even = dom::op(even, dom::enter(hn::LoadU(d, in + k)));
      k += lanes<T>;
    }
    // No branch for the rest, which may be nothing.
    vec const rest = hn::IfThenElse(hn::FirstN(d, size - k), dom::enter(hn::LoadU(d, in + k)), identity);
    log_steps<Op, T> const scan_vector(identity);
    vec const total = broadcast_last<T>(scan_vector(dom::op(dom::op(even, odd), rest)));
    return hn::GetLane(dom::leave(dom::op(dom::enter(hn::Set(d, initial)), total)));
  }

private:
  static constexpr vector_tag<T> d{};
};

template <class Op, class T, std::size_t Blocks>
struct exact_side_by_side {
  static constexpr std::size_t count = 1;
  using vec = vector<T>;
  using dom = domain<Op, T>;

  static HWY_INLINE void scan(vec (&value)[1][1], vec carry)
  {
    vec const local = step<1>(dom::enter(value[0][0]));
    value[0][0] = dom::leave(dom::op(dom::enter(carry), local));
  }

private:
  static constexpr std::size_t slot = Blocks * lanes_per_block<T>;

  template <std::size_t Stride>
  static HWY_INLINE vec step(vec v)
  {
    if constexpr (Stride < slot) {
      static constexpr auto taken = [] {
        struct table {
          alignas(64) hwy::MakeSigned<T> of[lanes<T>];
        } t{};
        for (std::size_t k = 0; k < lanes<T>; ++k) t.of[k] = k % slot >= Stride ? 1 : 0;
        return t;
      }();
      hn::RebindToSigned<vector_tag<T>> di;
      auto const takes = hn::RebindMask(d, hn::Ne(hn::Load(di, taken.of), hn::Zero(di)));
      return step<2 * Stride>(hn::IfThenElse(takes, dom::op(shift_in<Stride, T>(v, v), v), v));
    } else {
      return v;
    }
  }

  static constexpr vector_tag<T> d{};
};

template <class Op, class T>
class short_scan {
  static constexpr bool exact = exactly_associative<Op, T>;
  using vec = vector<T>;
  using one_sequence = std::conditional_t<exact, exact_sequence<Op, T>, ordered_sequence<Op, T>>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t line = line_bytes / sizeof(T);
  // Of sequences side by side each has at most so many vectors. In the cache rows of 20, 32, 40 and 64 floats took
  // 0.32, 0.29, 0.35 and 0.31 ns an element so for 0.64, 0.41, 0.54 and 0.34 one by one (AVX2); beyond it rows of 64
  // 0.95 for 0.77.
  static constexpr std::size_t most_vectors = 6;

public:
  explicit short_scan(short_sequences_job<T> const& job) : job_(job) {}

  void run()
  {
    if constexpr (exact)
      if (job_.totals != nullptr) return total_each();
    std::size_t const size = job_.to[job_.count] - job_.to[0];
    bool const simple = job_.adjacent && job_.initials == nullptr;
    if (sizeof(T) >= 4 && blocks<T> > 1 && simple && job_.size != 0 && job_.size <= lanes<T> / 2) {
      several_in_vector<1>();
    } else if (simple && job_.size < lanes<T> && scan_by_places<Op, T>(job_).run()) {
      return;
    } else if (!exact && size <= job_.count * most_vectors * lanes<T>) {
      side_by_side();
    } else {
      one_by_one(0);
    }
  }

private:
  HWY_INLINE T const* in(std::size_t i) const { return job_.in + static_cast<std::ptrdiff_t>(job_.from[i]); }
  HWY_INLINE std::size_t begin(std::size_t i) const { return job_.to[i] - job_.to[0]; }

  void total_each()
  {
    for (std::size_t i = 0; i < job_.count; ++i) {
      std::size_t const size = begin(i + 1) - begin(i);
      if (size == 0) continue;
      prefetch(in(i), size);
      job_.totals[i] =
          exact_reduction<Op, T>::of(in(i), size, job_.initials != nullptr ? job_.initials[i] : job_.initial);
    }
  }

  void one_by_one(std::size_t first)
  {
    for (std::size_t i = first; i < job_.count; ++i) scan_one(i);
  }

  HWY_INLINE void scan_one(std::size_t i)
  {
    std::size_t const size = begin(i + 1) - begin(i);
    if (size == 0) return;
    T const initial = job_.initials != nullptr ? job_.initials[i] : job_.initial;
    prefetch(in(i), size);
    one_sequence::scan(in(i), job_.out + begin(i), size, hn::Set(d, initial));
  }

  /// Sequences of few vectors, each in vectors of its own.
  void side_by_side()
  {
    if constexpr (!exact) {
      constexpr std::size_t count = members<T>;
      vec const initial = hn::Set(d, job_.initial);
      std::size_t i = 0;
      for (; i + count <= job_.count; i += count) {
        std::size_t longest = 0;
        HWY_UNROLL(4)
        for (std::size_t c = 0; c < count; ++c) longest = std::max(longest, job_.to[i + c + 1] - job_.to[i + c]);
        vec const carry = job_.initials == nullptr ? initial : hn::LoadDup128(d, job_.initials + i);
        if (longest <= lanes<T>)
          take<1>(i, carry);
        else if (longest <= 2 * lanes<T>)
          take<2>(i, carry);
        else if (longest <= most_vectors * lanes<T>)
          take_many(i, carry, longest);
        else
          for (std::size_t c = 0; c < count; ++c) scan_one(i + c);
      }
      one_by_one(i);
    }
  }

  HWY_NOINLINE void take_many(std::size_t i, vec carry, std::size_t longest)
  {
    if (longest <= 3 * lanes<T>)
      take<3>(i, carry);
    else if (longest <= 4 * lanes<T>)
      take<4>(i, carry);
    else
      take<most_vectors>(i, carry);
  }

  template <std::size_t Vectors>
  HWY_INLINE void take(std::size_t i, vec carry)
  {
    constexpr std::size_t count = members<T>;
    vec value[Vectors][count];
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < count; ++c) {
      T const* const from = in(i + c);
      for (std::size_t v = 0; v < Vectors; ++v) value[v][c] = hn::LoadU(d, from + v * lanes<T>);
      // Half of the lines here and half below: memory stalls on bursts.
      if (c < count / 2) prefetch(from, begin(i + c + 1) - begin(i + c));
    }
    ordered_side_by_side<Op, T, Vectors>::scan(value, carry);
    HWY_UNROLL(4)
    for (std::size_t c = 0; c < count; ++c) {
      T* const to = job_.out + begin(i + c);
      for (std::size_t v = 0; v < Vectors; ++v) hn::StoreU(value[v][c], d, to + v * lanes<T>);
      if (c >= count / 2) prefetch(in(i + c), begin(i + c + 1) - begin(i + c));
    }
  }

  /// Sequences of one length that have at most `Blocks` blocks, less than a vector: several of them in a vector.
  template <std::size_t Blocks>
  void several_in_vector()
  {
    constexpr std::size_t slot = Blocks * lanes_per_block<T>;
    if constexpr (sizeof(T) >= 4 && 2 * slot <= lanes<T>) {
      std::size_t const size = job_.size;
      if (size > slot) return several_in_vector<2 * Blocks>();
      using kernel = std::conditional_t<exact, exact_side_by_side<Op, T, Blocks>,
                                        ordered_side_by_side<Op, T, 1, exact ? blocks<T> : Blocks>>;
      using index = hwy::MakeSigned<T>;
      HWY_ALIGN index apart[lanes<T>];
      HWY_ALIGN index together[lanes<T>];
      for (std::size_t k = 0; k < lanes<T>; ++k) {
        apart[k] = static_cast<index>(k / slot * size + std::min(k % slot, size - 1));
        together[k] = static_cast<index>(std::min(k / size * slot + k % size, lanes<T> - 1));
      }
      hn::RebindToSigned<vector_tag<T>> di;
      auto const to_slots = hn::IndicesFromVec(d, hn::Load(di, apart));
      auto const from_slots = hn::IndicesFromVec(d, hn::Load(di, together));
      vec const carry = hn::Set(d, job_.initial);
      std::size_t const step = lanes<T> / slot * size;  // elements in a vector
      std::size_t const all = job_.count * size;
      T const* const from = in(0);
      for (std::size_t k = 0; k < all; k += kernel::count * step) {
        vec value[1][kernel::count];
        HWY_UNROLL(4)
        for (std::size_t c = 0; c < kernel::count; ++c)
          value[0][c] = hn::TableLookupLanes(hn::LoadU(d, from + k + c * step), to_slots);
        kernel::scan(value, carry);
        HWY_UNROLL(4)
        for (std::size_t c = 0; c < kernel::count; ++c)
          hn::StoreU(hn::TableLookupLanes(value[0][c], from_slots), d, job_.out + k + c * step);
      }
    }
  }

  /// Fetches the input a page ahead.
  static HWY_INLINE void prefetch(T const* in, std::size_t size)
  {
    constexpr std::size_t ahead = 4096 / sizeof(T);
    for (std::size_t k = 0; k < size; k += line) __builtin_prefetch(in + ahead + k, 0, 2);
  }

  short_sequences_job<T> const& job_;
};

template <class Op, class T>
void scan_short(short_sequences_job<T> const& job)
{
  short_scan<Op, T>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
