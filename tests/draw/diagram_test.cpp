// The drawings: XML, everything on the page, no text over another.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "draw/diagram.hpp"
#include "draw/levels.hpp"
#include "runs.hpp"

namespace tally::test {
namespace {

struct tag {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // up to the next tag
};

/// The tags of a document; a failure if it is not XML.
std::vector<tag> parsed(std::string const& document)
{
  std::vector<tag> tags;
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = document.find('<', at)) != std::string::npos;) {
    std::size_t const end = document.find('>', at);
    if (end == std::string::npos) {
      ADD_FAILURE() << "a tag without an end";
      return {};
    }
    std::string inside = document.substr(at + 1, end - at - 1);
    at = end + 1;
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1)) {
        ADD_FAILURE() << "</" << inside << " closes nothing";
        return {};
      }
      open.pop_back();
      continue;
    }
    bool const closed = inside.ends_with('/');
    if (closed) inside.pop_back();
    tag one;
    std::size_t k = inside.find(' ');
    one.name = inside.substr(0, k);
    while (k != std::string::npos) {
      std::size_t const begin = inside.find_first_not_of(' ', k);
      if (begin == std::string::npos) break;
      std::size_t const equals = inside.find("=\"", begin), quote = inside.find('"', equals + 2);
      if (equals == std::string::npos || quote == std::string::npos) {
        ADD_FAILURE() << "<" << inside;
        return {};
      }
      bool const fresh =
          one.attributes.emplace(inside.substr(begin, equals - begin), inside.substr(equals + 2, quote - equals - 2))
              .second;
      EXPECT_TRUE(fresh) << "an attribute twice: " << inside;
      k = quote + 1;
    }
    one.text = document.substr(at, document.find('<', at) - at);
    for (std::size_t amp = 0; (amp = one.text.find('&', amp)) != std::string::npos; ++amp)
      EXPECT_TRUE(one.text.compare(amp, 4, "&lt;") == 0 || one.text.compare(amp, 5, "&amp;") == 0) << one.text;
    if (!closed) open.push_back(one.name);
    tags.push_back(std::move(one));
  }
  EXPECT_TRUE(open.empty());
  return tags;
}

struct box {
  double left, top, right, bottom;
  std::string what;
};

