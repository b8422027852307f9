// Capabilities that are given up for good.
#pragma once

#include <initializer_list>

#include "src/sandbox/needs.h"
#include "symbols/result.h"

namespace dbtrace::sandbox {

// A bit for each capability (linux/capability.h).
using CapabilitySet = unsigned long long;
[[nodiscard]] CapabilitySet set_of(std::initializer_list<int> capabilities);

// What a run with such needs keeps of the capabilities that it is permitted.
[[nodiscard]] CapabilitySet needed_capabilities(const Needs& needs, CapabilitySet permitted);

// Of the calling thread.
[[nodiscard]] CapabilitySet permitted_capabilities();

// Takes all others from the calling thread, and from the threads that it starts from now on.
// Other threads keep theirs.
[[nodiscard]] Result<void> keep_capabilities(CapabilitySet kept);

}  // namespace dbtrace::sandbox
