// Arbitrary names: a typed one, a newline, and one that a symbol table may hold.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "symbols/demangle.h"
#include "symbols/pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dbtrace::symbols;
  std::string_view raw(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(raw.find('\n'), raw.size());
  const std::string_view typed = raw.substr(0, end);
  raw.remove_prefix(std::min(end + 1, raw.size()));
  (void)clone_suffix(raw);
  (void)parse_function_name(raw);
  if (const auto name = demangle(raw)) (void)parse_function_name(*name);
  const auto pattern = Pattern::parse(typed);
  size_t cost = 0;
  if (pattern) (void)pattern->matches(raw, cost);
  return 0;
}
