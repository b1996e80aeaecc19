#pragma once

#include <memory>
#include <optional>

#include "accumulators/accumulator.hpp"
#include "io/reader.hpp"
#include "settings/settings.hpp"

namespace tally::cli {

/// A scan of one column by one operation: one sequence, or one for each group.
class scanner {
public:
  virtual ~scanner() = default;
  scanner(scanner const&) = delete;
  scanner& operator=(scanner const&) = delete;

  /// Takes a batch before any is scanned, of operations whose first result needs all values.
  virtual void prepare(io::batch const& batch) = 0;
  /// The results of a batch of a single column, in the order of its values; valid until the next call. Throws
  /// `value_problem` with the index in the batch.
  virtual io::values_view scan(io::batch const& batch) = 0;

protected:
  scanner() = default;
};

/// Of values of `type`, or of text if there is none.
std::unique_ptr<scanner> make_scanner(command_settings const& settings, operation op,
                                      std::optional<io::element_type> type);

}  // namespace tally::cli
