// Arbitrary text in place of /tmp/perf-PID.map.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "symbols/perf_map.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto map = dbtrace::symbols::parse_perf_map({reinterpret_cast<const char*>(data), size});
  if (!map) return 0;
  for (uint64_t address = 0; address < 256; ++address) {
    const auto hit = map->find(address);
    if (hit && (hit->start > address || hit->raw.empty())) std::abort();
  }
  (void)map->find(UINT64_MAX);
  return 0;
}
