#pragma once

#include "tally/operators/traits.hpp"
#include "tally/textbook/block.hpp"
#include "tally/textbook/padded.hpp"
#include "tally/textbook/transfer.hpp"

/// Sections of a long array, each scanned by a block in its shared memory. A block's scan describes itself by these
/// static members, where it differs from the default:
///
///     elements_a_thread    how many elements it takes for each thread: 1
///     exclusive            whether x[k] becomes the sum of the elements before it, without itself: false
///     room(n)              how many elements of x it works on for n, of which those from n on must be identities: n
///     levels_of_padding    the gaps of x (padded.hpp): 0, none
namespace tally::textbook {

template <class Scan>
TALLY_HD constexpr int elements_a_thread_of()
{
  if constexpr (requires { Scan::elements_a_thread; })
    return Scan::elements_a_thread;
  else
    return 1;
}

template <class Scan>
inline constexpr bool is_exclusive = requires { requires Scan::exclusive; };

/// An inclusive scan of a block whose load is shifted: x[k] is the element before in[k]. The array that has the
/// identity before in[0], and not in[n-1], is scanned so, which is an exclusive scan of `in`. Block 0 alone loads an
/// identity; every other block begins with the last element of the section before, so that sections are joined as those
/// of an inclusive scan. The output is another array than the input.
///
/// No load of a warp but the first begins at a whole sector: a warp reads 5 sectors instead of 4 (elements of four
/// bytes).
template <class Scan>
struct shifted : Scan {
  using unshifted = Scan;
};

template <class Scan>
inline constexpr bool is_shifted = requires { typename Scan::unshifted; };

/// Shared memory for as many elements as the block takes at once, as `Scan` wants it.
template <class Scan, class E, block Block>
TALLY_HD auto room_for_section(Block const& block)
{
  int room = block.size() * elements_a_thread_of<Scan>();
  if constexpr (requires { Scan::room(0); }) room = Scan::room(room);
  if constexpr (requires { Scan::levels_of_padding; }) {
    using padded_view = padded<decltype(block.template shared<E>(0, "")), Scan::levels_of_padding>;
    return padded_view(block.template shared<E>(padded_view::size(room), "x"));
  } else {
    return block.template shared<E>(room, "x");
  }
}

/// x[k] = section[k] for k in [0, n), or section[k - 1] where the load is shifted; and identities behind them where
/// `Scan` wants them.
template <class Scan, block Block, class From, class Shared, class Op>
TALLY_HD void load_section(Block const& block, From section, Shared x, int n, Op const& op)
{
  if constexpr (is_shifted<Scan>)
    copy_shifted(block, section, x, n, n, identity_of<element_of<Shared>>(op), block.index() == 0);
  else if constexpr (requires { Scan::room(0); })
    copy_and_fill(block, section, x, n, Scan::room(n), identity_of<element_of<Shared>>(op));
  else
    copy(block, section, x, n);
}

/// The kernel around a block's scan: block b copies section b of in[0, n) to shared memory, scans it there, and copies
/// it to `out`. Each section is a scan of its own.
template <class Scan>
struct scan_of_sections {
  static constexpr char const* name = Scan::name;
  static constexpr int elements_a_thread = elements_a_thread_of<Scan>();

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op op) const
  {
    int const section = block.size() * elements_a_thread, begin = block.index() * section;
    int const own = n - begin < section ? n - begin : section;
    auto x = room_for_section<Scan, element_of<In>>(block);
    load_section<Scan>(block, in + begin, x, own, op);
    Scan{}(block, x, own, op);
    copy(block, x, out + begin, own);
  }
};

}  // namespace tally::textbook
