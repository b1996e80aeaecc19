#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <map>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/model/block.hpp"
#include "tally/model/machine.hpp"
#include "tally/model/watched.hpp"

/// Kernels as course material writes them, for one thread, with explicit barriers. A thread may miss a barrier, and a
/// shuffle may name lanes that are not there; neither can happen in a kernel written against a block
/// (textbook/block.hpp).
///
///     struct shift {
///       static constexpr char const* name = "shift";
///       template <class Array>
///       model::thread_program operator()(model::thread thread, Array x) const
///       {
///         int const t = thread.index();
///         auto const own = t > 0 ? textbook::element_of<Array>(x[t - 1]) : 0;
///         co_await thread.barrier();
///         x[t] = own;
///       }
///     };
///     machine.launch_threads(1, 8, shift{}, x);
namespace tally::model {

/// How often the threads of a block may meet at barriers before the machine stops them as endless. A kernel of the
/// course has some twenty barriers.
inline constexpr int most_barriers = 10'000;

inline constexpr std::uint32_t all_lanes = 0xffffffff;

/// A thread's wait in a shuffle, without the type of its value.
class exchange {
public:
  exchange(int lane, std::uint32_t named, std::source_location const& at) : from(lane), mask(named), where(at) {}
  virtual ~exchange() = default;
  /// Receives the value of `other`; an unset one if `other` is null. Returns the node received.
  virtual int receive(exchange const* other) = 0;

  int from;  ///< the lane that it asks; outside of the warp if negative, or 32 or more
  std::uint32_t mask;
  std::source_location where;
};

/// The run of a thread, a coroutine that is suspended at barriers and shuffles.
class thread_program {
public:
  enum class state { runs, at_barrier, in_shuffle, ended };

  struct promise_type {
    state now = state::runs;
    std::source_location where;   // of the barrier, if at_barrier
    exchange* shuffle = nullptr;  // if in_shuffle
    std::exception_ptr problem;

    thread_program get_return_object()
    {
      return thread_program(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() noexcept
    {
      now = state::ended;
      return {};
    }
    void return_void() const noexcept {}
    void unhandled_exception() { problem = std::current_exception(); }
  };

  thread_program(thread_program&& other) noexcept : own_(std::exchange(other.own_, nullptr)) {}
  thread_program& operator=(thread_program&&) = delete;
  ~thread_program()
  {
    if (own_) own_.destroy();
  }

  /// Resumes it up to the next barrier, shuffle or the end. Throws what the kernel throws.
  void go_on()
  {
    own_.promise().now = state::runs;
    own_.resume();
    if (own_.promise().problem) std::rethrow_exception(own_.promise().problem);
  }
  promise_type const& promise() const { return own_.promise(); }
  void now(state next) { own_.promise().now = next; }

private:
  explicit thread_program(std::coroutine_handle<promise_type> own) : own_(own) {}
  std::coroutine_handle<promise_type> own_;
};

/// The thread that a kernel runs as.
class thread {
public:
  /// The state that the threads of a block share.
  struct common {
    machine& on;
    recorder& by;
    int blocks;
    std::map<std::string, array_base*> shared;
  };
  thread(common& of, int index) : of_(&of), index_(index) {}

  int index() const { return index_; }                  ///< threadIdx.x
  int block_index() const { return of_->by.block(); }   ///< blockIdx.x
  int block_size() const { return of_->by.threads(); }  ///< blockDim.x
  int block_count() const { return of_->blocks; }       ///< gridDim.x

  /// n unset elements of shared memory. All threads of the block that give the same name share them.
  template <class E>
  view<E> shared(int n, char const* name) const
  {
    array_base*& known = of_->shared[name];
    if (known == nullptr) {
      known = &of_->on.template make<E>(memory::shared, name, static_cast<std::size_t>(n)).of();
      of_->by.shared_arrays.push_back(known->number());
    }
    return dynamic_cast<array<E>&>(*known);
  }

  struct barrier_wait {
    std::source_location where;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<thread_program::promise_type> own) const
    {
      own.promise().now = thread_program::state::at_barrier;
      own.promise().where = where;
    }
    void await_resume() const noexcept {}
  };
  /// `co_await thread.barrier();` is `__syncthreads();`.
  barrier_wait barrier(std::source_location where = std::source_location::current()) const { return {where}; }

  template <class E>
  class shuffle_wait final : public exchange {
  public:
    shuffle_wait(E own, int lane, std::uint32_t named, std::source_location const& at)
        : exchange(lane, named, at),
          own_(own),
          received_(own)
    {
    }
    int receive(exchange const* other) override
    {
      if (other != nullptr)
        received_ = static_cast<shuffle_wait const&>(*other).own_;
      else if constexpr (!std::is_same_v<E, plain_t<E>>)
        received_.node = E::unset;
      return node_of(received_);
    }

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<thread_program::promise_type> own)
    {
      own.promise().now = thread_program::state::in_shuffle;
      own.promise().shuffle = this;
    }
    E await_resume() const { return received_; }

  private:
    E own_, received_;
  };
  /// `own = co_await thread.shuffle_up(own, d);` is `own = __shfl_up_sync(mask, own, d);`: the value of the lane d
  /// below, or the thread's own if the warp has no such lane.
  template <class E>
  shuffle_wait<E> shuffle_up(E own, int distance, std::uint32_t mask = all_lanes,
                             std::source_location where = std::source_location::current()) const
  {
    return {own, index_ % textbook::warp_lanes - distance, mask, where};
  }
  template <class E>
  shuffle_wait<E> shuffle_down(E own, int distance, std::uint32_t mask = all_lanes,
                               std::source_location where = std::source_location::current()) const
  {
    return {own, index_ % textbook::warp_lanes + distance, mask, where};
  }
  template <class E>
  shuffle_wait<E> shuffle_xor(E own, int distance, std::uint32_t mask = all_lanes,
                              std::source_location where = std::source_location::current()) const
  {
    return {own, index_ % textbook::warp_lanes ^ distance, mask, where};
  }

private:
  common* of_;
  int index_;
};

/// Runs the threads of a block phase by phase, each thread to its next barrier or its end.
void run_threads(recorder& by, std::span<thread_program> threads);

template <class Kernel, class... Arguments>
void machine::launch_threads(int blocks, int threads, Kernel const& kernel, Arguments const&... arguments)
{
  run(Kernel::name, blocks, threads, false, [&](block const& here) {
    thread::common common{*this, current(), here.count(), {}};
    std::vector<thread_program> programs;
    for (int t = 0; t < threads; ++t) programs.push_back(kernel(thread(common, t), arguments...));
    run_threads(current(), programs);
  });
}

}  // namespace tally::model
