// Which capabilities a run keeps, and that the others are gone.
#include "src/sandbox/capabilities.h"

#include <gtest/gtest.h>
#include <linux/capability.h>

#include <thread>

namespace dbtrace::sandbox {
namespace {

constexpr CapabilitySet kAll = ~CapabilitySet{0};

TEST(NeededCapabilities, AreNextToNoneWhereNothingMoreIsAskedFor) {
  EXPECT_EQ(needed_capabilities({}, kAll), set_of({CAP_BPF}));
}

TEST(NeededCapabilities, AreThoseOfWhatTheRunDoes) {
  EXPECT_EQ(needed_capabilities({.memory = true}, kAll), set_of({CAP_BPF, CAP_SYS_PTRACE}));
  EXPECT_EQ(needed_capabilities({.new_files = true}, kAll), set_of({CAP_BPF, CAP_DAC_OVERRIDE}));
  EXPECT_EQ(needed_capabilities({.probes = true}, kAll),
            set_of({CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH}));
}

TEST(NeededCapabilities, OfPerfEventsAreNeededForNewProbesOnly) {
  EXPECT_FALSE(needed_capabilities({.perf_events = true}, kAll) & set_of({CAP_SYS_ADMIN}));
  EXPECT_TRUE(needed_capabilities({.probes = true, .perf_events = true}, kAll) &
              set_of({CAP_SYS_ADMIN}));
}

TEST(NeededCapabilities, OfConnectionsAreTheirThreadsOwn) {
  EXPECT_EQ(needed_capabilities({.connections = true}, kAll), set_of({CAP_BPF}));
  EXPECT_TRUE(needed_capabilities({.connections = true, .probes = true}, kAll) &
              set_of({CAP_DAC_OVERRIDE}));
}

TEST(NeededCapabilities, AreNotMoreThanThereAre) {
  EXPECT_EQ(needed_capabilities({.memory = true}, 0), CapabilitySet{0});
}

// As on kernels and in units that know none of the narrower ones.
TEST(NeededCapabilities, AreStoodForByTheOneThatTheyWereSplitFrom) {
  const CapabilitySet old = set_of({CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_CHOWN});
  EXPECT_EQ(needed_capabilities({.memory = true}, old), set_of({CAP_SYS_ADMIN, CAP_SYS_PTRACE}));
}

// In a thread, which has capabilities of its own.
TEST(KeepCapabilities, LeavesNoOther) {
  std::thread([] {
    const CapabilitySet kept = set_of({CAP_SYS_PTRACE}) & permitted_capabilities();
    ASSERT_TRUE(keep_capabilities(set_of({CAP_SYS_PTRACE})));
    EXPECT_EQ(permitted_capabilities(), kept);
    ASSERT_TRUE(keep_capabilities(kAll));
    EXPECT_EQ(permitted_capabilities(), kept);
  }).join();
}

}  // namespace
}  // namespace dbtrace::sandbox
