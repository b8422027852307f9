#include "profiles/postgres/libpq.h"

#include "symbols/library.h"

namespace dbtrace::profiles::postgres {
namespace {

Result<Libpq> load_all() {
  const auto library = Library::load("libpq.so.5", "libpq5");
  if (!library) return tl::unexpected(library.error());
  Libpq functions;
  bool all = true;
#define DBTRACE_FIND(name) all &= library->find(#name, functions.name);
  DBTRACE_LIBPQ_FUNCTIONS(DBTRACE_FIND)
#undef DBTRACE_FIND
  if (!all) return fail("libpq.so.5 lacks functions that a client needs");
  return functions;
}

}  // namespace

Result<const Libpq*> Libpq::load() {
  static const Result<Libpq> loaded = load_all();
  if (!loaded) return tl::unexpected(loaded.error());
  return &*loaded;
}

}  // namespace dbtrace::profiles::postgres
