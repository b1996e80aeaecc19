#pragma once

#include <cstdint>
#include <cstring>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// A place of elements in shared memory. On a GPU it is the 32-bit address that the loads take: of a pointer the
/// compiler makes it anew for each of them.
template <class T>
struct shared_place {
#ifdef __CUDA_ARCH__
  std::uint32_t address;

  __device__ __forceinline__ explicit shared_place(T const* p) : address(shared_address(p))
  {
    asm volatile("" : "+r"(address));
  }
  __device__ __forceinline__ explicit shared_place(std::uint32_t own) : address(own) {}
  __device__ __forceinline__ shared_place operator+(int elements) const
  {
    return shared_place(address + static_cast<std::uint32_t>(elements * static_cast<int>(sizeof(T))));
  }
  __device__ __forceinline__ T operator[](int k) const
  {
    T element;
    if constexpr (sizeof(T) == 4) {
      std::uint32_t word;
      asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"((*this + k).address));
      memcpy(&element, &word, sizeof word);
    } else {
      std::uint64_t word;
      asm volatile("ld.shared.b64 %0, [%1];" : "=l"(word) : "r"((*this + k).address));
      memcpy(&element, &word, sizeof word);
    }
    return element;
  }
  /// 16 bytes, aligned.
  template <int Count>
  __device__ __forceinline__ void load(T (&elements)[Count]) const
  {
    static_assert(sizeof elements == 16);
    std::uint32_t words[4];
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address));
    memcpy(elements, words, sizeof words);
  }
#else
  T const* address;

  __host__ __device__ explicit shared_place(T const* p) : address(p) {}
  __host__ __device__ shared_place operator+(int elements) const { return shared_place(address + elements); }
  __host__ __device__ T operator[](int k) const { return address[k]; }
  template <int Count>
  __host__ __device__ void load(T (&elements)[Count]) const
  {
    for (int j = 0; j < Count; ++j) elements[j] = address[j];
  }
#endif
};

/// The folds of groups in shared memory that a lane does alone, each lane at a place of its own, for a commutative
/// operator with an identity. `Aligned` groups lie at multiples of 16 bytes and are read whole.
///
/// An absent group is the identity. It is not left out by a branch: the compiler would wait for one group before it
/// asks for the next. Nor by a condition at its loads, whose registers would then be in use from the kernel's beginning
/// on. The lane reads the group at `any` instead, as all lanes without a group do.
template <class T, class Op>
struct segment_trees {
  using W = working_type<T>;
  static constexpr int group = static_cast<int>(order::group<T>);

  using place = shared_place<T>;

  place any;
  W none;

  /// The fold of the first `there` elements of a group, one at least. The others are read too.
  template <bool Aligned>
  __device__ __forceinline__ static W total_of_first(place at, int there, Op& op)
  {
    T elements[group];
    load<Aligned>(at, elements);
    W result = static_cast<W>(elements[0]);
#pragma unroll
    for (int j = 1; j < group; ++j)
      result = select(j < there, static_cast<W>(op(result, static_cast<W>(elements[j]))), result);
    return result;
  }

  /// The balanced tree over `Leaves` groups from `first` on, of which the first `absent` are absent. The lane reads
  /// them in an order of its own, `turn`: lanes whose places differ by multiples of 128 bytes then meet in different
  /// banks. The operands of the tree change sides, which a commutative operator allows.
  template <int Leaves, bool Aligned>
  __device__ __forceinline__ W tree(place first, int absent, int turn, Op& op) const
  {
    W totals[Leaves];
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(turn));  // the compiler would keep all numbers of leaves, which do not change, in registers
#endif
#pragma unroll
    for (int g = 0; g < Leaves; ++g) {
      int const leaf = g ^ turn;
      totals[g] = total_if<Aligned>(leaf >= absent, first + leaf * group, op);
    }
#pragma unroll
    for (int stride = 1; stride < Leaves; stride *= 2)
#pragma unroll
      for (int g = 0; g < Leaves; g += 2 * stride) totals[g] = static_cast<W>(op(totals[g], totals[g + stride]));
    return totals[0];
  }

  /// The tree over the `leaves` groups that end at `end`, eight at most; no lane has more than `most`.
  __device__ __forceinline__ W tree_before(place end, int leaves, int most, Op& op) const
  {
    auto const two = [&](int right) {  // the leaves `right` and `right` + 1, counted from the right
      W const own = total_if<false>(right <= leaves, end + -right * group, op);
      W const left = total_if<false>(right < leaves, end + -(right + 1) * group, op);
      return static_cast<W>(op(left, own));
    };
    W fold = two(1);
    if (most > 2) fold = static_cast<W>(op(two(3), fold));
    if (most > 4) {
      W const right = two(5);
      fold = static_cast<W>(op(static_cast<W>(op(two(7), right)), fold));
    }
    return fold;
  }

private:
  template <bool Aligned>
  __device__ __forceinline__ static void load(place at, T (&elements)[group])
  {
    if constexpr (Aligned) {
      at.load(elements);
    } else {
#pragma unroll
      for (int j = 0; j < group; ++j) elements[j] = at[j];
    }
  }

  template <bool Aligned>
  __device__ __forceinline__ W total_if(bool is_there, place at, Op& op) const
  {
    T elements[group];
    load<Aligned>(place(is_there ? at.address : any.address), elements);
    W result = static_cast<W>(elements[0]);
#pragma unroll
    for (int j = 1; j < group; ++j) result = static_cast<W>(op(result, static_cast<W>(elements[j])));
    return select(is_there, result, none);
  }
};

}  // namespace tally::cuda_backend
