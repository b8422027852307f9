// What a process may not do in the sandbox is tried in one; likewise what it may.
#include "src/sandbox/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <thread>

namespace dbtrace::sandbox {
namespace {

struct Deed {
  const char* name;
  std::function<long()> do_it;  // negative: refused
};

// As googletest names cases.
void PrintTo(const Deed& deed, std::ostream* out) { *out << deed.name; }

long bpf(int command) {
  bpf_attr attributes{};
  return ::syscall(SYS_bpf, command, &attributes, sizeof(attributes));
}

// The status of a child that goes into the sandbox and does this.
int status_of(const std::function<int()>& child) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(child());
  int status = -1;
  ::waitpid(pid, &status, 0);
  return status;
}

constexpr int kRefused = 0, kNotRefused = 1, kNoSandbox = 2;

class Forbidden : public ::testing::TestWithParam<Deed> {};

TEST_P(Forbidden, IsRefused) {
  const int status = status_of([] {
    ::unsetenv("DBTRACE_SANDBOX");
    if (!enter({})) return kNoSandbox;
    errno = 0;
    return GetParam().do_it() < 0 && errno == EPERM ? kRefused : kNotRefused;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kRefused);
}

TEST_P(Forbidden, EndsTheProcessWhereTestsAskForIt) {
  const int status = status_of([] {
    ::setenv("DBTRACE_SANDBOX", "strict", 1);
    if (!enter({})) return kNoSandbox;
    return static_cast<int>(GetParam().do_it());
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}

char* const kNothing[] = {nullptr};
iovec nowhere{nullptr, 0};

INSTANTIATE_TEST_SUITE_P(
    Calls, Forbidden,
    ::testing::Values(
        Deed{"Execute", [] { return ::execve("/bin/true", kNothing, kNothing); }},
        Deed{"ExecuteAnOpenFile",
             [] { return ::syscall(SYS_execveat, 0, "", kNothing, kNothing, AT_EMPTY_PATH); }},
        Deed{"Fork", [] { return ::fork(); }},
        Deed{"TraceAProcess", [] { return ::ptrace(PTRACE_ATTACH, ::getppid(), 0, 0); }},
        Deed{"WriteIntoAProcess",
             [] { return ::process_vm_writev(::getppid(), &nowhere, 1, &nowhere, 1, 0); }},
        Deed{"ReadAProcess",
             [] { return ::process_vm_readv(::getppid(), &nowhere, 1, &nowhere, 1, 0); }},
        Deed{"SignalAProcess", [] { return ::kill(::getppid(), 0); }},
        Deed{"SignalAThread", [] { return ::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0); }},
        Deed{"OpenForWriting", [] { return ::open("/dev/null", O_WRONLY); }},
        Deed{"OpenForBoth", [] { return ::open("/dev/null", O_RDWR); }},
        Deed{"CreateAFile", [] { return ::open("/dev/null", O_RDONLY | O_CREAT, 0600); }},
        Deed{"TruncateAFile", [] { return ::open("/dev/null", O_RDONLY | O_TRUNC); }},
        Deed{"RemoveAFile", [] { return ::unlink("/nonexistent"); }},
        Deed{"RenameAFile", [] { return ::rename("/nonexistent", "/nonexistent2"); }},
        Deed{"ChangeAMode", [] { return ::chmod("/nonexistent", 0777); }},
        Deed{"ChangeAnOwner", [] { return ::chown("/nonexistent", 1, 1); }},
        Deed{"MakeAFolder", [] { return ::mkdir("/nonexistent/x", 0700); }},
        Deed{"Connect", [] { return ::socket(AF_INET, SOCK_STREAM, 0); }},
        Deed{"Mount", [] { return ::mount("none", "/nonexistent", "tmpfs", 0, nullptr); }},
        Deed{"LoadAModule", [] { return ::syscall(SYS_finit_module, -1, "", 0); }},
        Deed{"LoadAProgram", [] { return bpf(BPF_PROG_LOAD); }},
        Deed{"WriteIntoAMap", [] { return bpf(BPF_MAP_UPDATE_ELEM); }},
        Deed{"MakeAMap", [] { return bpf(BPF_MAP_CREATE); }},
        Deed{"OpenAPerfEvent",
             [] { return ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); }},
        Deed{"BecomeSomebodyElse", [] { return ::setuid(65534); }},
        Deed{"EnterANamespace", [] { return ::unshare(CLONE_NEWNS); }},
        Deed{"TypeIntoATerminal", [] { return ::ioctl(0, TIOCSTI, ""); }},
        Deed{"RaiseALimit",
             [] {
               const rlimit none{};
               return ::setrlimit(RLIMIT_CORE, &none);
             }}),
    [](const auto& deed) { return std::string(deed.param.name); });

// Under the strict mode: one refusal more would end the process.
int in_sandbox(const Needs& needs, const std::function<bool()>& works) {
  return status_of([&] {
    ::setenv("DBTRACE_SANDBOX", "strict", 1);
    return enter(needs) && works() ? 0 : 1;
  });
}

TEST(Sandbox, LeavesReadingThreadsAndMemory) {
  EXPECT_EQ(in_sandbox({},
                       [] {
                         const int file = ::open("/proc/self/maps", O_RDONLY);
                         char byte = 0;
                         bool other = false;
                         std::thread([&other] { other = true; }).join();
                         return ::read(file, &byte, 1) == 1 && other &&
                                std::malloc(64 << 20) != nullptr;
                       }),
            0);
}

TEST(Sandbox, LeavesWhatIsNeeded) {
  iovec local{}, remote{};
  EXPECT_EQ(
      in_sandbox({.memory = true},
                 [&] { return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == 0; }),
      0);
  EXPECT_EQ(
      in_sandbox({.connections = true}, [] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }), 0);
  EXPECT_EQ(in_sandbox({.clients = true}, [] { return ::accept4(-1, nullptr, nullptr, 0) < 0; }),
            0);
  EXPECT_EQ(in_sandbox({.files = true},
                       [] {
                         const open_how how{};
                         return ::syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how)) >= 0;
                       }),
            0);
  EXPECT_EQ(in_sandbox({.new_files = true},
                       [] {
                         char name[] = "/tmp/dbtrace-sandbox-XXXXXX";
                         return ::mkstemp(name) >= 0 && ::unlink(name) == 0;
                       }),
            0);
  EXPECT_EQ(in_sandbox({.new_files = true, .database = true},
                       [] {
                         char name[] = "/tmp/dbtrace-sandbox-XXXXXX";
                         const int file = ::mkstemp(name);
                         return ::pwrite(file, "x", 1, 5) == 1 && ::fsync(file) == 0 &&
                                ::ftruncate(file, 0) == 0 && ::unlink(name) == 0;
                       }),
            0);
  EXPECT_EQ(in_sandbox({.probes = true}, [] { return bpf(BPF_PROG_LOAD) < 0; }), 0);
}

