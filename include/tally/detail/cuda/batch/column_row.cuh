#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The totals of one row's groups in the registers of one thread, and their scan. The neighbouring lanes of a warp have
/// the same row of neighbouring columns, so that their accesses are neighbours too, and nothing of the row's order
/// needs a shuffle.
///
/// `Groups` is that of the order, or smaller if the whole sequence is no longer than that.
template <class T, class Op, int Groups>
class column_groups {
public:
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  static constexpr int group = static_cast<int>(order::group<T>);
  static constexpr int length = Groups * group;

  /// Kogge & Stone's scan. Written for an array it is in place if it goes downwards: no value is read after it has
  /// changed. 129 applications for 32 groups.
  __device__ __forceinline__ void scan(Op& op)
  {
#pragma unroll
    for (int stride = 1; stride < Groups; stride *= 2) {
#pragma unroll
      for (int g = Groups - 1; g > 0; --g)  // a constant number of steps, which the compiler unrolls
        if (g >= stride) totals_[g] = static_cast<W>(op(totals_[g >= stride ? g - stride : 0], totals_[g]));
    }
  }
  __device__ __forceinline__ W const& total() const { return totals_[Groups - 1]; }

  /// The fold before group g.
  __device__ __forceinline__ left before(int g, left const& before_row, Op& op) const
  {
    return g == 0 ? before_row : before_row.before(left::present(totals_[g > 0 ? g - 1 : 0]), op);
  }
  /// The same for a g that is no constant.
  __device__ __forceinline__ left before_any(int g, left const& before_row, Op& op) const
  {
    W value = totals_[0];
#pragma unroll
    for (int k = 1; k < Groups - 1; ++k) value = select(k + 1 == g, totals_[k], value);
    return g == 0 ? before_row : before_row.before(left::present(value), op);
  }

protected:
  W totals_[Groups];
};

/// The scan of a row's group totals, one after the other: Kogge & Stone's values of a group depend on those before it
/// alone. Indices are constants once loops are unrolled.
template <class W, class Op, int Groups>
class running_groups {
public:
  /// Takes the total of group g, and returns the fold up to it.
  __device__ __forceinline__ W push(int g, W const& total, Op& op)
  {
    W value = total;
#pragma unroll
    for (int level = 0; level < levels; ++level) {
      int const stride = 1 << level;
      W const before = value;
      if (g >= stride) value = static_cast<W>(op(values_[level][g % stride], value));
      values_[level][g % stride] = before;
    }
    return value;
  }

private:
  static constexpr int levels = 5;
  static_assert(Groups == 1 << levels);
  W values_[levels][Groups / 2];
};

/// One row in shared memory: `count` elements, one at least, that are `Step` apart, or `step` if that is 0. It is read
/// twice, and its results are written in its place.
template <class T, class Op, class In, class Out, int Groups, int Step>
class column_row : public column_groups<T, Op, Groups> {
public:
  using base = column_groups<T, Op, Groups>;
  using base::group;
  using base::length;
  using typename base::left;
  using typename base::W;

  __device__ __forceinline__ column_row(In* from, int step, int count) : from_(from), step_(step), count_(count) {}

  /// Folds and scans the groups. Some group stands for those that do not exist.
  __device__ __forceinline__ void fold(Op& op)
  {
    if (count_ == length) {
#pragma unroll
      for (int g = 0; g < Groups; ++g) this->totals_[g] = whole_group(g, op);
    } else {
#pragma unroll
      for (int g = 0; g < Groups; ++g) {
        if ((g + 1) * group <= count_) {
          this->totals_[g] = whole_group(g, op);
        } else {
          W own = element(g * group < count_ ? g * group : 0);
#pragma unroll 1
          for (int k = g * group + 1; k < count_; ++k) own = static_cast<W>(op(own, element(k)));
          this->totals_[g] = own;
        }
      }
    }
    this->scan(op);
  }

  /// The tile-local value of the last element of a whole row.
  __device__ __forceinline__ W last(left const& before_row, Op& op) const
  {
    return this->before(Groups - 1, before_row, op).before(whole_group(Groups - 1, op), op);
  }

