#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/model/dag.hpp"
#include "tally/model/place.hpp"

namespace tally::model {

class machine;

enum class memory { shared, global };

/// The thread that touched a word, where, and when.
struct touch {
  std::uint32_t interval = 0;  ///< a number for the time between two barriers of a block; 0: never
  std::uint32_t where = 0;
  std::uint16_t thread = 0;
  bool atomic = false;
};

/// An array in the memory of the machine, without the type of its elements.
class array_base {
public:
  array_base(machine& owner, memory space, int number, std::string name, std::size_t size, std::size_t element_bytes)
      : owner_(owner),
        space_(space),
        number_(number),
        name_(std::move(name)),
        bytes_(element_bytes),
        words_(size)
  {
  }
  virtual ~array_base() = default;
  array_base(array_base const&) = delete;
  array_base& operator=(array_base const&) = delete;

  memory space() const { return space_; }
  int number() const { return number_; }
  std::string const& name() const { return name_; }
  std::size_t size() const { return words_.size(); }
  std::size_t element_bytes() const { return bytes_; }
  /// The offset of the array in its memory, in bytes.
  std::size_t address = 0;

  bool is_set(std::size_t k) const { return words_[k].set; }
  /// Whether the host will need the elements again: a kernel that writes to them is at fault.
  bool is_kept = false;
  virtual int node(std::size_t k) const = 0;
  virtual std::string text(std::size_t k) const = 0;

  /// The last accesses to a word. Of reads, or atomic accesses, that nothing orders, the last two are kept: a later
  /// access that races with any of them races with one of these two.
  struct word {
    touch write, another_write, read, another_read;
    bool set = false;
  };
  word& touches(std::size_t k) { return words_[k]; }

protected:
  machine& owner() const { return owner_; }
  void set(std::size_t k) { words_[k].set = true; }

private:
  machine& owner_;
  memory space_;
  int number_;
  std::string name_;
  std::size_t bytes_;
  std::vector<word> words_;
};

template <class E>
struct plain {
  using type = E;
};
template <class T>
struct plain<traced<T>> {
  using type = T;
};
/// T of traced<T>: the type that a GPU would hold.
template <class E>
using plain_t = typename plain<E>::type;

template <class E>
int node_of(E const& e)
{
  if constexpr (std::is_same_v<E, plain_t<E>>)
    return traced<E>::constant;
  else
    return e.node;
}

/// A value as text: a number with the fewest digits that identify it, a byte too; another value by its own `to_text`,
/// else by `<<`; `?` if it has neither.
template <class T>
std::string text_of(T const& value)
{
  if constexpr (std::is_arithmetic_v<T>) {
    std::array<char, 64> digits;
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), +value).ptr};
  } else if constexpr (requires { to_text(value); }) {
    return to_text(value);
  } else if constexpr (requires(std::ostringstream out) { out << value; }) {
    std::ostringstream out;
    out << value;
    return out.str();
  } else {
    return "?";
  }
}

/// An array of the machine. Each element is unset until it is written.
template <class E>
class array final : public array_base {
public:
  array(machine& owner, memory space, int number, std::string name, std::size_t size)
      : array_base(owner, space, number, std::move(name), size, sizeof(plain_t<E>)),
        elements_(std::make_unique<E[]>(size))
  {
  }
  int node(std::size_t k) const override { return node_of(elements_[k]); }
  std::string text(std::size_t k) const override { return text_of(static_cast<plain_t<E> const&>(elements_[k])); }
  /// Reads and writes that the machine does not record: for the host.
  E const& peek(std::size_t k) const { return elements_[k]; }
  void poke(std::size_t k, E const& e)
  {
    elements_[k] = e;
    set(k);
  }
  using array_base::owner;

private:
  std::unique_ptr<E[]> elements_;
};

/// x[k] in a kernel. It is read when it is converted to a value, and written when a value is assigned.
template <class E>
class reference {
public:
  reference(array<E>& of, position const& k) : of_(of), at_(k) {}
  reference(reference const&) = default;
  operator E() const { return read(); }
  /// The value alone, for indices and conditions.
  operator plain_t<E>() const
    requires(!std::is_same_v<E, plain_t<E>>)
  {
    return read().value;
  }
  reference const& operator=(E const& e) const;
  reference const& operator=(reference const& other) const { return *this = other.read(); }
  /// Assigns an element of an array of another type, such as counts, which are not traced.
  template <class F>
    requires std::is_convertible_v<plain_t<F>, plain_t<E>>
  reference const& operator=(reference<F> const& other) const
  {
    return *this = E(static_cast<plain_t<E>>(static_cast<plain_t<F>>(other)));
  }

private:
  E read() const;
  array<E>& of_;
  position at_;
};

/// A place in an array, as a pointer is on a GPU.
template <class E>
class view {
public:
  using element = E;
  using position = model::position;

  view(array<E>& of, int offset = 0) : of_(&of), offset_(offset) {}
  reference<E> operator[](position k) const { return {*of_, k.at(offset_ + k.index)}; }
  view operator+(int n) const { return {*of_, offset_ + n}; }
  array<E>& of() const { return *of_; }
  int offset() const { return offset_; }

private:
  array<E>* of_;
  int offset_;
};

}  // namespace tally::model
