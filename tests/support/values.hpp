#pragma once

#include <ostream>
#include <utility>

/// User-defined element types. Each lacks a property that arithmetic types have.
namespace tally::test {

/// Owns its value and counts the living objects, so that a leak or a double destruction shows.
class tracked {
public:
  explicit tracked(long value) : value_(new long(value)) { ++alive; }
  tracked(tracked const& other) : tracked(*other.value_) {}
  tracked(tracked&& other) noexcept : value_(std::exchange(other.value_, nullptr)) { ++alive; }
  tracked& operator=(tracked other) noexcept
  {
    std::swap(value_, other.value_);
    return *this;
  }
  ~tracked()
  {
    delete value_;
    --alive;
  }

  long value() const { return *value_; }
  friend tracked operator+(tracked const& a, tracked const& b) { return tracked(*a.value_ + *b.value_); }
  friend bool operator==(tracked const& a, tracked const& b) { return *a.value_ == *b.value_; }
  friend std::ostream& operator<<(std::ostream& out, tracked const& x) { return out << *x.value_; }

  static inline long alive = 0;

private:
  long* value_;
};

/// Cannot be copied. A moved-from value is marked, so that its use shows.
class move_only {
public:
  explicit move_only(long value) : value_(value) {}
  move_only(move_only&& other) noexcept : value_(std::exchange(other.value_, moved_from)) {}
  move_only& operator=(move_only&& other) noexcept
  {
    value_ = std::exchange(other.value_, moved_from);
    return *this;
  }

  long value() const { return value_; }
  friend bool operator==(move_only const& a, move_only const& b) { return a.value_ == b.value_; }
  friend std::ostream& operator<<(std::ostream& out, move_only const& x) { return out << x.value_; }

  static constexpr long moved_from = -1'000'000'007;

private:
  long value_;
};

/// Has no default constructor and no arithmetic; a user-defined operator combines it.
struct no_default {
  explicit no_default(long v) : value(v) {}
  long value;
  friend bool operator==(no_default const&, no_default const&) = default;
  friend std::ostream& operator<<(std::ostream& out, no_default const& x) { return out << x.value; }
};

struct plus_no_default {
  no_default operator()(no_default const& a, no_default const& b) const { return no_default(a.value + b.value); }
};

}  // namespace tally::test
