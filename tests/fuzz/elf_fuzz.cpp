// Feeds arbitrary bytes to the ELF reader and the demangler. Start it with the
// unit tests' fixtures as corpus; a crash found becomes a case in hostile_test.cpp.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "symbols/demangle.h"
#include "symbols/unique.h"
#include "tests/unit/symbols/exercise.h"

namespace {

void exercise_elf(const uint8_t* data, size_t size) {
  static const dbtrace::UniqueFd file(::memfd_create("elf", MFD_CLOEXEC));
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0) std::abort();
  if (::pwrite(file.get(), data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  dbtrace::symbols::test::exercise(fmt::format("/proc/self/fd/{}", file.get()));
}

void exercise_names(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)dbtrace::symbols::parse_function_name(text);
  if (const auto name = dbtrace::symbols::demangle(text)) {
    (void)dbtrace::symbols::parse_function_name(*name);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  exercise_elf(data, size);
  exercise_names(data, size);
  return 0;
}
