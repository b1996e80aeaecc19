#include "draw/html.hpp"

#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "textbook/catalogue.hpp"

namespace {

using tally::draw::draw_html;
using tally::draw::played;

/// The content of a script element of the page.
std::string data(std::string const& page, std::string const& id)
{
  std::string const begin = "<script type=\"application/json\" id=\"" + id + "\">";
  std::size_t const at = page.find(begin);
  EXPECT_NE(at, std::string::npos) << id;
  std::size_t const from = at + begin.size();
  return page.substr(from, page.find("</script", from) - from);
}

std::size_t count(std::string const& text, std::string const& what)
{
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

std::string const hostile = "</script><script>alert(1)</script><!-- \"&amp;' @run@ @title@ \\ \xE2\x80\xA8";

TEST(html, data_parse_back)
{
  std::string const run = R"({"name":"blelloch","values":["3","1 < 2",null],"n":3})";
  std::string const text = "// a < b && \"c\" \\ \t @run@\n#pragma once\n";
  std::string const page = draw_html({"Blelloch scan", run, {{"blelloch.hpp", text}, {"exhibits/x.hpp", ""}}});
  EXPECT_EQ(nlohmann::json::parse(data(page, "run")), nlohmann::json::parse(run));
  auto const sources = nlohmann::json::parse(data(page, "sources"));
  EXPECT_EQ(sources.at("blelloch.hpp"), text);
  EXPECT_EQ(sources.at("exhibits/x.hpp"), "");
  EXPECT_EQ(sources.size(), 2U);
}

TEST(html, no_text_becomes_markup)
{
  std::string const plain = draw_html({"a", "{}", {}});
  nlohmann::json const run = {{"name", hostile}, {hostile, 1}};
  std::string const page = draw_html({hostile, run.dump(), {{hostile, hostile}}});
  EXPECT_EQ(count(page, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(page, "</script"), count(plain, "</script"));
  EXPECT_EQ(count(page, "<!--"), count(plain, "<!--"));
  EXPECT_EQ(nlohmann::json::parse(data(page, "run")), run);
  EXPECT_EQ(nlohmann::json::parse(data(page, "sources")).at(hostile), hostile);
  EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_EQ(page.find("alert(1)</script"), std::string::npos);
}

TEST(html, every_mark_is_filled)
{
  std::string const page = draw_html({"Title 1729", "[\"run 1729\"]", {}});
  EXPECT_FALSE(std::regex_search(page, std::regex("@(title|run|sources|style|script)@")));
  EXPECT_EQ(count(page, "Title 1729"), 2U);
  EXPECT_EQ(count(page, "run 1729"), 1U);
}

/// The page stands alone: it loads nothing, and its policy would refuse to.
TEST(html, asks_nothing_of_a_network)
{
  std::string page = draw_html({"a", "{}", {}});
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  page = std::regex_replace(page, std::regex("http://www\\.w3\\.org/2000/svg"), "");
  for (std::string const forbidden : {"http:", "https:", "//www", " src=", " href=", "url(", "@import", "import(",
                                      "fetch(", "XMLHttpRequest", "WebSocket", "innerHTML", "eval("})
    EXPECT_EQ(page.find(forbidden), std::string::npos) << forbidden;
}

TEST(html, has_the_headers_that_the_run_went_through)
{
  using namespace tally;
  draw::recording run;
  model::machine on;
  on.watch_with(&run);
  textbook::run(*textbook::find_kernel("hillis-steele"), on, std::vector{3, 1, 7, 0, 4, 1, 6, 3});
  std::vector<std::string> names;
  for (textbook::source const& each : draw::sources_of(run)) {
    names.emplace_back(each.header);
    EXPECT_EQ(each.text, textbook::source_of(each.header));
    EXPECT_NE(each.text.find("#pragma once"), std::string_view::npos) << each.header;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"transfer.hpp", "hillis_steele.hpp"}));
}

}  // namespace
