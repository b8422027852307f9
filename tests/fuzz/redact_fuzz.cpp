// Arbitrary statements; the first byte chooses where in them a statement with a password begins.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "src/output/redact.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using dbtrace::output::kRedacted;
  if (size < 1) return 0;
  const std::string_view typed(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string out;
  if (dbtrace::output::redact(typed, out) && out.find(kRedacted) == out.npos) std::abort();

  // What comes behind cannot bring it to light.
  constexpr std::string_view kSecret = "s3cr3t";
  const std::string_view behind = typed.substr(typed.size() * data[0] / 256);
  if (behind.find(kSecret) != behind.npos) return 0;
  for (const char* before :
       {"create user u identified by '", "SET PASSWORD = '", "alter role r password '"}) {
    const std::string text = before + std::string(kSecret) + "'" + std::string(behind);
    if (!dbtrace::output::redact(text, out) || out.find(kSecret) != out.npos) std::abort();
  }
  return 0;
}
