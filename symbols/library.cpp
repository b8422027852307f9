#include "symbols/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

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
