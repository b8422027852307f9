#include "tests/runtime/built_files.h"

namespace dbtrace::testing {

const char* const kDbtrace = DBTRACE_BINARY;
const char* const kStubServers = STUB_SERVERS;

}  // namespace dbtrace::testing
