#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/output.hpp"
#include "io/writer.hpp"
#include "operation.hpp"
#include "values.hpp"

namespace tally::cli {

/// A JSON string, quoted. Bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// A JSON number in full; "nan", "inf" or "-inf" as a string where there is no number.
std::string json_value(result const& value);

/// {"op":"sum","values":[1,3,6]} as it arrives.
std::unique_ptr<io::writer> write_json_values(io::output to, operation op);

}  // namespace tally::cli
