// Statements, and what stands beside a comment that tells a trace.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "src/sql/trace_parent.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using dbtrace::sql::trace_parent_of;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto parent = trace_parent_of(text);
  // Whoever tells a trace names it.
  if (parent && text.find("traceparent") == text.npos) std::abort();

  // What stands before it cannot take its place.
  const auto last = trace_parent_of(
      text + "/*traceparent='00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'*/");
  if (!last || last->trace[0] != 0x4b || last->span[1] != 0xf0 || last->flags != 1) std::abort();
  return 0;
}
