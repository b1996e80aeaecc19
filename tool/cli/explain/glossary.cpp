#include "explain/glossary.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "output/json.hpp"
#include "textbook/glossary.hpp"

namespace tally::cli {

std::string glossary_text(terminal const& to)
{
  std::size_t widest = 0;
  for (textbook::glossary_part const& part : textbook::glossary())
    for (textbook::glossary_term const& term : part.terms) widest = std::max(widest, term.name.size());
  std::string out;
  for (textbook::glossary_part const& part : textbook::glossary()) {
    if (!out.empty()) out += '\n';
    out += to.bold(part.subject) + '\n';
    for (textbook::glossary_term const& term : part.terms)
      out += fmt::format("  {:<{}}  ", term.name, widest) + to.wrapped(term.meaning, widest + 4);
  }
  return out;
}

std::string glossary_json()
{
  json list = json::array();
  for (textbook::glossary_part const& part : textbook::glossary())
    for (textbook::glossary_term const& term : part.terms)
      list.append({{"term", term.name}, {"subject", part.subject}, {"meaning", term.meaning}});
  return list.line();
}

}  // namespace tally::cli
