#include "src/c/failure.hpp"

#include <cstdio>
#include <exception>
#include <new>

#include "tally/rank_error.hpp"

namespace tally::c {

namespace {

/// It has no destructor, so that a thread may end after the library has been unloaded.
thread_local char last_message[1024] = "";
thread_local std::int32_t last_failed_rank = -1;

void keep(char const* call, char const* message) noexcept
{
  // Messages of the C++ library begin with its own name.
  std::string_view text = message;
  if (text.starts_with("tally: ")) text.remove_prefix(7);
  bool const named = text.starts_with(call);
  std::snprintf(last_message, sizeof last_message, "%s%s%.*s", named ? "" : call, named ? "" : ": ",
                static_cast<int>(text.size()), text.data());
}

}  // namespace

std::int32_t code_of_current_exception(char const* call) noexcept
{
  try {
    throw;
  } catch (rank_error const& e) {
    keep(call, e.what());
    last_failed_rank = e.rank();
    return TALLY_RANK_FAILED;
  } catch (usage_error const& e) {
    keep(call, e.what());
    return TALLY_WRONG_ARGUMENT;
  } catch (not_supported const& e) {
    keep(call, e.what());
    return TALLY_NOT_SUPPORTED;
  } catch (std::bad_alloc const&) {
    keep(call, "not enough memory");
    return TALLY_NO_MEMORY;
  } catch (std::exception const& e) {
    keep(call, e.what());
    return TALLY_FAILED;
  } catch (...) {
    keep(call, "an exception of an unknown type");
    return TALLY_FAILED;
  }
}

}  // namespace tally::c

extern "C" char const* tally_last_message(void)
{
  return tally::c::last_message;
}

extern "C" std::int32_t tally_last_failed_rank(void)
{
  return tally::c::last_failed_rank;
}