  /// The parts of the tile-local value of the last element: the fold of the groups before its own, and its own group up
  /// to it.
  struct end_of_row {
    left groups;
    W own;

    __device__ __forceinline__ W last(left const& before_row, Op& op) const
    {
      return before_row.before(groups, op).before(own, op);
    }
  };
  __device__ __forceinline__ end_of_row end(Op& op) const
  {
    if (count_ == length) return {left::present(this->totals_[Groups - 2]), whole_group(Groups - 1, op)};
    int const g = (count_ - 1) / group;
    W own = element(g * group);
#pragma unroll 1
    for (int k = g * group + 1; k < count_; ++k) own = static_cast<W>(op(own, element(k)));
    return {this->before_any(g, left::absent(op, own), op), own};
  }

  /// Writes the inclusive values in the elements' places, and returns the last one. An exclusive scan writes each one
  /// place later, and `previous` first.
  __device__ __forceinline__ W write(left const& carry, left const& before_row, bool exclusive, W previous,
                                     Op& op) const
  {
    if (count_ == length) {
      // The compiler keeps accesses in their order once there are stores among them. So each batch is read before the
      // one ahead of it is written.
      constexpr int batch = group * 4 <= 16 ? group * 4 : group;
      In next[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) next[j] = at(j);
#pragma unroll
      for (int first = 0; first < length; first += batch) {
        In now[batch];
#pragma unroll
        for (int j = 0; j < batch; ++j) now[j] = next[j];
#pragma unroll
        for (int j = 0; j < batch; ++j)
          if (first + batch < length) next[j] = at(first + batch + j);
        W own = element_of(now[0]);
        left before_group = this->before(first / group, before_row, op);
#pragma unroll
        for (int j = 0; j < batch; ++j) {
          if (j > 0 && j % group == 0) {
            own = element_of(now[j]);
            before_group = this->before((first + j) / group, before_row, op);
          } else if (j > 0) {
            own = static_cast<W>(op(own, element_of(now[j])));
          }
          W const value = carry.before(before_group.before(own, op), op);
          put(first + j, exclusive ? previous : value);
          previous = value;
        }
      }
    } else {
#pragma unroll
      for (int g = 0; g < Groups; ++g) {
        left const before_group = this->before(g, before_row, op);
        auto const take = [&](int k, W const& own) {
          W const value = carry.before(before_group.before(own, op), op);
          put(k, exclusive ? previous : value);
          previous = value;
        };
        if ((g + 1) * group <= count_) {
          W values[group];
#pragma unroll
          for (int j = 0; j < group; ++j) values[j] = element(g * group + j);
          take(g * group, values[0]);
#pragma unroll
          for (int j = 1; j < group; ++j) {
            values[j] = static_cast<W>(op(values[j - 1], values[j]));
            take(g * group + j, values[j]);
          }
        } else if (g * group < count_) {
          W own = element(g * group);
          take(g * group, own);
#pragma unroll 1
          for (int k = g * group + 1; k < count_; ++k) {
            own = static_cast<W>(op(own, element(k)));
            take(k, own);
          }
        }
      }
    }
    return previous;
  }

