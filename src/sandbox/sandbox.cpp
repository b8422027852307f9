#include "src/sandbox/sandbox.h"

#include <sys/prctl.h>

#include <cstdlib>
#include <string_view>

#include "src/sandbox/call_filter.h"
#include "src/sandbox/capabilities.h"

namespace dbtrace::sandbox {

Result<void> enter(const Needs& needs) {
  const char* set = ::secure_getenv("DBTRACE_SANDBOX");
  const std::string_view mode = set ? set : "";
  if (mode == "off") return {};
  auto kept = keep_capabilities(needed_capabilities(needs, permitted_capabilities()));
  (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  auto filtered =
      filter_calls(allowed_calls(needs), mode == "strict" ? Refusal::Kill : Refusal::Error);
  if (mode != "" && mode != "strict")
    return fail("DBTRACE_SANDBOX has a value that means nothing", "there are strict and off");
  return kept ? filtered : kept;
}

}  // namespace dbtrace::sandbox