bool overlap(box const& a, box const& b)
{
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

double number(tag const& of, char const* name)
{
  auto const found = of.attributes.find(name);
  return found == of.attributes.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

/// The width of a text in a monospaced font, whose letters are at most 0.61 as wide as they are high.
box box_of_text(tag const& of)
{
  std::string plain;
  for (std::size_t k = 0; k < of.text.size(); ++k) {
    plain += of.text[k];
    if (of.text[k] == '&') k = of.text.find(';', k);
  }
  double const size = number(of, "font-size"), width = 0.61 * size * static_cast<double>(plain.size());
  double x = number(of, "x");
  double const y = number(of, "y");
  if (of.attributes.at("text-anchor") == "middle") x -= width / 2;
  return {x, y - 0.75 * size, x + width, y + 0.1 * size, of.text};
}

void check_drawing(std::string const& document)
{
  std::vector<tag> const tags = parsed(document);
  ASSERT_FALSE(tags.empty());
  ASSERT_EQ(tags.front().name, "svg");
  double const width = number(tags.front(), "width"), height = number(tags.front(), "height");
  EXPECT_EQ(tags.front().attributes.at("viewBox"),
            "0 0 " + tags.front().attributes.at("width") + " " + tags.front().attributes.at("height"));
  std::vector<box> texts, nodes;
  for (tag const& each : tags) {
    if (each.name == "rect") {
      box const one = {number(each, "x"), number(each, "y"), number(each, "x") + number(each, "width"),
                       number(each, "y") + number(each, "height"), each.attributes.at("class")};
      EXPECT_TRUE(one.left >= 0 && one.top >= 0 && one.right <= width && one.bottom <= height) << one.what;
      if (one.what.starts_with("node")) nodes.push_back(one);
    } else if (each.name == "text") {
      texts.push_back(box_of_text(each));
      box const& one = texts.back();
      EXPECT_TRUE(one.left >= 0 && one.top >= 0 && one.right <= width && one.bottom <= height) << one.what;
    } else if (each.name == "path") {
      std::string const d = each.attributes.at("d");
      for (char const* at = d.c_str(); *at != '\0';) {
        char* end = nullptr;
        double const value = std::strtod(at, &end);
        EXPECT_TRUE(end == at || (value >= 0 && value <= std::max(width, height))) << d;
        at = end == at ? at + 1 : end;
      }
    }
  }
  for (std::size_t a = 0; a < texts.size(); ++a) {
    for (std::size_t b = a + 1; b < texts.size(); ++b)
      EXPECT_FALSE(overlap(texts[a], texts[b])) << texts[a].what << " and " << texts[b].what;
    for (box const& node : nodes)
      if (overlap(texts[a], node)) {
        EXPECT_TRUE(texts[a].left >= node.left && texts[a].right <= node.right) << texts[a].what << " in " << node.what;
      }
  }
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = a + 1; b < nodes.size(); ++b) EXPECT_FALSE(overlap(nodes[a], nodes[b]));
}

void check_drawing(textbook::kernel_entry const& kernel, textbook::values const& in)
{
  SCOPED_TRACE(std::string(kernel.name) + ", " + std::to_string(texts_of(in).size()) + " elements");
  recorded const kept = record(kernel, in);
  check_drawing(draw::svg(draw::circuit_of(kept.run), {std::string(kernel.title), "a < b & c"}));
}

TEST(diagram, of_every_kernel_is_xml_with_everything_on_the_page_and_no_text_over_another)
{
  for (textbook::blocks const size : {textbook::blocks::full, textbook::blocks::small})
    for (textbook::kernel_entry const& kernel : textbook::catalogue(size))
      for (int const n : {1, 2, 5, 8, 16, 33, 64}) {
        if (n == 64 && kernel.name == "one-thread-per-output") continue;  // 2000 nodes: their pairs take long
        if (size == textbook::blocks::full || kernel.threads > 0) check_drawing(kernel, taken_by(kernel, one_to(n)));
      }
}

TEST(diagram, makes_room_for_long_values)
{
  for (char const* name : {"hillis-steele", "blelloch", "brent-kung-exclusive", "tree-reduction"}) {
    textbook::kernel_entry const& kernel = *textbook::find_kernel(name);
    check_drawing(kernel, std::vector<int>(16, 134217727));
    check_drawing(kernel, std::vector<float>{0.1F, 1e-20F, 123456.7F, 1.0F / 3, 3e38F, -0.0F, 7, 8});
    if (!kernel.needs_commutative) check_drawing(kernel, alphabet(32));
  }
}

TEST(diagram, is_drawn_in_two_levels_of_detail_where_it_is_wide)
{
  for (int const n : {65, 100, 128, 256}) {
    recorded const kept = record("brent-kung", one_to(n));
    std::string const drawing = draw::svg(draw::circuit_of(kept.run), {"Wide"});
    check_drawing(drawing);
    EXPECT_NE(drawing.find(">Elements 0 to 31<"), std::string::npos);
    EXPECT_NE(drawing.find(">528<"), std::string::npos) << "1 + 2 .. + 32";
    EXPECT_EQ(drawing.find(">561<"), std::string::npos) << "1 + 2 .. + 33";
  }
}

TEST(diagram, of_every_kernel_is_of_bounded_size)
{
  for (textbook::kernel_entry const& kernel : textbook::catalogue()) {
    if (kernel.name == "one-thread-per-output") continue;  // half a million operations
    recorded const kept = record(kernel, taken_by(kernel, one_to(1024)));
    std::string const drawing = draw::svg(draw::circuit_of(kept.run), {"Wide"});
    EXPECT_LT(drawing.size(), 600'000u) << kernel.name;
  }
}

draw::circuit::node const& at(draw::circuit const& of, int row, int column)
{
  auto const found = std::find_if(of.nodes.begin(), of.nodes.end(), [&](draw::circuit::node const& each) {
    return each.row == row && each.column == column;
  });
  EXPECT_NE(found, of.nodes.end()) << row << ", " << column;
  return *found;
}

TEST(levels, coarse_columns_count_what_comes_together)
{
  recorded const kept = record("hillis-steele", one_to(8));
  draw::circuit const fine = draw::circuit_of(kept.run), all = draw::coarse(fine, 4);
  EXPECT_EQ(all.columns, 2);
  EXPECT_EQ(all.rows.size(), fine.rows.size());
  EXPECT_EQ(at(all, 0, 0).text, "4") << "inputs";
  EXPECT_EQ(at(all, 1, 0).text, "3") << "stride 1: all but the first";
  EXPECT_EQ(at(all, 1, 1).text, "4");
  EXPECT_EQ(at(all, 2, 0).text, "2");
  EXPECT_EQ(all.nodes.size(), 7u) << "stride 4 has none in the first column";
  std::size_t across = 0;
  for (draw::circuit::arrow const& each : all.arrows)
    across +=
        all.nodes[static_cast<std::size_t>(each.from)].column != all.nodes[static_cast<std::size_t>(each.to)].column;
  EXPECT_GE(across, 3u) << "each stride leads across";
}

TEST(levels, first_columns_have_the_rows_and_arrows_between_them)
{
  recorded const kept = record("hillis-steele", one_to(8));
  draw::circuit const fine = draw::circuit_of(kept.run), some = draw::first_columns(fine, 2);
  EXPECT_EQ(some.columns, 2);
  EXPECT_EQ(some.rows.size(), 2u) << "inputs, and stride 1";
  EXPECT_EQ(some.nodes.size(), 3u);
  EXPECT_EQ(some.arrows.size(), 2u);
  EXPECT_EQ(some.result, (std::vector<std::string>{"1", "3"}));
}

TEST(diagram, follows_the_readers_choice_of_light_and_dark_and_loads_nothing)
{
  recorded const kept = record("blelloch", one_to(8));
  std::string const drawing = draw::svg(draw::circuit_of(kept.run), {"Blelloch"});
  EXPECT_NE(drawing.find("@media (prefers-color-scheme: dark)"), std::string::npos);
  EXPECT_NE(drawing.find("<rect class=\"page\""), std::string::npos);
  for (char const* foreign : {"href", "url(", "@import", "<script", "<image"})
    EXPECT_EQ(drawing.find(foreign), std::string::npos) << foreign;
  for (char const* used : {"node input", "node combined", "node moved", "node constant", ">identity<", ">step 6<"})
    EXPECT_NE(drawing.find(used), std::string::npos) << used;
}

}  // namespace
}  // namespace tally::test
