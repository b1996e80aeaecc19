#pragma once

#include <cstdint>
#include <string>

#include "tally.h"
#include "tally/error.hpp"

/// Failures of the C interface: an exception inside, a code and the calling thread's message outside.
namespace tally::c {

/// A type, an operator or a device for which this library has no code.
class not_supported : public error {
public:
  using error::error;
};

/// Keeps the message for tally_last_message of this thread, and returns the code of the exception that is being
/// handled.
std::int32_t code_of_current_exception(char const* call) noexcept;

/// Runs the body of a function of the interface: no exception leaves it.
template <class Body>
std::int32_t guarded(char const* call, Body const& body) noexcept
{
  try {
    body();
    return TALLY_OK;
  } catch (...) {
    return code_of_current_exception(call);
  }
}

}  // namespace tally::c
