#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tally/model.hpp"

namespace tally::textbook {

/// How often each element of an array is written.
class write_counter : public model::observer {
public:
  write_counter(std::string array, int size) : times(static_cast<std::size_t>(size)), array_(std::move(array)) {}
  void see(model::machine const& on, model::phase const& ended) override
  {
    for (model::event const& e : ended.events)
      if (e.what == model::action::write && on.arrays()[static_cast<std::size_t>(e.array)]->name() == array_)
        ++times[static_cast<std::size_t>(e.index)];
  }
  std::vector<int> times;

private:
  std::string array_;
};

/// The set elements of x after each phase that writes to it, as text.
class stages : public model::observer {
public:
  void see(model::machine const& on, model::phase const& ended) override
  {
    for (model::event const& e : ended.events) {
      if (e.what != model::action::write) continue;
      model::array_base const& array = *on.arrays()[static_cast<std::size_t>(e.array)];
      if (array.name() != "x") continue;
      std::string text;
      for (std::size_t k = 0; k < array.size(); ++k)
        if (array.is_set(k)) text += (text.empty() ? "" : " ") + array.text(k);
      seen.push_back(text);
      return;
    }
  }
  std::vector<std::string> seen;
};

/// For each phase that applies the operator: the thread, the element, and the element that it takes in.
class index_table : public model::observer {
public:
  struct row {
    int thread, into, from;
    friend bool operator==(row const&, row const&) = default;
    friend std::ostream& operator<<(std::ostream& out, row const& r)
    {
      return out << r.thread << ": " << r.into << " <- " << r.from;
    }
  };
  void see(model::machine const&, model::phase const& ended) override
  {
    std::map<int, std::vector<int>> reads;
    std::vector<row> rows;
    bool applies = false;
    for (model::event const& e : ended.events) {
      applies = applies || e.what == model::action::apply;
      if (e.what == model::action::read) reads[e.thread].push_back(e.index);
      if (e.what != model::action::write) continue;
      for (int const from : reads[e.thread])
        if (from != e.index) rows.push_back({e.thread, e.index, from});
    }
    if (applies) steps.push_back(rows);
  }
  std::vector<std::vector<row>> steps;
};

}  // namespace tally::textbook
