#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

#include "imports.hpp"

/// Exceptions of the module. Debian's C++ library for WebAssembly has none. A throw ends the call of the page with the
/// exception's text, and the page takes a new instance of the module; no catch of the module is ever entered.
extern "C" {

void* __cxa_allocate_exception(std::size_t size)
{
  return std::malloc(size);
}

void __cxa_free_exception(void* of)
{
  std::free(of);
}

/// Every exception that the machine throws is a `std::exception`, its first base.
void __cxa_throw(void* thrown, std::type_info*, void (*)(void*))
{
  char const* const text = static_cast<std::exception const*>(thrown)->what();
  page_failed(text, static_cast<unsigned>(std::strlen(text)));
}

void __cxa_rethrow()
{
  std::abort();
}

void* __cxa_begin_catch(void* of)
{
  return of;
}

void __cxa_end_catch() {}
}
