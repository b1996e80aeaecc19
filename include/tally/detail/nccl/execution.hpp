#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tally/detail/path.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/error.hpp"

/// Ranks with a device each: what they keep between calls, and the steps that every call of theirs begins with.
namespace tally::nccl_backend {

/// Carries bytes between the memories of devices. What it does is queued behind the rank's other work, as a stream's
/// work is; only `rounds` wait.
///
///     gather(mine, all, bytes)          `bytes` from each rank, in the order of ranks
///     add_up(numbers, count)            replaces each of `count` numbers by its sum over all ranks
///     send(to, data, bytes)             to one other rank,
///     receive(from, data, bytes)        and from one: all that are begun before `exchange` go on together
///     exchange()
///     wait()                            until all of that is done
template <class T>
concept device_transport =
    ranks_backend::rounds<T> && requires(T& by, std::byte const* from, std::byte* to, std::size_t bytes, int rank) {
      by.gather(from, to, bytes);
      by.add_up(static_cast<std::uint64_t*>(nullptr), bytes);
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
  ranks_backend::communicator<typename Machine::transport>& ranks() const { return all_->ranks; }

private:
  std::shared_ptr<group<Machine>> all_;
};

/// The execution of a rank's own work.
template <class Machine>
auto local_execution(execution<Machine> const& on)
{
  return on.all().machine.local();
}

/// Throws    usage_error if the sizes of parts are known, and that of this rank is another one.
template <class Machine>
void check_size(group<Machine> const& all, int rank, std::size_t size)
{
  if (all.parts.empty()) return;
  auto const known = all.parts[static_cast<std::size_t>(rank)];
  if (size != known)
    throw usage_error("tally::nccl: the part of rank " + std::to_string(rank) + " has " + std::to_string(size) +
                      " elements, and the execution was made for " + std::to_string(known));
}

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
    check_size(all, by.rank(), size);
    prepare();
    for (std::size_t r = 0; r < all.parts.size(); ++r) offsets[r + 1] = offsets[r] + all.parts[r];
  }
}

/// The same where `prepare`, within the call, finds the number of elements.
template <class Machine, class Prepare>
void begin_described(group<Machine>& all, ranks_backend::session<typename Machine::transport>& by,
                     std::size_t const& size, Prepare const& prepare)
{
  by.attempt(prepare);
  if (!all.parts.empty() && by.failed()) std::rethrow_exception(by.failure());
  begin_call(all, by, size, [] {});
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

/// A round in which ranks tell whether they have failed; without one, where sizes are known, a rank throws alone.
template <class Machine>
void agree(group<Machine>& all, ranks_backend::session<typename Machine::transport>& by)
{
  if (all.parts.empty())
    by.meet({});
  else if (by.failed())
    std::rethrow_exception(by.failure());
}

}  // namespace tally::nccl_backend
