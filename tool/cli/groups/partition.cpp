#include "groups/partition.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tally::cli {

namespace {

/// A part as it waits in a file. Its key follows, and of each column a `waiting_values` and the values.
struct waiting_part {
  std::uint64_t first_row;
  std::uint32_t hash;
  std::uint32_t key_bytes;
};
struct waiting_values {
  io::element_type type;
  std::uint32_t count;
};

void put_head(spilled_records& to, std::string_view key, std::uint32_t hash, std::uint64_t first_row)
{
  to.put(waiting_part{first_row, hash, static_cast<std::uint32_t>(key.size())});
  to.put_bytes(key.data(), key.size());
}

void put_values(spilled_records& to, io::values_view const& values)
{
  std::visit(
      [&](auto all) {
        to.put(waiting_values{io::type_of(values), static_cast<std::uint32_t>(all.size())});
        to.put_bytes(all.data(), all.size_bytes());
      },
      values);
}

}  // namespace

std::optional<failed_value> partition::take(kept_batch const& batch, std::size_t number, group_states const& states,
                                            admission admitted, io::piece_file* file)
{
  std::uint32_t const begin = batch.begin(number);
  std::span<kept_batch::part const> const parts = batch.parts().subspan(begin, batch.end(number) - begin);
  groups_.resize(parts.size());
  // Three accesses to memory follow each other for a key: to the table, to the record, and to the key there. Loops over
  // all parts for each of them let the processor wait for many at once.
  for (kept_batch::part const& part : parts) records.prefetch(part.hash);
  for (std::size_t k = 0; k < parts.size(); ++k) groups_[k] = records.candidate(parts[k].hash);
  for (std::uint32_t const group : groups_)
    if (group != group_records::none) records.prefetch_key(group);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    kept_batch::part const& part = parts[k];
    std::string_view const key = batch.key(part);
    std::uint32_t& group = groups_[k];
    if (admitted == admission::none)
      group = group_records::none;
    else if (group == group_records::none || records.key(group) != key)
      group = records.find(key, part.hash);
    if (group != group_records::none) continue;
    std::uint64_t const first_row = batch.first_row() + part.first_row;
    if (admitted == admission::all) {
      group = records.add(key, part.hash, first_row);
      continue;
    }
    put_head(waiting, key, part.hash, first_row);
    for (std::size_t c = 0; c < batch.columns(); ++c) {
      auto const at = static_cast<std::uint32_t>(begin + k);
      std::uint32_t const first = batch.values_begin(c, at);
      put_values(waiting, io::slice(batch.values(c), first, batch.values_end(c, at) - first));
    }
    waiting.end_record(*file);
  }

  std::optional<failed_value> failed;
  for (std::size_t c = 0; c < batch.columns(); ++c) {
    std::visit(
        [&]<class T>(std::span<T const> all) {
          for (std::size_t k = 0; k < parts.size(); ++k) {
            if (groups_[k] == group_records::none) continue;
            auto const at = static_cast<std::uint32_t>(begin + k);
            std::uint32_t const first = batch.values_begin(c, at);
            std::span<T const> const values = all.subspan(first, batch.values_end(c, at) - first);
            if (values.empty()) continue;
            try {
              states.add(c, records.state(groups_[k]), values, memory);
            } catch (value_problem const& problem) {
              failed_value const here = {batch.row_of(c, first + problem.index()), c, problem};
              if (!failed || here.stands_before(*failed)) failed.emplace(here);
            }
          }
        },
        batch.values(c));
  }
  return failed;
}

void partition::replay(spilled_records& from, group_states const& states, std::size_t most_bytes, io::piece_file& file)
{
  std::string piece;
  value_buffer values;
  bool is_full = false;
  while (from.next(file, piece)) {
    is_full = is_full || records.bytes() + memory.bytes() > most_bytes;
    for (record_reader rows(piece); !rows.empty();) {
      auto const part = rows.take<waiting_part>();
      std::string_view const key = rows.take_bytes(part.key_bytes);
      std::uint32_t group = records.find(key, part.hash);
      bool const waits = group == group_records::none && is_full && records.size() > 0;
      if (waits) put_head(waiting, key, part.hash, part.first_row);
      if (group == group_records::none && !waits) group = records.add(key, part.hash, part.first_row);
      for (std::size_t c = 0; c < states.columns(); ++c) {
        auto const head = rows.take<waiting_values>();
        void* const to = values.resize(head.type, head.count);
        std::size_t const bytes = head.count * io::byte_size(head.type);
        std::memcpy(to, rows.take_bytes(bytes).data(), bytes);
        if (waits) {
          put_values(waiting, values.view());
          continue;
        }
        try {
          std::visit([&](auto all) { states.add(c, records.state(group), all, memory); }, values.view());
        } catch (value_problem const& problem) {
          throw refused_value{std::string(key), part.first_row, c, problem};
        }
      }
      if (waits) waiting.end_record(file);
    }
  }
}

}  // namespace tally::cli
