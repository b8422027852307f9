#include "src/commands/doctor/machine_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace dbtrace::commands {
namespace {

using attach::Machine;
using attach::Trial;
using attach::Trials;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr uint64_t bit(int capability) { return uint64_t{1} << capability; }
constexpr uint64_t kAll = (uint64_t{1} << attach::kCapabilities) - 1;

// One that allows everything.
Machine good_machine() {
  return {.kernel = "6.12.41+deb13-amd64",
          .processor = "x86_64",
          .type_information = "",
          .lockdown = "none",
          .capabilities = kAll,
          .locked_memory = 8U << 20,
          .open_files = 1024,
          .filters_system_calls = false,
          .own_pid_namespace = false,
          .tells_kernel_symbols = true,
          .perf_event_paranoid = 3,
          .kptr_restrict = 0,
          .unprivileged_bpf_disabled = 2};
}

Check check_of(const Machine& machine, const Trials& trials, const std::string& subject) {
  for (const Check& check : machine_checks(machine, &trials))
    if (check.subject == subject) return check;
  throw std::runtime_error("no check is about " + subject);
}

Check check_of(const Machine& machine, const std::string& subject) {
  return check_of(machine, Trials(), subject);
}

Check check_without(Trial trial, int error, const std::string& subject) {
  Trials trials;
  trials.set(trial, error);
  return check_of(good_machine(), trials, subject);
}

TEST(MachineChecks, FindNothingWrongWithAGoodMachine) {
  const Trials trials;
  for (const Check& check : machine_checks(good_machine(), &trials)) {
    EXPECT_EQ(check.state, CheckState::Ok) << check.subject;
    EXPECT_THAT(check.found, Not(IsEmpty())) << check.subject;
    EXPECT_THAT(check.lost + check.advice, IsEmpty()) << check.subject;
  }
}

TEST(MachineChecks, KnowWhatAKernelIsTooOldFor) {
  Machine machine = good_machine();
  for (const auto& [release, state] :
       {std::pair("5.14.0-503.el9", CheckState::Degraded),
        std::pair("4.18.0", CheckState::Degraded), std::pair("5.15.0-1", CheckState::Ok),
        std::pair("unknown", CheckState::Ok)}) {
    machine.kernel = release;
    EXPECT_EQ(check_of(machine, "kernel").state, state) << release;
  }
  machine.processor = "aarch64";
  EXPECT_EQ(check_of(machine, "kernel").state, CheckState::Degraded);
}

TEST(MachineChecks, MissWhatNothingWorksWithout) {
  Machine machine = good_machine();
  machine.type_information = "no BTF";
  EXPECT_EQ(check_of(machine, "types").state, CheckState::Missing);
  machine = good_machine();
  machine.lockdown = "confidentiality";
  EXPECT_EQ(check_of(machine, "lockdown").state, CheckState::Missing);
  machine.lockdown = "integrity";
  EXPECT_EQ(check_of(machine, "lockdown").state, CheckState::Ok);
  machine.lockdown = "";
  EXPECT_EQ(check_of(machine, "lockdown").state, CheckState::Ok);
}

TEST(MachineChecks, NameCapabilities) {
  Machine machine = good_machine();
  EXPECT_EQ(check_of(machine, "capabilities").found, "all");
  machine.capabilities &= ~bit(CAP_SYS_RESOURCE);
  EXPECT_EQ(check_of(machine, "capabilities").found, "all but CAP_SYS_RESOURCE");
  EXPECT_EQ(check_of(machine, "capabilities").state, CheckState::Ok);

  machine.capabilities = bit(CAP_BPF) | bit(CAP_PERFMON);
  Check check = check_of(machine, "capabilities");
  EXPECT_EQ(check.state, CheckState::Degraded);
  EXPECT_EQ(check.found, "CAP_PERFMON, CAP_BPF; no CAP_SYS_PTRACE");
  EXPECT_THAT(check.lost, HasSubstr("servers of other users"));

  machine.capabilities = bit(CAP_SYS_ADMIN) | bit(CAP_SYS_PTRACE);
  EXPECT_EQ(check_of(machine, "capabilities").state, CheckState::Ok);

  machine.capabilities = bit(CAP_BPF);
  check = check_of(machine, "capabilities");
  EXPECT_EQ(check.state, CheckState::Missing);
  EXPECT_THAT(check.found, AllOf(HasSubstr("CAP_PERFMON missing"), HasSubstr("(there: CAP_BPF)")));
  EXPECT_THAT(check.advice, HasSubstr("sudo"));

  machine.capabilities = 0;
  EXPECT_THAT(check_of(machine, "capabilities").found,
              HasSubstr("CAP_BPF and CAP_PERFMON missing (there: none)"));
}

TEST(MachineChecks, TellWhatLimitsAndSettingsCost) {
  Machine machine = good_machine();
  machine.open_files = 256;
  EXPECT_EQ(check_of(machine, "limits").state, CheckState::Degraded);
  EXPECT_EQ(check_of(machine, "limits").advice, "ulimit -n 1024");
  machine = good_machine();
  machine.locked_memory.reset();
  EXPECT_THAT(check_of(machine, "limits").found, HasSubstr("any amount of locked memory"));
  machine.kptr_restrict.reset();
  EXPECT_THAT(check_of(machine, "settings").found, HasSubstr("kptr_restrict not told"));
  machine.tells_kernel_symbols = false;
  EXPECT_EQ(check_of(machine, "settings").state, CheckState::Degraded);
  machine.own_pid_namespace = machine.filters_system_calls = true;
  const Check container = check_of(machine, "container");
  EXPECT_EQ(container.state, CheckState::Degraded);
  EXPECT_THAT(container.found, HasSubstr("seccomp"));
}

TEST(MachineChecks, TellWhichProbesThereAre) {
  const Check slow = check_without(Trial::UprobeMulti, EINVAL, "probes");
  EXPECT_EQ(slow.state, CheckState::Degraded);
  EXPECT_EQ(slow.found, "uprobe_multi Invalid argument; perf events allowed");
  EXPECT_EQ(check_without(Trial::PerfEvent, EPERM, "probes").state, CheckState::Ok);
  Trials neither;
  neither.set(Trial::UprobeMulti, ENODATA);
  neither.set(Trial::PerfEvent, EPERM);
  const Check none = check_of(good_machine(), neither, "probes");
  EXPECT_EQ(none.state, CheckState::Missing);
  EXPECT_THAT(none.found, AllOf(HasSubstr("no event came through the ring buffer"),
                                HasSubstr("Operation not permitted")));
}

TEST(MachineChecks, TellWhatTheKernelRefuses) {
  for (const auto& [trial, subject, lost] : {std::tuple(Trial::Scheduler, "scheduler", "--budget"),
                                             std::tuple(Trial::Timer, "timers", "samples"),
                                             std::tuple(Trial::Tasks, "threads", "--running")}) {
    const Check check = check_without(trial, EACCES, subject);
    EXPECT_EQ(check.state, CheckState::Degraded) << subject;
    EXPECT_THAT(check.found, HasSubstr("Permission denied")) << subject;
    EXPECT_THAT(check.lost, HasSubstr(lost)) << subject;
  }
}

TEST(MachineChecks, TakeTheBestWayToSeeFiles) {
  EXPECT_EQ(check_of(good_machine(), "file I/O").found, "by fentry");
  const Check calls = check_without(Trial::Fentry, EPERM, "file I/O");
  EXPECT_EQ(calls.state, CheckState::Degraded);
  EXPECT_EQ(calls.found, "by syscalls (the kernel refuses fentry: Operation not permitted)");
  Trials trials;
  trials.set(Trial::Fentry, EPERM);
  trials.set(Trial::SystemCalls, EPERM);
  EXPECT_THAT(check_of(good_machine(), trials, "file I/O").found, HasSubstr("by kprobe"));
  trials.set(Trial::Kprobe, ENOENT);
  EXPECT_EQ(check_of(good_machine(), trials, "file I/O").lost, "operations on files");
}

TEST(MachineChecks, SayNothingOfWhatCouldNotBeTried) {
  const auto checks = machine_checks(good_machine(), nullptr);
  EXPECT_TRUE(std::ranges::none_of(checks, [](const Check& c) { return c.subject == "probes"; }));
}

}  // namespace
}  // namespace dbtrace::commands
