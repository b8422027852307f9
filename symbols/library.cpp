#include "symbols/library.h"

#include <fmt/format.h>

#ifdef DBTRACE_STATIC

namespace dbtrace {

Result<Library> Library::load(const char* file, const char*) {
  return fail(fmt::format("cannot load {}: this dbtrace is one static file, which loads none", file),
              "use a dbtrace that is built for this machine (cmake --preset default)");
}

void* Library::address(const char*) const { return nullptr; }

}  // namespace dbtrace

#else

#include <dlfcn.h>

namespace dbtrace {

Result<Library> Library::load(const char* file, const char* package) {
  void* handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return fail(fmt::format("cannot load {}", file),
                fmt::format("install it: it is in Debian's package {}", package));
  return Library(handle);
}

void* Library::address(const char* name) const { return ::dlsym(handle_, name); }

}  // namespace dbtrace

#endif
