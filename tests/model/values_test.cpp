// The values of arrays, reads and writes of kernels, and the calls of an observer.
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "tally/operators.hpp"

namespace tally::model {
namespace {

/// One thread in one step.
template <class Body>
void run_alone(machine& on, Body const& body)
{
  auto const kernel = [&](block const& b) { b.step([&](int) { body(b); }); };
  on.launch(1, 1, kernel_of{kernel});
}

TEST(values, go_in_and_come_out)
{
  machine on;
  auto const in = on.input(std::vector<float>{1.5F, 2.5F}, "in");
  auto const out = on.allocate<traced<float>>(3, "out");
  EXPECT_EQ(on.values(out), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(on.values(out, -1.F), (std::vector<float>{-1, -1, -1}));
  run_alone(on, [&](block const&) {
    out[0] = in[1];
    out[2] = 7;
  });
  EXPECT_EQ(on.values(out, -1.F), (std::vector<float>{2.5F, -1, 7}));
  on.fill(out, 4);
  EXPECT_EQ(on.values(out), (std::vector<float>{4, 4, 4}));
  EXPECT_EQ(on.values(in), (std::vector<float>{1.5F, 2.5F}));
  EXPECT_TRUE(on.counts().clean());
}

TEST(values, of_an_empty_array)
{
  machine on;
  auto const none = on.input(std::vector<int>{}, "none");
  EXPECT_TRUE(on.values(none).empty());
  run_alone(on, [&](block const&) { none[0] = 1; });
  EXPECT_EQ(on.counts().findings.front().what, fault::out_of_range);
}

TEST(values, come_to_the_host_with_what_made_them)
{
  machine on;
  auto const op = on.watch<int>(plus{});
  auto const x = on.input(std::vector<int>{1, 2, 3, 4}, "x");
  run_alone(on, [&](block const&) {
    x[0] = op(x[0], x[1]);
    x[2] = op(x[2], x[3]);
  });
  std::vector<traced<int>> const sums = on.to_host(x);
  EXPECT_EQ(op(sums[0], sums[2]).value, 10);
  EXPECT_EQ(on.operations().work(), 3u);
  EXPECT_EQ(on.operations().depth(), 2u) << "the host goes on with the graph";
  EXPECT_EQ(on.operations()[2].left, 0);
  EXPECT_EQ(on.operations()[2].right, 1);
}

/// Every way in which a kernel may spell the read of an element: the same for int* and on the machine.
template <class E>
void read_in_every_way()
{
  machine on;
  auto const x = on.input(std::vector<int>{5, 6, 7}, "x");
  auto const where = on.allocate<int>(2, "where");
  on.fill(where, 2);
  run_alone(on, [&](block const&) {
    E const copied = x[0];
    E direct(x[1]), braced{x[2]}, cast = static_cast<E>(x[0]);
    int const plain = x[2];
    E assigned;
    assigned = x[1];
    auto const taken = [](E const& e) { return static_cast<int>(e); };
    EXPECT_EQ(static_cast<int>(copied), 5);
    EXPECT_EQ(static_cast<int>(direct) + static_cast<int>(braced) + static_cast<int>(cast), 6 + 7 + 5);
    EXPECT_EQ(plain, 7);
    EXPECT_EQ(static_cast<int>(assigned), 6);
    EXPECT_EQ(taken(x[1]), 6);
    EXPECT_TRUE(x[0] < x[1]);
    EXPECT_EQ(x[0] + x[1] * 2, 17);
    E const chosen = plain > 0 ? x[1] : x[2];
    EXPECT_EQ(static_cast<int>(chosen), 6);
    if (x[0]) x[1] = x[2];
    EXPECT_EQ(x[1], 7);
    EXPECT_EQ(x[where[1]], 7) << "an index that is read";
    x[1] = where[0];
    where[0] = x[0];
    EXPECT_EQ(x[1], 2);
    EXPECT_EQ(where[0], 5);
  });
  EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
}

TEST(references, are_read_in_every_way)
{
  read_in_every_way<traced<int>>();
  read_in_every_way<int>();
}

TEST(references, are_read_once_each_time)
{
  machine on;
  auto const x = on.input(std::vector<int>{5, 6}, "x"), y = on.input(std::vector<int>{0}, "y");
  run_alone(on, [&](block const&) { y[0] = x[1]; });
  EXPECT_EQ(on.counts().global.reads, 1u);
  EXPECT_EQ(on.counts().global.writes, 1u);
  run_alone(on, [&](block const&) {
    auto const unread = x[0];  // the trap: this is no value
    x[0] = 9;
    int const late = unread;
    EXPECT_EQ(late, 9);
  });
}

struct point {
  int a = 0;
  friend bool operator==(point, point) = default;
};
struct shown {
  int a = 0;
  friend std::ostream& operator<<(std::ostream& out, shown of) { return out << "<" << of.a << ">"; }
};
struct small {
  char a = 'a';
  friend std::ostream& operator<<(std::ostream& out, small of) { return out << of.a; }
};

template <class E>
std::string text(E const& value)
{
  machine on;
  auto const x = on.allocate<traced<E>>(1, "x");
  on.fill(x, value);
  return x.of().text(0);
}

TEST(text_of_elements, is_that_of_their_type_and_bytes_are_numbers)
{
  EXPECT_EQ(text(42), "42");
  EXPECT_EQ(text(std::int8_t{65}), "65");
  EXPECT_EQ(text('A'), "65");
  EXPECT_EQ(text(static_cast<unsigned char>(200)), "200");
  EXPECT_EQ(text(true), "1");
  EXPECT_EQ(text(1.5), "1.5");
  EXPECT_EQ(text(std::string("abc")), "abc");
  EXPECT_EQ(text(shown{3}), "<3>");
  EXPECT_EQ(text(small{}), "a");
  EXPECT_EQ(text(point{3}), "?");
}

TEST(elements, of_any_type)
{
  machine on;
  auto const flags = on.allocate<bool>(3, "flags");
  auto const points = on.input(std::vector<point>{{1}, {2}}, "points");
  run_alone(on, [&](block const&) {
    flags[0] = true;
    flags[1] = flags[0];
    points[1] = points[0];
  });
  EXPECT_EQ(on.values(flags), (std::vector<bool>{true, true, false}));
  EXPECT_FALSE(flags.of().is_set(2));
  EXPECT_EQ(on.values(points), (std::vector<point>{{1}, {1}}));
  EXPECT_TRUE(on.counts().clean());
}

TEST(operators, are_watched_with_what_they_say_of_themselves)
{
  machine on;
  auto const sum = on.watch<int>(plus{});
  EXPECT_TRUE((commutative<decltype(sum), traced<int>>));
  EXPECT_TRUE((exactly_associative<decltype(sum), traced<int>>));
  EXPECT_EQ(identity_of<traced<int>>(sum).value, 0);
  EXPECT_EQ(identity_of<traced<int>>(on.watch<int>(multiplies{})).value, 1);
  auto const last = on.watch<int>([](int, int b) { return b; });
  EXPECT_FALSE((commutative<decltype(last), traced<int>>));
  EXPECT_FALSE((has_identity<decltype(last), traced<int>>));
}

TEST(operators, keep_their_operands_apart)
{
  machine on;
  auto const less = on.watch<int>([](int a, int b) { return a - b; });
  auto const x = on.input(std::vector<int>{10, 3, 1}, "x");
  run_alone(on, [&](block const&) { x[0] = less(less(x[0], x[1]), less(x[1], x[2])); });
  EXPECT_EQ(on.values(x)[0], 5);
  ASSERT_EQ(on.operations().work(), 3u);
  EXPECT_EQ(on.operations()[2].left, on.operations()[2].right == 0 ? 1 : 0);
  EXPECT_EQ(on.operations().depth(), 2u);
}

// Calls of an observer.

struct watcher : observer {
  void see(machine const& on, phase const& ended) override
  {
    std::ostringstream out;
    out << ended.kernel << " " << ended.launch << "." << ended.block << "." << ended.number << " after "
        << ended.barriers << (ended.barrier ? " |" : "");
    for (event const& e : ended.events) {
      out << " " << e.thread << "rwauas"[static_cast<int>(e.what)];
      if (e.array >= 0) out << on.arrays()[static_cast<std::size_t>(e.array)]->name() << e.index;
    }
    seen.push_back(out.str());
    line = on.place_of(ended.where).line;
  }
  std::vector<std::string> seen;
  std::uint32_t line = 0;
};

TEST(observer, sees_every_phase_thread_by_thread)
{
  machine on;
  watcher who;
  on.watch_with(&who);
  auto const op = on.watch<int>(plus{});
  auto const x = on.input(std::vector<int>{1, 2}, "x");
  auto const kernel = [&](block const& b) {
    auto own = b.registers<traced<int>>();
    b.each([&](int t) { own[t] = x[t]; });
    auto const other = b.shuffle_xor(own, 1);
    b.step([&](int t) { x[t] = op(own[t], other[t]); });  // the last
  };
  on.launch(1, 2, kernel_of{kernel});
  EXPECT_EQ(who.seen, (std::vector<std::string>{"kernel 0.0.0 after 0 0rx0 1rx1", "kernel 0.0.1 after 0 0a 1a",
                                                "kernel 0.0.2 after 0 | 0u 0wx0 1u 1wx1"}));
  EXPECT_EQ(who.line, line_marked("the last"));
  on.watch_with(nullptr);
  on.launch(2, 2, kernel_of{kernel});
  EXPECT_EQ(who.seen.size(), 3u);
}

}  // namespace
}  // namespace tally::model
