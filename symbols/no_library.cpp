// What a static program has in place of library.cpp: it can load nothing.
#include <fmt/format.h>

#include "symbols/library.h"

namespace dbtrace {

Result<Library> Library::load(const char* file, const char*) {
  return fail(
      fmt::format("cannot load {}: this dbtrace is one static file, which loads none", file),
      "use one that is built for this machine, by ./demo.sh or cmake --preset default");
}

void* Library::address(const char*) const { return nullptr; }

}  // namespace dbtrace
