// Arbitrary text in place of /proc/PID/maps.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "symbols/process_maps.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t end = 0;
  for (const auto& mapping :
       dbtrace::symbols::parse_maps({reinterpret_cast<const char*>(data), size})) {
    if (mapping.start < end || mapping.end <= mapping.start) std::abort();
    end = mapping.end;
  }
  return 0;
}
