// Where this build has what the tests run. Paths are in this one file, so that all others
// compile to the same in every folder.
#pragma once

namespace dbtrace::testing {

extern const char* const kDbtrace;      // the executable
extern const char* const kStubServers;  // the folder of fixtures/servers, built

}  // namespace dbtrace::testing
