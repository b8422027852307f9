// Arbitrary text in place of /proc/kallsyms.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "symbols/kernel_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto symbols =
      dbtrace::symbols::KernelSymbols::parse({reinterpret_cast<const char*>(data), size});
  if (!symbols) return 0;
  for (uint64_t address = 0; address < 256; ++address) {
    const auto hit = symbols->find(address);
    if (hit && (hit->offset > address || hit->raw.empty() || hit->module.empty())) std::abort();
  }
  (void)symbols->find(UINT64_MAX);
  return 0;
}