TEST(Sandbox, CallsOnACollectorAndIsNone) {
  EXPECT_EQ(in_sandbox({.collector = true},
                       [] {
                         const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
                         return socket >= 0 && ::connect(socket, nullptr, 0) < 0 &&
                                ::socket(AF_INET6, SOCK_STREAM, 0) >= 0;
                       }),
            0);
  EXPECT_EQ(status_of([] {
              ::unsetenv("DBTRACE_SANDBOX");
              if (!enter({.collector = true})) return kNoSandbox;
              const auto refused = [](long result) { return result < 0 && errno == EPERM; };
              return refused(::socket(AF_UNIX, SOCK_STREAM, 0)) &&
                             refused(::socket(AF_NETLINK, SOCK_RAW, 0)) &&
                             refused(::bind(-1, nullptr, 0)) && refused(::listen(-1, 0)) &&
                             refused(::accept4(-1, nullptr, nullptr, 0))
                         ? kRefused
                         : kNotRefused;
            }),
            kRefused);
}

TEST(Sandbox, CanBeLeftOut) {
  EXPECT_EQ(status_of([] {
              ::setenv("DBTRACE_SANDBOX", "off", 1);
              return enter({}) && ::open("/dev/null", O_WRONLY) >= 0 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace dbtrace::sandbox
