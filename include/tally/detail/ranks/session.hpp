#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tally/detail/ranks/transport.hpp"
#include "tally/execution.hpp"
#include "tally/rank_error.hpp"

namespace tally::ranks_backend {

/// The bytes that every rank gives all others in a round. Small totals travel with it.
struct report {
  static constexpr std::size_t value_bytes = 96;

  std::uint64_t call = 0;      ///< the call that the rank makes, as a number
  std::uint64_t elements = 0;  ///< of its part
  std::uint8_t failed = 0;     ///< whether it has failed
  std::uint8_t may_fail = 0;   ///< whether it may still fail after this round
  std::uint8_t has_value = 0;
  std::uint8_t unused[13] = {};
  std::byte value[value_bytes] = {};
};
static_assert(sizeof(report) == 128);

/// The name of a type as the compiler writes it.
template <class T>
constexpr std::string_view type_name()
{
  std::string_view const all = __PRETTY_FUNCTION__;
  std::size_t const begin = all.find("T = ") + 4;
  std::size_t const end = std::min(all.find("; std::string_view", begin), all.rfind(']'));
  return all.substr(begin, end - begin);
}

/// A call as ranks compare it: a text that names the function, the type, the operator and the rest of what ranks must
/// agree on. It needs no memory of its own.
class call_name {
public:
  static constexpr std::size_t most = 512;

  template <class... Parts>
  explicit call_name(Parts const&... parts)
  {
    (append(parts), ...);
  }

  char const* text() const { return text_; }

  /// A number that tells calls apart, of the whole text however long.
  /// Source    Fowler, Noll & Vo: FNV-1a.
  std::uint64_t number() const { return number_; }

private:
  void append(std::string_view part)
  {
    part.copy(text_ + size_, std::min(part.size(), most - 1 - size_));
    size_ += std::min(part.size(), most - 1 - size_);
    for (char const c : part) number_ = (number_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  void append(std::uint64_t number)
  {
    char digits[20];
    std::size_t first = sizeof(digits);
    do digits[--first] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    append(std::string_view(digits + first, sizeof(digits) - first));
  }

  char text_[most] = {};
  std::size_t size_ = 0;
  std::uint64_t number_ = 14695981039346656037u;
};

/// The state that an execution keeps between calls. Nothing in a round needs memory that is not here, so a rank without
/// memory can still tell the others.
template <rounds Transport>
struct communicator {
  Transport by;
  std::optional<cpu> on;
  std::vector<report> reports;
  std::vector<std::uint64_t> offsets;
  std::vector<std::size_t> counts;

  communicator(Transport transport, std::optional<cpu> local)
      : by(std::move(transport)),
        on(local),
        reports(static_cast<std::size_t>(by.size())),
        offsets(reports.size() + 1),
        counts(reports.size())
  {
  }
};

/// The failure of a rank's own work, kept until the next round tells the other ranks.
class kept_failure {
public:
  /// Runs a piece of this rank's own work, unless it has failed before. The piece calls no function of the transport.
  template <class Work>
  void attempt(Work const& work)
  {
    if (failure_) return;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  bool failed() const { return failure_ != nullptr; }
  std::exception_ptr const& failure() const { return failure_; }

private:
  std::exception_ptr failure_;
};

/// One call on all ranks. It keeps the ranks in step: whatever a rank throws is kept until the next round, which tells
/// all ranks, and the call ends on all of them.
template <rounds Transport>
class session : public kept_failure {
public:
  session(communicator<Transport>& ranks, call_name const& call) : ranks_(&ranks), call_(&call) {}

  communicator<Transport>& ranks() const { return *ranks_; }
  Transport& by() const { return ranks_->by; }
  int rank() const { return ranks_->by.rank(); }

  /// A round: gives `mine` to all ranks and returns the reports of all.
  /// Throws    rank_error, on every rank, if a rank has failed or makes another call.
  std::span<report const> meet(report mine)
  {
    mine.call = call_->number();
    mine.failed = failed();
    std::vector<report>& all = ranks_->reports;
    by().allgather(reinterpret_cast<std::byte const*>(&mine), reinterpret_cast<std::byte*>(all.data()), sizeof(report));
    may_fail_ = false;
    // A failure comes first: a rank may have failed before it could say which call it makes.
    for (std::size_t r = 0; r < all.size(); ++r)
      if (all[r].failed != 0) end_failed(static_cast<int>(r));
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (all[r].call != all[0].call) end_different_calls(static_cast<int>(r));
      may_fail_ = may_fail_ || all[r].may_fail != 0;
    }
    return all;
  }

  /// The end of a call. If a rank may have failed after the last round, there is one more.
  void finish()
  {
    if (may_fail_) meet({});
  }

private:
  static constexpr std::size_t text_bytes = call_name::most;

  [[noreturn]] void end_failed(int first)
  {
    char text[text_bytes] = {};
    if (first == rank()) {
      try {
        std::rethrow_exception(failure());
      } catch (std::exception const& e) {
        copy_text(text, e.what());
      } catch (...) {
        copy_text(text, "an exception that is no std::exception");
      }
    }
    by().broadcast(reinterpret_cast<std::byte*>(text), text_bytes, first);
    rank_error const error(first, "tally: rank " + std::to_string(first) + " of " + std::to_string(by().size()) +
                                      " failed: " + text);
    if (!failed()) throw error;
    try {
      std::rethrow_exception(failure());
    } catch (...) {
      std::throw_with_nested(error);
    }
  }

  [[noreturn]] void end_different_calls(int other)
  {
    char mine[text_bytes] = {};
    copy_text(mine, call_->text());
    char texts[2][text_bytes];
    for (int k = 0; k < 2; ++k) {
      int const from = k == 0 ? 0 : other;
      std::memcpy(texts[k], mine, text_bytes);
      by().broadcast(reinterpret_cast<std::byte*>(texts[k]), text_bytes, from);
    }
    throw rank_error(other, std::string("tally: the ranks make different calls. Rank 0: ") + texts[0] + "; rank " +
                                std::to_string(other) + ": " + texts[1] + ". All ranks must make the same call");
  }

  static void copy_text(char* to, std::string_view text) { text.copy(to, std::min(text.size(), text_bytes - 1)); }

  communicator<Transport>* ranks_;
  call_name const* call_;
  bool may_fail_ = false;
};

}  // namespace tally::ranks_backend