  /// The total of a whole row that begins at `first`. It needs no more than six totals at a time.
  __device__ __forceinline__ static W total_of(In const* first, Op& op)
  {
    constexpr int levels = 6;
    static_assert(Groups == 1 << (levels - 1) && Step != 0);
    W folds[levels];  // of 1, 2, 4, .. groups that were not folded with more yet
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      W value = element_of(first[g * group * Step]);
#pragma unroll
      for (int j = 1; j < group; ++j) value = static_cast<W>(op(value, element_of(first[(g * group + j) * Step])));
      int level = 0;
#pragma unroll
      for (; level < levels - 1 && (g >> level & 1) != 0; ++level) value = static_cast<W>(op(folds[level], value));
      folds[level] = value;
    }
    return folds[levels - 1];
  }

  /// Writes the inclusive values of a whole row that begins at `first` in the elements' places.
  __device__ __forceinline__ static void write_whole(In* first, left const& carry, left const& base_of_row, Op& op)
  {
    // As in `write`: each batch is read before the one ahead of it is written.
    constexpr int batch = group * 2;
    running_groups<W, Op, Groups> groups;
    left before_group = base_of_row;
    W own = element_of(first[0]);
    In next[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) next[j] = first[j * Step];
#pragma unroll
    for (int k = 0; k < length; k += batch) {
      In now[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) now[j] = next[j];
#pragma unroll
      for (int j = 0; j < batch; ++j)
        if (k + batch < length) next[j] = first[(k + batch + j) * Step];
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        own = j % group == 0 ? element_of(now[j]) : static_cast<W>(op(own, element_of(now[j])));
        W const value = carry.before(before_group.before(own, op), op);
        reinterpret_cast<Out*>(first)[(k + j) * Step] = static_cast<Out>(static_cast<T>(value));
        if (j % group == group - 1 && k + j + 1 < length)
          before_group = left::present(base_of_row.before(groups.push((k + j) / group, own, op), op));
      }
    }
  }

private:
  __device__ __forceinline__ static W element_of(In const& stored) { return static_cast<W>(static_cast<T>(stored)); }
  __device__ __forceinline__ In const& at(int k) const { return from_[k * (Step != 0 ? Step : step_)]; }
  __device__ __forceinline__ W element(int k) const { return element_of(at(k)); }
  __device__ __forceinline__ void put(int k, W const& value) const
  {
    reinterpret_cast<Out*>(from_)[k * (Step != 0 ? Step : step_)] = static_cast<Out>(static_cast<T>(value));
  }
  __device__ __forceinline__ W whole_group(int g, Op& op) const
  {
    W own = element(g * group);
#pragma unroll
    for (int j = 1; j < group; ++j) own = static_cast<W>(op(own, element(g * group + j)));
    return own;
  }

  In* from_;
  int step_;
  int count_;
};

/// One row of a reduction, which keeps no elements.
template <class T, class Op, class In, int Groups>
class column_row_totals : public column_groups<T, Op, Groups> {
public:
  using base = column_groups<T, Op, Groups>;
  using base::group;
  using base::length;
  using typename base::left;
  using typename base::W;

  /// Folds and scans the groups of `count` elements, one at least, that are `step` apart.
  __device__ __forceinline__ void load(In const* from, std::ptrdiff_t step, int count, Op& op)
  {
    if (count == length) {
#pragma unroll
      for (int g = 0; g < Groups; ++g) {
        W own = element(*from);
        from += step;
#pragma unroll
        for (int j = 1; j < group; ++j) {
          own = static_cast<W>(op(own, element(*from)));
          from += step;
        }
        this->totals_[g] = own;
        if (g == Groups - 1) last_own_ = own;
      }
    } else {
#pragma unroll
      for (int b = 0; b < Groups; b += batch) {
        if (b * group < count) {
#pragma unroll
          for (int i = 0; i < batch; ++i) {
            int const g = b + i;
            W own = element(*from);
#pragma unroll
            for (int j = 0; j < group; ++j) {
              int const k = g * group + j;
              if (j > 0) own = static_cast<W>(op(own, element(*from)));
              if (k + 1 == count) last_own_ = own;
              if (k + 1 < count) from += step;
            }
            this->totals_[g] = own;
          }
        } else {
#pragma unroll
          for (int i = 0; i < batch; ++i) this->totals_[b + i] = this->totals_[i];
        }
      }
    }
    this->scan(op);
  }

  /// The tile-local value of the last of `count` elements.
  __device__ __forceinline__ W last(left const& before_row, int count, Op& op) const
  {
    return this->before_any((count - 1) / group, before_row, op).before(last_own_, op);
  }

private:
  static constexpr int batch = 4;
  static_assert(Groups % batch == 0);

  __device__ __forceinline__ static W element(In const& stored) { return static_cast<W>(static_cast<T>(stored)); }

  W last_own_;  // the fold of the last element's group up to it
};

}  // namespace tally::cuda_backend
