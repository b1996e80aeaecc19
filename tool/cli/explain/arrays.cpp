#include "explain/arrays.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace tally::cli {

namespace {

constexpr std::size_t most_lines = 6, most_blocks = 4;

/// "x", or "x of 1" for block 1.
std::string name_of(draw::array const& of, bool of_several_blocks)
{
  bool const says_block = of.space == model::memory::shared && of_several_blocks;
  return says_block ? fmt::format("{} of {}", of.name, of.block) : of.name;
}

}  // namespace

shown_arrays::shown_arrays(draw::recording const& run, terminal const& to) : run_(run), to_(to)
{
  auto const make_room = [&](std::string const& text) { widest_ = std::max(widest_, text.size()); };
  for (auto const& [number, each] : run.arrays()) {
    std::for_each(each.before.begin(), each.before.end(), make_room);
    label_ = std::max(label_, name_of(each, each.block > 0).size());
  }
  for (draw::phase const& each : run.phases()) {
    for (draw::change const& one : each.changes) make_room(one.text);
    for (draw::act const& one : each.acts)
      if (one.what == model::action::apply && each.counts.steps == 1) make_room(run.text_of(one.value));
  }
}

shown_arrays::texts const& shown_arrays::texts_of(int array) const
{
  auto const found = now_.find(array);
  return found == now_.end() ? run_.array_of(array).before : found->second;
}

std::string shown_arrays::after(stage const& of, shown which)
{
  std::map<int, std::vector<bool>> marked;
  for (std::size_t const p : of.phases)
    for (draw::change const& each : run_.phases()[p].changes) {
      texts& elements = now_.try_emplace(each.array, run_.array_of(each.array).before).first->second;
      elements[static_cast<std::size_t>(each.index)] = each.text;
      std::vector<bool>& marks = marked[each.array];
      marks.resize(elements.size());
      marks[static_cast<std::size_t>(each.index)] = true;
    }
  if (which == shown::none) return {};
  std::string out;
  std::map<std::string, std::size_t> blocks;  // in which the name occurs
  for (auto const& [number, marks] : marked) {
    draw::array const& array = run_.array_of(number);
    if (which == shown::global && array.space != model::memory::global) continue;
    if (++blocks[array.name] > most_blocks) continue;
    out += lines(name_of(array, of.blocks > 1), texts_of(number), marks);
  }
  for (auto const& [name, count] : blocks)
    if (count > most_blocks) out += fmt::format("{:{}}{}: {} more blocks\n", "", gutter, name, count - most_blocks);
  return out + registers(of);
}

/// Results in registers, one for each thread.
std::string shown_arrays::registers(stage const& of) const
{
  std::string out;
  for (std::size_t const p : of.phases) {
    draw::phase const& phase = run_.phases()[p];
    if (phase.by_host()) continue;
    texts kept(static_cast<std::size_t>(phase.threads));
    bool any = false;
    for (draw::act const& one : phase.acts) {
      bool const is_kept =
          one.what == model::action::apply && one.at.array == draw::element::registers && phase.counts.steps == 1;
      if (is_kept) kept[static_cast<std::size_t>(one.thread)] = run_.text_of(one.value);
      any |= is_kept;
    }
    if (!any || static_cast<std::size_t>(phase.block) >= most_blocks) continue;
    std::vector<bool> marks;
    for (std::string const& each : kept) marks.push_back(!each.empty());
    out += lines(of.blocks > 1 ? fmt::format("t of {}", phase.block) : "t", kept, marks);
  }
  return out;
}

std::string shown_arrays::lines(std::string const& name, texts const& elements, std::vector<bool> const& marked) const
{
  std::size_t size = elements.size();
  while (size > 0 && elements[size - 1].empty()) --size;
  std::size_t const cell = widest_ + 2;
  std::size_t per_line = std::max<std::size_t>(1, (to_.width - label_ - 2) / cell);
  if (per_line < size) per_line = std::bit_floor(per_line);  // so that trees stand below each other
  std::size_t const count = (size + per_line - 1) / per_line;
  std::string out;
  for (std::size_t line = 0; line < count; ++line) {
    if (count > most_lines && line == most_lines - 2) {
      out += fmt::format("{:{}}... {} more\n", "", gutter, (count - most_lines + 1) * per_line);
      line = count - 1;
    }
    std::size_t const begin = line * per_line;
    out += fmt::format("{:<{}}", begin == 0 ? name : fmt::format("  [{}]", begin), label_);
    for (std::size_t k = begin; k < std::min(size, begin + per_line); ++k) {
      std::string const text = elements[k].empty() ? "." : elements[k];
      bool const mark = k < marked.size() && marked[k];
      out.append(cell - text.size() - 1, ' ');
      out += mark && !to_.colours ? "*" : " ";
      out += mark ? to_.changed(text) : text;
    }
    out += '\n';
  }
  return out;
}

}  // namespace tally::cli
